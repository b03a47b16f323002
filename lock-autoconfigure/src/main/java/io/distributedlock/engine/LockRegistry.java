/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockActivity;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
import io.distributedlock.ServerClockSetBackEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The locks that callers of this instance hold or wait for, or whose lease it retains. It has no entry for a name that
 * is not in use; {@link PendingReleases} has what the store may still have of those.
 */
final class LockRegistry implements LeaseStore.Listener {

    private static final int REQUESTS_AT_ONCE = 32;

    private static final long SPREAD_EACH_NANOS = 200_000;

    private static final long LONGEST_SPREAD_NANOS = 1_000_000_000;

    private final EngineContext engine;

    private final ConcurrentHashMap<String, NamedLock> named = new ConcurrentHashMap<>();

    /** One for each acquisition of an explicit owner or reader, by name: the store counts these, not this instance. */
    private final SetsByName<NamedLock> owned = new SetsByName<>();

    private final Readers readers = new Readers();

    private final QueuedOwners ownersInLine = new QueuedOwners();

    private final ReentrantLock draining = new ReentrantLock();

    private final Condition lessInUse = draining.newCondition();

    LockRegistry(EngineContext engine) {
        this.engine = engine;
    }

    /** A failure of this method is the result of the waiter. */
    void enqueue(Waiter waiter) {
        try {
            enqueueIn(waiter);
        } catch (RuntimeException | Error ex) {
            waiter.fail(ex);
        }
    }

    private void enqueueIn(Waiter waiter) {
        String owner = waiter.request.owner();
        String name = waiter.request.name();
        Readers.Refused refused =
                readers.refusal(waiter.request, waiter.owner, waiter.enclosing, owner == null ? null : named.get(name));
        if (refused != null) {
            waiter.setLock(refused.held());
            waiter.decide(refused.why());
            return;
        }
        NamedLock lock;
        do {
            if (owner != null) {
                lock = new NamedLock(engine, name, owner);
                waiter.setLock(lock);
                // Before a message may find it, which may retire it.
                if (Readers.isReader(lock)) {
                    readers.add(lock);
                }
                owned.add(name, lock);
                recallHere(name, !waiter.request.triesOnce());
            } else {
                NamedLock known = named.get(name);
                lock = known != null ? known : named.computeIfAbsent(name, n -> new NamedLock(engine, n, null));
                waiter.setLock(lock);
            }
        } while (!lock.enqueue(waiter));
    }

    /**
     * The result of a caller that holds the lock already, in a way that refuses its request; null if there is no such
     * hold in this instance.
     */
    @Nullable
    AcquireResult refusal(ResolvedRequest request, @Nullable Object caller, @Nullable LockOwner enclosing) {
        String owner = request.owner();
        NamedLock known = named.get(request.name());
        Readers.Refused refused = readers.refusal(request, caller, enclosing, known);
        // Readers have one owner together, so a hold of that owner may be another caller's.
        if (refused != null || request.reentrant() || LeaseStore.READERS.equals(owner)) {
            return refused == null ? null : refused.why();
        }
        boolean held = owner == null
                ? known != null && known.isHeldBy(caller, enclosing)
                : owned.of(request.name()).stream().anyMatch(lock -> lock.isHeldByOwner(owner));
        return held ? new AcquireResult.ReentryRefused() : null;
    }

    /**
     * The store recalls from other instances only; this recalls a lease that threads of this instance hold or retain.
     */
    void recallHere(String name, boolean waits) {
        NamedLock known = named.get(name);
        if (known != null) {
            known.recalledHere(waits);
        }
    }

    /**
     * The fast path into a lock that the owner holds; null if it does not.
     *
     * @param shared whether a hold as one of its readers is sufficient
     */
    @Nullable
    LockHandle reenter(String name, Object owner, @Nullable LockOwner enclosing, boolean shared) {
        NamedLock known = named.get(name);
        LockHandle nested = known == null ? null : known.reenter(owner, enclosing);
        return nested == null && shared ? readers.reenter(name, owner, enclosing) : nested;
    }

    Readers readers() {
        return readers;
    }

    QueuedOwners ownersInLine() {
        return ownersInLine;
    }

    void retired(NamedLock lock) {
        if (lock.owner == null) {
            named.remove(lock.name, lock);
        } else {
            owned.remove(lock.name, lock);
            if (Readers.isReader(lock)) {
                readers.remove(lock);
            }
        }
    }

    /** Removes it first, since a request of the lock may wait for its end, and a closing engine for the last one. */
    void releaseEnded(PendingRelease release) {
        engine.releases().ended(release);
        NamedLock next = named.get(release.name);
        if (next != null) {
            next.releaseEnded();
        }
        signal();
    }

    /** Whether the store has the lock under this token, no caller holds it, and this instance retains its lease. */
    boolean isRetained(String name, long inStore) {
        NamedLock known = named.get(name);
        return known != null && known.isRetained(inStore);
    }

    /** See {@link Ownership#tokenOfHold}. */
    long tokenOfHold(String name, long inStore) {
        NamedLock known = named.get(name);
        return known == null ? inStore : known.tokenOfHold(inStore);
    }

    /** The number of names that are held, waited for or retained. */
    int size() {
        return named.size() + owned.size();
    }

    // ---- messages of the store

    @Override
    public void granted(String name, long number, long token, long leaseMillis, int waiting) {
        boolean known = deliver(name, lock -> lock.granted(number, token, leaseMillis, waiting));
        if (!known) {
            engine.releases().granted(name, number, token, leaseMillis * 1_000_000);
        }
    }

    @Override
    public void near(String name, long number) {
        deliver(name, lock -> lock.near(number));
    }

    @Override
    public void recalled(String name, long number) {
        deliver(name, lock -> lock.recalled(number));
    }

    @Override
    public void serverClockSetBack(String name, Duration by) {
        engine.events().serverClockSetBack(new ServerClockSetBackEvent(name, by));
    }

    @Override
    public void revoked(String name, long number) {
        deliver(name, lock -> lock.revoked(number));
    }

    /**
     * Revokes, when it is run, the present leases of this instance, as the message of the store does, which arrives on
     * another connection than the reply to a forced release. A lease that comes later is not affected.
     *
     * @param owner whose leases are meant, or null for all
     */
    Runnable revocation(String name, @Nullable String owner) {
        List<Runnable> all = new ArrayList<>();
        Consumer<NamedLock> add = lock -> all.add(lock.revocation());
        if (owner == null) {
            Optional.ofNullable(named.get(name)).ifPresent(add);
        }
        forEachOwned(name, lock -> {
            if (owner == null || lock.isOf(owner)) {
                add.accept(lock);
            }
        });
        return () -> all.forEach(Runnable::run);
    }

    @Override
    public void requestAgain(String name, long number) {
        deliver(name, lock -> lock.requestAgain(number));
    }

    @Override
    public void connected() {
        connected(name -> true);
    }

    @Override
    public void connected(Predicate<String> names) {
        long spread = spreadOf(size());
        engine.releases().retryAll(names, () -> delay(spread));
        forEach(lock -> {
            if (names.test(lock.name)) {
                lock.connected(delay(spread));
            }
        });
    }

    /** A few may send requests at once. Many would only delay each other and new callers. */
    private static long spreadOf(int size) {
        return size <= REQUESTS_AT_ONCE ? 0 : Math.min(size * SPREAD_EACH_NANOS, LONGEST_SPREAD_NANOS);
    }

    private long delay(long spread) {
        return spread == 0 ? 0 : engine.random(spread);
    }

    @Override
    public Iterable<String> names() {
        return namesInUse();
    }

    private List<String> namesInUse() {
        List<String> names = new ArrayList<>(named.keySet());
        names.addAll(owned.names());
        return names;
    }

    /** Notifies those of that name until one of them knows the acquisition. */
    private boolean deliver(String name, Predicate<NamedLock> message) {
        NamedLock lock = named.get(name);
        if (lock != null && message.test(lock)) {
            return true;
        }
        for (NamedLock candidate : owned.of(name)) {
            if (message.test(candidate)) {
                return true;
            }
        }
        return false;
    }

    /** Callers of one name may have separate objects: the threads together, each explicit owner, each reader. */
    void describe(String instance, List<LockActivity.Held> held, List<LockActivity.Waiting> waiting) {
        Set<String> taken = new HashSet<>();
        forEach(lock -> lock.look((hold, waiters, now) -> {
            if (hold != null) {
                taken.add(lock.name);
                if (hold.isHeld(now)) {
                    held.add(lock.describeHold(hold, now));
                }
            }
        }));
        Map<String, Integer> counts = new HashMap<>();
        forEach(lock -> lock.look((hold, waiters, now) -> {
            for (Waiter waiter = waiters.first(); waiter != null; waiter = waiter.next) {
                waiting.add(waiter.describe(now, taken.contains(lock.name) ? instance : null));
                counts.merge(lock.name, 1, Integer::sum);
            }
        }));
        held.replaceAll(each -> each.withWaiters(counts.getOrDefault(each.name(), 0)));
    }

    /** How many callers wait for the lock: those of threads, of explicit owners, and readers. */
    int waiters(String name) {
        int[] count = new int[1];
        NamedLock.Look look = (hold, waiters, now) -> count[0] += waiters.size();
        NamedLock ofThreads = find(name);
        if (ofThreads != null) {
            ofThreads.look(look);
        }
        forEachOwned(name, lock -> lock.look(look));
        return count[0];
    }

    /** See {@link LockEngine#longestLease}. */
    long longestLease(long age) {
        long[] longest = new long[1];
        forEach(lock -> lock.look((hold, waiters, now) -> {
            if (hold != null && hold.isHeld(now) && now - hold.grantedAt >= age) {
                longest[0] = Math.max(longest[0], hold.remaining(now));
            }
        }));
        return longest[0];
    }

    /** The lock of that name that threads share, or null if it is not in use. */
    @Nullable
    NamedLock find(String name) {
        return named.get(name);
    }

    /** The acquisitions of that name by explicit owners and readers. */
    void forEachOwned(String name, Consumer<NamedLock> action) {
        owned.of(name).forEach(action);
    }

    void forEach(Consumer<NamedLock> action) {
        named.values().forEach(action);
        owned.forEach(action);
    }

    // ---- the end

    /**
     * Refuses waiters and releases retained leases, waits for holds within the grace, then for the releases under way.
     */
    void drain(Duration grace, Duration farewell) {
        try {
            forEach(NamedLock::refuseWaiters);
            engine.lockLog().waitsForHolds(grace, namesInUse());
            await(grace, () -> size() == 0);
            engine.lockLog().tookAway(namesInUse());
        } finally {
            revokeAll(farewell);
        }
    }

    private void revokeAll(Duration farewell) {
        try {
            forEach(NamedLock::terminate);
            await(farewell, engine.releases()::isEmpty);
        } finally {
            engine.releases().endUnanswered();
        }
    }

    /** Not interruptible, since holds have a right to the grace; keeps the flag. */
    private void await(Duration limit, BooleanSupplier done) {
        long end = NanoClock.SYSTEM.nanos() + ResolvedRequest.nanos(limit);
        boolean interrupted = false;
        draining.lock();
        try {
            long left = ResolvedRequest.nanos(limit);
            while (!done.getAsBoolean() && left > 0) {
                try {
                    left = lessInUse.awaitNanos(left);
                } catch (InterruptedException ex) {
                    interrupted = true;
                    left = end - NanoClock.SYSTEM.nanos();
                }
            }
        } finally {
            draining.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A hold or release that {@link #drain} waits for may have ended. */
    void signal() {
        if (engine.isClosing()) {
            draining.lock();
            try {
                lessInUse.signalAll();
            } finally {
                draining.unlock();
            }
        }
    }
}
