/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this instance that share locks with other readers, or wait for that. Each of them has a
 * {@link NamedLock} and a lease of its own, since readers come and go in any order. This class finds the holds that a
 * caller may re-enter; all else goes through the {@link LockRegistry}. Thread-safe; calls nothing but the locks.
 */
final class Readers {

    private final SetsByName<NamedLock> byName = new SetsByName<>();

    /** Whether its caller shares the lock with other readers. */
    static boolean isReader(NamedLock lock) {
        return LeaseStore.READERS.equals(lock.owner);
    }

    void add(NamedLock reader) {
        byName.add(reader.name, reader);
    }

    void remove(NamedLock reader) {
        byName.remove(reader.name, reader);
    }

    /** All readers of that name; most of them may not hold it. */
    Set<NamedLock> of(String name) {
        return byName.of(name);
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

    /** The lock that the caller holds already, in a way that refuses its request. */
    record Refused(NamedLock held, AcquireResult why) {}

    /**
     * Finds out whether a caller must not wait, since it would wait for itself: it reads the lock and requests it
     * exclusively, or it holds the lock in any mode and its request as a reader is not re-entrant.
     *
     * @param exclusive the lock of that name that callers do not share, or null
     * @return null if the caller may wait
     */
    @Nullable
    Refused refusal(
            ResolvedRequest request,
            @Nullable Object caller,
            @Nullable LockOwner enclosing,
            @Nullable NamedLock exclusive) {
        if (!LeaseStore.READERS.equals(request.owner())) {
            return refusedAsReader(request.name(), caller, enclosing, new AcquireResult.UpgradeRefused());
        }
        if (request.reentrant()) {
            return null;
        }
        AcquireResult why = new AcquireResult.ReentryRefused();
        return exclusive != null && exclusive.isHeldBy(caller, enclosing)
                ? new Refused(exclusive, why)
                : refusedAsReader(request.name(), caller, enclosing, why);
    }

    private @Nullable Refused refusedAsReader(
            String name, @Nullable Object caller, @Nullable LockOwner enclosing, AcquireResult why) {
        if (byName.isEmpty()) {
            return null;
        }
        for (NamedLock reader : of(name)) {
            if (reader.isHeldBy(caller, enclosing)) {
                return new Refused(reader, why);
            }
        }
        return null;
    }
}
