/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockState;
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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What all instances share: the scripts of the real store, step by step, over maps. */
final class SharedLeases extends LeaseServer {

    private final Map<String, LeaseEntry> entries = new HashMap<>();

    /** Tokens of free locks, which are ahead of the clock. */
    private final Map<String, Kept> kept = new HashMap<>();

    private record Kept(long token, long expireAt) {}

    SharedLeases(NanoClock clock) {
        super(clock);
    }

    // ---- acquire.lua

    /** @param receivesMessages whether the instance expects messages */
    AcquireReply acquire(String id, AcquireCommand command, boolean receivesMessages) {
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
                exceedFloor(entry, command.floor());
                return new AcquireReply.Granted(entry.token, entry.line.size());
            }
            if (entry.isOwnedByReaders() && LeaseStore.READERS.equals(command.owner()) && !entry.holds.contains(id)) {
                return read(entry, id, command, receivesMessages);
            }
            return entry.isOwnedBy(command.owner())
                    ? reenter(entry, id, command)
                    : line(entry, id, command, receivesMessages);
        });
    }

    private AcquireReply grant(String id, AcquireCommand command) {
        LeaseEntry entry = new LeaseEntry(id, command.owner());
        Kept last = kept.remove(command.name());
        entry.token = nextToken(last == null ? 0 : last.token(), command.floor());
        entry.expireAfter(command.leaseMillis(), now());
        entry.setEnd(id, command.leaseMillis(), now(), true);
        entries.put(command.name(), entry);
        return new AcquireReply.Granted(entry.token, 0);
    }

    private AcquireReply reenter(LeaseEntry entry, String id, AcquireCommand command) {
        boolean mine = entry.holds.contains(id);
        if (!mine && !command.reentrant()) {
            List<Queued> near = entry.near();
            entry.line.remove(entry.inLine(id));
            tellThoseNear(command.name(), entry, near, null);
            return new AcquireReply.ReentryRefused(entry.token);
        }
        if (!mine) {
            entry.holds.add(id);
            entry.forget(id);
        }
        if (entry.isOwnedByReaders()) {
            entry.token = nextToken(entry.token, command.floor());
        }
        entry.setEnd(id, command.leaseMillis(), now(), true);
        if (mine && entry.holds.size() == 1 && !entry.isOwnedByReaders()) {
            exceedFloor(entry, command.floor());
        }
        entry.lengthen(command.leaseMillis(), now());
        return new AcquireReply.Granted(entry.token, entry.line.size());
    }

    private void exceedFloor(LeaseEntry entry, long floor) {
        if (floor > entry.token && floor > micros()) {
            entry.token = floor + 1;
        }
    }

    /** Readers hold the lock, and this one is not among them yet. */
    private AcquireReply read(LeaseEntry entry, String id, AcquireCommand command, boolean receivesMessages) {
        List<Queued> near = entry.near();
        while (!entry.line.isEmpty() && isAbsent(entry, entry.line.get(0), id)) {
            pass(entry, entry.line.remove(0).id());
        }
        boolean inLine = entry.inLine(id) != null;
        String companion = id(instanceOf(id), command.companion());
        boolean joins = entry.holds.contains(companion) || (!inLine && entry.forget(id));
        List<Queued> entering = new ArrayList<>();
        if (entry.isFirstAReader()) {
            joins |= inLine;
            entering.addAll(takeReaders(entry, id));
        }
        joins |= entry.line.isEmpty();
        if (joins) {
            entry.line.remove(entry.inLine(id));
            entry.forget(id);
            entering.add(new Queued(id, command.leaseMillis(), command.owner(), false));
        }
        join(command.name(), entry, entering, command.floor(), id);
        tellThoseNear(command.name(), entry, near, null);
        return joins
                ? new AcquireReply.Granted(entry.token, entry.line.size())
                : line(entry, id, command, receivesMessages);
    }

    private boolean isAbsent(LeaseEntry entry, Queued first, String asking) {
        if (first.id().equals(asking)) {
            return false;
        }
        boolean present = listens(first.id());
        if (first.isReader()) {
            return !present;
        }
        return (!present && counts() && !entry.askAgain.contains(first.id()))
                || entry.isSilent(first.id(), micros() / 1_000);
    }

    private static void pass(LeaseEntry entry, String id) {
        entry.forget(id);
        entry.passOver(id);
    }

    /** Takes the readers who listen out of the line; only the one that asks stays, and those who do not are passed. */
    private List<Queued> takeReaders(LeaseEntry entry, @Nullable String asking) {
        List<Queued> readers = entry.line.stream()
                .filter(each -> each.isReader() && !each.id().equals(asking))
                .toList();
        entry.line.removeAll(readers);
        readers.stream().filter(each -> !listens(each.id())).forEach(each -> pass(entry, each.id()));
        return readers.stream().filter(each -> listens(each.id())).toList();
    }

    private void join(String name, LeaseEntry entry, List<Queued> entering, long floor, @Nullable String asking) {
        int others = entering.size() - 1;
        long last = nextToken(entry.token + others, floor + others);
        entry.token = entering.isEmpty() ? entry.token : last - entering.size();
        for (Queued each : entering) {
            entry.token++;
            entry.holds.add(each.id());
            entry.lengthen(each.leaseMillis(), now());
            if (!each.id().equals(asking)) {
                long number = numberOf(each.id());
                int waiting = entry.line.size();
                publish(each.id(), new StoreMessage.Grant(name, number, entry.token, each.leaseMillis(), waiting));
            }
        }
    }

    private AcquireReply line(LeaseEntry entry, String id, AcquireCommand command, boolean receivesMessages) {
        boolean first = entry.line.isEmpty() || entry.line.get(0).id().equals(id);
        int place = entry.placeOf(id);
        if (place < 0 && command.queue()) {
            boolean missed = entry.passedOver.remove(id);
            if (missed) {
                entry.askAgain.add(id);
            }
            place = missed ? 0 : entry.line.size();
            boolean alone = command.owner() != null && !command.reentrant();
            entry.line.add(place, new Queued(id, command.leaseMillis(), command.owner(), alone));
        }
        if (place == 0 && command.queue() && !receivesMessages) {
            entry.reserveFor(id);
        }
        if (place == 0 && command.queue() && entry.isOwnedByReaders()) {
            entry.sentRequest(id, micros() / 1_000);
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
                Kept last = kept.get(command.name());
                return new RenewReply(false, last == null ? 0 : last.token(), 0);
            }
            boolean shared = entry.hasExplicitOwner();
            boolean mine = shared ? entry.holds.contains(id) : entry.holder.equals(id);
            if (mine) {
                boolean shortens = command.mayShorten() && command.token() >= entry.token;
                entry.setEnd(id, command.leaseMillis(), now(), !shortens);
                if (shortens) {
                    entry.shorten(id, command.leaseMillis(), now());
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
                if (left && entry.isOwnedByReaders() && entry.isFirstAReader()) {
                    join(command.name(), entry, takeReaders(entry, null), command.floor(), null);
                }
                tellThoseNear(command.name(), entry, near, null);
                return new ReleaseReply(left ? Outcome.LEFT_QUEUE : Outcome.NOT_YOURS, entry.token, null);
            }
            entry.forgetHold(id);
            entry.given = Math.max(0, entry.given - (command.lost() ? 1 : 0));
            entry.removeEnded(now());
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
            entry.line.add(new Queued(again, requeue.leaseMillis(), null, false));
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
                        : new AcquireReply.Busy(entry.leaseMillis(), true, entry.token, waiting - 1, waiting);
        Outcome outcome = next.id().equals(again) ? Outcome.RELEASED : Outcome.TRANSFERRED;
        return new ReleaseReply(outcome, entry.token, requeued);
    }

    /**
     * The first in line who listens gets the lock, or none does. Who waits for the same explicit owner and listens
     * enters too.
     */
    private @Nullable Queued transfer(String name, LeaseEntry entry, long floor, @Nullable String again) {
        List<Queued> near = entry.near();
        while (!entry.line.isEmpty()) {
            Queued next = entry.line.remove(0);
            List<Queued> heirs = new ArrayList<>();
            heirs.add(next);
            if (next.owner() != null) {
                entry.line.stream().filter(other -> other.entersWith(next)).forEach(heirs::add);
                entry.line.removeAll(heirs);
            }
            List<Queued> absent = heirs.stream()
                    .filter(heir -> !heir.id().equals(again) && !listens(heir.id()))
                    .toList();
            heirs.removeAll(absent);
            if (heirs.contains(next)) {
                entry.forget(next.id());
            }
            List<Queued> listening = List.copyOf(heirs);
            if (next.isReader()) {
                absent.forEach(each -> addIfItAsks(entry, each, heirs));
            } else {
                if (heirs.isEmpty()) {
                    addIfItAsks(entry, next, heirs);
                } else if (!heirs.contains(next)) {
                    pass(entry, next.id());
                }
                absent.stream().filter(each -> each != next).forEach(each -> pass(entry, each.id()));
            }
            if (!heirs.isEmpty()) {
                handTo(entry, next, heirs, floor);
                tellGranted(name, entry, listening, again);
                entry.token += next.isReader() ? heirs.size() - 1 : 0;
                tellThoseNear(name, entry, near, again);
                return next;
            }
        }
        entries.remove(name);
        if (entry.isOwnedByReaders()) {
            keepToken(name, entry.token);
        }
        return null;
    }

    private void keepToken(String name, long token) {
        long ahead = token - micros();
        if (ahead >= 0) {
            kept.put(name, new Kept(token, now() + TimeUnit.MILLISECONDS.toNanos(ahead / 1_000 + 2)));
        }
    }

    /** The token of a free lock; null if it is not kept. */
    synchronized @Nullable Long keptToken(String name) {
        Kept known = kept.get(name);
        return known == null ? null : known.token();
    }

    /** It lives, although it does not listen, or may do so for all that is known. */
    private void addIfItAsks(LeaseEntry entry, Queued absent, List<Queued> heirs) {
        if (entry.askAgain.contains(absent.id()) || !counts()) {
            entry.forget(absent.id());
            heirs.add(new Queued(absent.id(), Math.min(absent.leaseMillis(), 2_000), absent.owner(), false));
        } else {
            entry.passOver(absent.id());
        }
    }

    private void handTo(LeaseEntry entry, Queued next, List<Queued> heirs, long floor) {
        // Each reader has a token of its own.
        int others = next.isReader() ? heirs.size() - 1 : 0;
        entry.token = nextToken(entry.token + others, floor + others) - others;
        entry.handTo(heirs.get(0), heirs, now());
    }

    private void tellGranted(String name, LeaseEntry entry, List<Queued> heirs, @Nullable String again) {
        int waiting = entry.line.size();
        long token = entry.token;
        for (Queued heir : heirs) {
            String id = heir.id();
            if (!id.equals(again)) {
                publish(id, new StoreMessage.Grant(name, numberOf(id), token, heir.leaseMillis(), waiting));
            }
            token += heir.isReader() ? 1 : 0;
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

    // ---- release-owner.lua

    ReleaseReply releaseOwner(String name, String owner, long floor) {
        return script(() -> {
            LeaseEntry entry = entries.get(name);
            if (entry == null) {
                return new ReleaseReply(Outcome.NOT_HELD, 0, null);
            }
            if (!entry.isOwnedBy(owner)) {
                return new ReleaseReply(Outcome.NOT_YOURS, entry.token, null);
            }
            entry.removeEnded(now());
            entry.given++;
            if (entry.hasMoreHolds()) {
                return new ReleaseReply(Outcome.STILL_HELD, entry.token, null);
            }
            revoke(name, entry.holds);
            return handOver(name, entry, floor);
        });
    }

    // ---- force-release.lua

    ReleaseReply forceRelease(String name, long floor) {
        return script(() -> {
            LeaseEntry entry = entries.get(name);
            if (entry == null) {
                return new ReleaseReply(Outcome.NOT_HELD, 0, null);
            }
            revoke(name, entry.hasExplicitOwner() ? entry.holds : List.of(entry.holder));
            return handOver(name, entry, floor);
        });
    }

    private ReleaseReply handOver(String name, LeaseEntry entry, long floor) {
        entry.token = Math.max(entry.token, floor);
        return handOver(new ReleaseCommand(name, 0, floor, null, 0, false), entry, null);
    }

    // ---- what else the server does

    Optional<LockState> inspect(String name) {
        return script(() -> Optional.ofNullable(entries.get(name))
                .map(entry -> new LockState(
                        name,
                        owner(entry),
                        entry.token,
                        Duration.ofMillis(entry.remainingMillis(now())),
                        entry.line.size(),
                        false,
                        entry.hasExplicitOwner() && !entry.isOwnedByReaders(),
                        instances(entry),
                        null)));
    }

    private static String owner(LeaseEntry entry) {
        return entry.hasExplicitOwner() && !entry.isOwnedByReaders()
                ? entry.holder.substring(1)
                : String.join(", ", instances(entry));
    }

    private static List<String> instances(LeaseEntry entry) {
        return entry.hasExplicitOwner()
                ? entry.holds.stream().map(LeaseServer::instanceOf).distinct().toList()
                : List.of(instanceOf(entry.holder));
    }

    synchronized @Nullable LeaseEntry entry(String name) {
        return entries.get(name);
    }

    /** Forgets everything, as after a restart without persistence. */
    synchronized void forgetAll() {
        entries.clear();
        kept.clear();
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
        kept.values().removeIf(each -> each.expireAt() - now <= 0);
    }
}
