/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import io.distributedlock.engine.LeaseEntry.Queued;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStore.ReleaseReply;
import io.distributedlock.engine.LeaseStore.ReleaseReply.Outcome;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import io.distributedlock.engine.LeaseStore.Requeue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What all instances share: the scripts of the real store, step by step, over maps. */
final class SharedLeases extends LeaseServer {

    private final Map<String, LeaseEntry> entries = new HashMap<>();

    SharedLeases(NanoClock clock) {
        super(clock);
    }

    // ---- acquire.lua

    AcquireReply acquire(String id, AcquireCommand command) {
        return script(() -> {
            LeaseEntry entry = entries.get(command.name());
            if (isCancelled(command.name(), id)) {
                return new AcquireReply.Cancelled();
            }
            if (entry == null) {
                return grant(id, command);
            }
            if (entry.holder.equals(id)) {
                entry.lengthen(command.leaseMillis(), now());
                return new AcquireReply.Granted(entry.token, entry.line.size());
            }
            return entry.isOwnedBy(command.owner()) ? reenter(entry, id, command) : line(entry, id, command);
        });
    }

    private AcquireReply grant(String id, AcquireCommand command) {
        LeaseEntry entry = new LeaseEntry(id, command.owner());
        entry.token = nextToken(0, command.floor());
        entry.expireAfter(command.leaseMillis(), now());
        entries.put(command.name(), entry);
        return new AcquireReply.Granted(entry.token, 0);
    }

    private AcquireReply reenter(LeaseEntry entry, String id, AcquireCommand command) {
        boolean mine = entry.holds.contains(id);
        if (!mine && !command.reentrant()) {
            return new AcquireReply.ReentryRefused(entry.token);
        }
        if (!mine) {
            entry.holds.add(id);
        }
        entry.lengthen(command.leaseMillis(), now());
        return new AcquireReply.Granted(entry.token, entry.line.size());
    }

    private AcquireReply line(LeaseEntry entry, String id, AcquireCommand command) {
        boolean first = entry.line.isEmpty() || entry.line.get(0).id().equals(id);
        int place = entry.placeOf(id);
        if (place < 0 && command.queue()) {
            boolean missed = entry.passedOver.remove(id);
            if (missed) {
                entry.askAgain.add(id);
            }
            place = missed ? 0 : entry.line.size();
            entry.line.add(place, new Queued(id, command.leaseMillis(), command.owner()));
        }
        String holding = entry.toRecall();
        if (command.queue() && first && holding != null && !instanceOf(holding).equals(instanceOf(id))) {
            publish(holding, new StoreMessage.Recall(command.name(), numberOf(holding)));
        }
        int waiting = entry.line.size();
        int ahead = place < 0 ? waiting : place;
        return new AcquireReply.Busy(entry.remainingMillis(now()), place >= 0, entry.token, ahead, waiting);
    }

    // ---- renew.lua

    RenewReply renew(String id, RenewCommand command) {
        return script(() -> {
            LeaseEntry entry = entries.get(command.name());
            if (entry == null) {
                return new RenewReply(false, 0, 0);
            }
            boolean shared = entry.hasExplicitOwner();
            boolean mine = shared ? entry.holds.contains(id) : entry.holder.equals(id);
            if (mine) {
                if (command.mayShorten() && !shared) {
                    entry.expireAfter(command.leaseMillis(), now());
                }
                entry.lengthen(command.leaseMillis(), now());
                entry.token = Math.max(entry.token, command.token());
            }
            return new RenewReply(mine, entry.token, entry.line.size());
        });
    }

    // ---- release.lua

    ReleaseReply release(String id, @Nullable String again, ReleaseCommand command) {
        return script(() -> {
            boolean wanted = again != null && !isCancelled(command.name(), again);
            ReleaseReply reply = releaseById(id, wanted ? again : null, command);
            if (command.tombstoneMillis() > 0) {
                bury(command.name(), id, command.tombstoneMillis());
            }
            return reply;
        });
    }

    private ReleaseReply releaseById(String id, @Nullable String again, ReleaseCommand command) {
        LeaseEntry entry = entries.get(command.name());
        if (entry == null) {
            return new ReleaseReply(Outcome.NOT_HELD, 0, null);
        }
        if (!entry.holder.equals(id)) {
            if (!entry.holds.contains(id)) {
                List<Queued> near = entry.near();
                boolean left = entry.line.remove(entry.inLine(id));
                tellThoseNear(command.name(), entry, near, null);
                return new ReleaseReply(left ? Outcome.LEFT_QUEUE : Outcome.NOT_YOURS, entry.token, null);
            }
            entry.holds.remove(id);
            if (entry.hasMoreHolds()) {
                return new ReleaseReply(Outcome.STILL_HELD, entry.token, null);
            }
        }
        revoke(command.name(), entry.holds);
        entry.token = Math.max(entry.token, command.floor());
        return handOver(command, entry, again);
    }

    private ReleaseReply handOver(ReleaseCommand command, LeaseEntry entry, @Nullable String again) {
        long released = entry.token;
        Requeue requeue = command.requeue();
        if (again != null && requeue != null && entry.inLine(again) == null) {
            entry.line.add(new Queued(again, requeue.leaseMillis(), null));
        }
        Queued next = transfer(command.name(), entry, command.floor(), again);
        if (next == null) {
            return new ReleaseReply(Outcome.RELEASED, released, null);
        }
        int waiting = entry.line.size();
        AcquireReply requeued = next.id().equals(again)
                ? new AcquireReply.Granted(entry.token, waiting)
                : again == null
                        ? null
                        : new AcquireReply.Busy(entry.leaseMillis(), true, released, waiting - 1, waiting);
        return new ReleaseReply(next.id().equals(again) ? Outcome.RELEASED : Outcome.TRANSFERRED, released, requeued);
    }

    /**
     * The first in line who listens gets the lock, or nobody. Who waits for the same explicit owner and listens enters
     * too.
     */
    private @Nullable Queued transfer(String name, LeaseEntry entry, long floor, @Nullable String again) {
        List<Queued> near = entry.near();
        while (!entry.line.isEmpty()) {
            Queued next = entry.line.remove(0);
            List<Queued> heirs = new ArrayList<>();
            heirs.add(next);
            if (next.owner() != null) {
                entry.line.stream()
                        .filter(other -> next.owner().equals(other.owner()))
                        .forEach(heirs::add);
                entry.line.removeAll(heirs);
            }
            heirs.removeIf(heir -> !heir.id().equals(again) && !listens(heir.id()));
            boolean silent = heirs.isEmpty() && entry.askAgain.remove(next.id());
            if (silent) {
                heirs.add(new Queued(next.id(), Math.min(next.leaseMillis(), 2_000), next.owner()));
            }
            if (!heirs.isEmpty()) {
                entry.token = nextToken(entry.token, floor);
                entry.handTo(silent ? heirs.get(0) : next, heirs, now());
                tellGranted(name, entry, silent ? List.of() : heirs, again);
                tellThoseNear(name, entry, near, again);
                return next;
            }
            entry.passOver(next.id());
        }
        entries.remove(name);
        return null;
    }

    private void tellGranted(String name, LeaseEntry entry, List<Queued> heirs, @Nullable String again) {
        int waiting = entry.line.size();
        for (Queued heir : heirs) {
            String id = heir.id();
            if (!id.equals(again)) {
                publish(id, new StoreMessage.Grant(name, numberOf(id), entry.token, heir.leaseMillis(), waiting));
            }
        }
    }

    /** Who is near now and was not before. */
    private void tellThoseNear(String name, LeaseEntry entry, List<Queued> before, @Nullable String again) {
        for (Queued near : entry.near()) {
            if (!before.contains(near) && !near.id().equals(again)) {
                publish(near.id(), new StoreMessage.Near(name, numberOf(near.id())));
            }
        }
    }

    private void revoke(String name, List<String> ids) {
        ids.forEach(id -> publish(id, new StoreMessage.Revoke(name, numberOf(id))));
    }

    ReleaseResult releaseOwner(String name, String owner, long floor) {
        return script(() -> {
            LeaseEntry entry = entries.get(name);
            if (entry == null || !entry.isOwnedBy(owner)) {
                return entry == null ? ReleaseResult.NOT_HELD : ReleaseResult.NOT_YOURS;
            }
            entry.given++;
            if (entry.hasMoreHolds()) {
                return ReleaseResult.STILL_HELD;
            }
            revoke(name, entry.holds);
            transfer(name, entry, floor, null);
            return ReleaseResult.RELEASED;
        });
    }

    boolean forceRelease(String name, long floor) {
        return script(() -> {
            LeaseEntry entry = entries.get(name);
            if (entry == null) {
                return false;
            }
            revoke(name, entry.hasExplicitOwner() ? entry.holds : List.of(entry.holder));
            transfer(name, entry, floor, null);
            return true;
        });
    }

    // ---- what else the server does

    Optional<LockState> inspect(String name) {
        return script(() -> Optional.ofNullable(entries.get(name))
                .map(entry -> new LockState(
                        name,
                        entry.hasExplicitOwner() ? entry.holder.substring(1) : instanceOf(entry.holder),
                        entry.token,
                        Duration.ofMillis(entry.remainingMillis(now())),
                        entry.line.size())));
    }

    synchronized @Nullable LeaseEntry entry(String name) {
        return entries.get(name);
    }

    /** Forgets everything, as after a restart without persistence. */
    synchronized void forgetAll() {
        entries.clear();
        forgetCancelled();
    }

    /** Entries and tombstones that still exist. */
    synchronized List<String> leftovers() {
        expire();
        List<String> left = new ArrayList<>(cancelled());
        entries.forEach((name, entry) -> left.add(name + " of " + entry.holder));
        return left;
    }

    @Override
    void expireEntries(long now) {
        entries.values().removeIf(entry -> entry.isExpired(now));
    }
}
