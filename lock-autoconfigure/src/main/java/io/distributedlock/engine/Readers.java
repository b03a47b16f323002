/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this instance that share locks with other readers, or wait for that. Each of them has a
 * {@link NamedLock} and a lease of its own, since readers come and go in any order. This class finds the holds that a
 * caller may re-enter; all else goes through the {@link LockRegistry}. Thread-safe; calls nothing but the locks.
 */
final class Readers {

    private final ConcurrentHashMap<String, Set<NamedLock>> byName = new ConcurrentHashMap<>();

    /** Whether its caller shares the lock with other readers. */
    static boolean isReader(NamedLock lock) {
        return LeaseStore.READERS.equals(lock.owner);
    }

    void add(NamedLock reader) {
        LockRegistry.add(byName, reader.name, reader);
    }

    void remove(NamedLock reader) {
        LockRegistry.remove(byName, reader.name, reader);
    }

    /** All readers of that name; most of them may not hold it. */
    Set<NamedLock> of(String name) {
        return byName.getOrDefault(name, Set.of());
    }

    /** The fast path into a lock that the caller already reads; null if it does not. */
    @Nullable
    LockHandle reenter(String name, Object caller, @Nullable LockOwner enclosing) {
        for (NamedLock reader : of(name)) {
            LockHandle nested = reader.reenter(caller, enclosing);
            if (nested != null) {
                return nested;
            }
        }
        return null;
    }

    /**
     * Decides at once about a caller that must not wait, since it would wait for itself: it reads the lock and requests
     * it exclusively, or it holds the lock in any mode and its request is not re-entrant.
     *
     * @param exclusive the lock of that name that callers do not share, or null
     */
    boolean refuses(Waiter waiter, @Nullable NamedLock exclusive) {
        String owner = waiter.terms.owner();
        if (LeaseStore.READERS.equals(owner)) {
            return !waiter.terms.reentrant()
                    && ((isHeld(exclusive, waiter) && refuse(waiter, exclusive, new AcquireResult.ReentryRefused()))
                            || refuseIfItReads(waiter, new AcquireResult.ReentryRefused()));
        }
        return !byName.isEmpty() && refuseIfItReads(waiter, new AcquireResult.UpgradeRefused());
    }

    private boolean refuseIfItReads(Waiter waiter, AcquireResult refusal) {
        for (NamedLock reader : of(waiter.terms.name())) {
            if (isHeld(reader, waiter)) {
                return refuse(waiter, reader, refusal);
            }
        }
        return false;
    }

    private static boolean isHeld(@Nullable NamedLock lock, Waiter caller) {
        boolean[] held = new boolean[1];
        if (lock != null) {
            lock.look((hold, waiters, now) ->
                    held[0] = hold != null && hold.isHeld(now) && hold.admits(caller.owner, caller.enclosing));
        }
        return held[0];
    }

    private static boolean refuse(Waiter waiter, @Nullable NamedLock held, AcquireResult refusal) {
        if (held != null) {
            waiter.standsIn(held);
        }
        waiter.decide(refusal);
        return true;
    }
}
