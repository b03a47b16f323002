/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/** The failure of an acquisition of several locks, one of which was lost before the last one was granted. */
public final class LostPart {

    private LostPart() {}

    /** Describes why that lock was lost; null if it was not. */
    public static @Nullable LockUnavailableException failure(LockHandle part) {
        try {
            part.throwIfLost();
            return null;
        } catch (LockLostException ex) {
            return new LockUnavailableException(
                    ex.lockName(),
                    ex.getMessage() + ", while the caller waited for the other locks of its request; none of them is"
                            + " held",
                    ex);
        }
    }

    /** The same for the first one that was lost; null if none was. */
    public static @Nullable LockUnavailableException first(Iterable<? extends LockHandle> parts) {
        for (LockHandle part : parts) {
            LockUnavailableException failure = failure(part);
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    /** @throws LockUnavailableException if one of them was lost */
    public static void requireNone(Iterable<? extends LockHandle> parts) {
        LockUnavailableException failure = first(parts);
        if (failure != null) {
            throw failure;
        }
    }
}
