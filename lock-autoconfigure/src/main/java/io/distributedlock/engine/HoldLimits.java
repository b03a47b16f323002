/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import org.jspecify.annotations.Nullable;

/** The limits of the length of a {@link Hold}. Fields that are not volatile are guarded by the {@link NamedLock}. */
final class HoldLimits {

    /** The lock must not become free earlier than this long after the grant. */
    volatile long minHold;

    /** The lease is never renewed beyond this time. */
    long renewUntil;

    /** The maximum time, if it has not begun, or else 0. */
    private long notBegun;

    /** The lease must not be renewed to end before this time, if it is later than now. */
    long extendedUntil;

    /** Whether the hold is over and its lease is retained. */
    boolean retained;

    /** Until when the lease is retained after the hold. */
    long retainedUntil;

    /** The number of extensions that have begun. */
    int extensions;

    /** The number of the latest one that has succeeded, or may have shortened the hold. */
    private int latestExtension;

    HoldLimits(long minHold, long renewUntil, long extendedUntil) {
        this.minHold = minHold;
        this.renewUntil = renewUntil;
        this.extendedUntil = extendedUntil;
    }

    /**
     * The limits that a caller has requested, or null if there are none.
     *
     * @param start from when its own lease counts if it is not renewed
     */
    static @Nullable HoldLimits of(ResolvedRequest request, long start, long now) {
        boolean limited = !request.renew() || request.maxHold() < ResolvedRequest.FOREVER || request.minHold() > 0;
        if (!limited) {
            return null;
        }
        long maxHold = request.ofSeveral() ? ResolvedRequest.FOREVER : request.maxHold();
        long renewUntil = request.renew() ? now + maxHold : start + request.lease();
        HoldLimits limits = new HoldLimits(request.minHold(), renewUntil, now);
        limits.notBegun = request.renew() && request.ofSeveral() ? request.maxHold() : 0;
        return limits;
    }

    /** An extension has succeeded. The reply to an earlier one may follow. */
    void extended(Extension extension, boolean renewed) {
        if (extension.number > latestExtension) {
            latestExtension = extension.number;
            renewUntil = renewed ? renewUntil : extension.end;
            extendedUntil = extension.end;
        }
    }

    /** An extension of a hold that is not renewed has failed, but the store may have executed it. */
    void extensionUnknown(Extension extension) {
        if (extension.number > latestExtension && extension.end - renewUntil < 0) {
            latestExtension = extension.number;
            renewUntil = extension.end;
        }
    }

    /** The other locks of the request are held too. */
    void begin(long now) {
        if (notBegun > 0) {
            renewUntil = now + notBegun;
            notBegun = 0;
        }
    }
}
