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
 * The locks that callers of this instance hold or wait for, or whose lease it retains, the releases under way, and the
 * minimums of closed holds. It keeps no other entry for a name that is not in use.
 */
final class LockRegistry implements LeaseStore.Listener {

    private static final int REQUESTS_AT_ONCE = 32;

    private static final long SPREAD_EACH_NANOS = 200_000;

    private static final long LONGEST_SPREAD_NANOS = 1_000_000_000;

    private final EngineContext engine;

    private final ConcurrentHashMap<String, NamedLock> named = new ConcurrentHashMap<>();

    /** One for each acquisition of an explicit owner or reader, by name: the store counts these, not this instance. */
    private final ConcurrentHashMap<String, Set<NamedLock>> owned = new ConcurrentHashMap<>();

    private final Readers readers = new Readers();

    private final ConcurrentHashMap<String, Set<PendingRelease>> pendingReleases = new ConcurrentHashMap<>();

    private final ConcurrentHashMap<String, KeptMinimum> minimums = new ConcurrentHashMap<>();

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
        String owner = waiter.terms.owner();
        String name = waiter.terms.name();
        Readers.Refused refused =
                readers.refusal(waiter.terms, waiter.owner, waiter.enclosing, owner == null ? null : named.get(name));
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
                add(owned, name, lock);
                recallHere(name, !waiter.terms.triesOnce());
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
    AcquireResult refusal(ResolvedRequest terms, @Nullable Object caller, @Nullable LockOwner enclosing) {
        String owner = terms.owner();
        NamedLock known = named.get(terms.name());
        Readers.Refused refused = readers.refusal(terms, caller, enclosing, known);
        // Readers have one owner together, so a hold of that owner may be another caller's.
        if (refused != null || terms.reentrant() || LeaseStore.READERS.equals(owner)) {
            return refused == null ? null : refused.why();
        }
        boolean held = owner == null
                ? known != null && known.isHeldBy(caller, enclosing)
                : owned.getOrDefault(terms.name(), Set.of()).stream().anyMatch(lock -> lock.isHeldByOwner(owner));
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
            remove(owned, lock.name, lock);
            if (Readers.isReader(lock)) {
                readers.remove(lock);
            }
        }
    }

    static <T> void add(ConcurrentHashMap<String, Set<T>> sets, String name, T added) {
        sets.compute(name, (n, known) -> {
            Set<T> all = known == null ? ConcurrentHashMap.newKeySet() : known;
            all.add(added);
            return all;
        });
    }

    static <T> void remove(ConcurrentHashMap<String, Set<T>> sets, String name, T removed) {
        sets.computeIfPresent(name, (n, all) -> {
            all.remove(removed);
            return all.isEmpty() ? null : all;
        });
    }

    void releaseBegun(PendingRelease release) {
        add(pendingReleases, release.name, release);
    }

    void releaseEnded(PendingRelease release) {
        remove(pendingReleases, release.name, release);
        NamedLock next = named.get(release.name);
        if (next != null) {
            next.releaseEnded();
        }
        signal();
    }

    /** The store keeps the lock of a closed hold until that time. */
    void keepsMinimum(String name, long number, KeptMinimum.Terms terms) {
        KeptMinimum kept = new KeptMinimum(this, name, number, terms);
        // First the entry, then the timer that removes it.
        KeptMinimum before = minimums.put(name, kept);
        engine.arm(kept, terms.until());
        if (before != null) {
            engine.disarm(before);
        }
    }

    void minimumEnded(KeptMinimum kept) {
        if (minimums.remove(kept.name, kept) && kept.terms.mayBeLengthened()) {
            PendingRelease end = strayRelease(kept.name, kept.number, kept.terms.leaseNanos());
            end.register();
            end.start();
        }
    }

    /** Of an acquisition for which no caller is here any more. */
    private PendingRelease strayRelease(String name, long number, long lease) {
        NamedLock stray = new NamedLock(engine, name, null);
        return new PendingRelease(stray, number, lease, engine.now() + lease, false, null);
    }

    private @Nullable KeptMinimum kept(String name, long number) {
        KeptMinimum kept = minimums.get(name);
        return kept != null && kept.number == number ? kept : null;
    }

    /** Whether a release of that name is under way that had begun by that time. */
    boolean isReleasingSince(String name, long time) {
        return pendingReleases.getOrDefault(name, Set.of()).stream().anyMatch(release -> release.hasBegunBy(time));
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
        return named.size() + owned.values().stream().mapToInt(Set::size).sum();
    }

    // ---- messages of the store

    @Override
    public void granted(String name, long number, long token, long leaseMillis, int waiting) {
        boolean known = deliver(name, lock -> lock.granted(number, token, leaseMillis, waiting));
        if (!known && !isReleasing(name, number)) {
            // No caller waits for it any more, and the cancellation did not arrive in time. Or the hold is over, since
            // the reply to another request came before the message: then its minimum stays, even if a confirmation of
            // the message has lengthened the lease.
            PendingRelease back = strayRelease(name, number, leaseMillis * 1_000_000);
            KeptMinimum kept = kept(name, number);
            if (kept != null) {
                back.keeping(kept.terms.until(), Math.max(kept.terms.token(), token), true);
            }
            back.register();
            back.start();
        }
    }

    private boolean isReleasing(String name, long number) {
        return pendingReleases.getOrDefault(name, Set.of()).stream().anyMatch(release -> release.isFor(number));
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
    public void requestAgain(String name) {
        Optional.ofNullable(named.get(name)).ifPresent(lock -> lock.connected(0));
        forEachOwned(name, lock -> lock.connected(0));
    }

    @Override
    public void connected() {
        connected(name -> true);
    }

    @Override
    public void connected(Predicate<String> names) {
        long spread = spreadOf(size());
        pendingReleases.forEach((name, all) -> {
            if (names.test(name)) {
                all.forEach(release -> release.retry(delay(spread)));
            }
        });
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
        names.addAll(owned.keySet());
        return names;
    }

    /** Notifies those of that name until one of them knows the acquisition. */
    private boolean deliver(String name, Predicate<NamedLock> message) {
        NamedLock lock = named.get(name);
        if (lock != null && message.test(lock)) {
            return true;
        }
        for (NamedLock candidate : owned.getOrDefault(name, Set.of())) {
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
        owned.getOrDefault(name, Set.of()).forEach(action);
    }

    void forEach(Consumer<NamedLock> action) {
        named.values().forEach(action);
        owned.values().forEach(all -> all.forEach(action));
    }

    // ---- the end

    /**
     * Refuses waiters and releases retained leases, waits for holds within the grace, then for the releases under way.
     */
    void drain(Duration grace, Duration farewell) {
        forEach(NamedLock::refuseWaiters);
        engine.lockLog().waitsForHolds(grace, namesInUse());
        await(grace, () -> size() == 0);
        engine.lockLog().tookAway(namesInUse());
        forEach(NamedLock::terminate);
        await(farewell, pendingReleases::isEmpty);
        pendingReleases.values().forEach(all -> all.forEach(PendingRelease::endUnanswered));
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
