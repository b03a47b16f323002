/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.composite.StageFailures;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** The effect of a failed command to the store. A failure without this information counts as unknown. */
final class StoreFailures {

    private StoreFailures() {}

    static Throwable unwrap(@Nullable Throwable failure) {
        Throwable bare = StageFailures.unwrap(failure);
        return bare == null || bare instanceof CancellationException ? unknown("the command was cancelled") : bare;
    }

    /** Whether a retry would fail as well. */
    static boolean isRefused(@Nullable Throwable failure) {
        Effect effect = effectOf(failure);
        return effect == Effect.REFUSED || effect == Effect.UNCONFIRMED || effect == Effect.PARTIAL;
    }

    /** Whether the store has certainly not executed it, not even in part. */
    static boolean hasNoEffect(@Nullable Throwable failure) {
        Effect effect = effectOf(failure);
        return effect == Effect.REFUSED || effect == Effect.NOT_EXECUTED;
    }

    /** Whether it has acquired something that must be released. */
    static boolean isUnconfirmed(@Nullable Throwable failure) {
        return effectOf(failure) == Effect.UNCONFIRMED;
    }

    static boolean isUnknown(@Nullable Throwable failure) {
        return effectOf(failure) == Effect.UNKNOWN;
    }

    static boolean isNotExecuted(@Nullable Throwable failure) {
        return effectOf(failure) == Effect.NOT_EXECUTED;
    }

    private static @Nullable Effect effectOf(@Nullable Throwable failure) {
        if (failure == null) {
            return null;
        }
        return unwrap(failure) instanceof LeaseStoreException known ? known.effect() : Effect.UNKNOWN;
    }

    /** For people: some exceptions have no message, such as that of a closed channel. */
    static String message(Throwable failure) {
        String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }

    static LeaseStoreException noReply(long timeoutNanos) {
        return unknown("no reply within " + timeoutNanos / 1_000_000 + " ms");
    }

    static LeaseStoreException tooLate(long leaseNanos) {
        return unknown("the reply took longer than the lease of " + leaseNanos / 1_000_000 + " ms");
    }

    static LeaseStoreException overtaken() {
        return unknown("the lease was shortened before the reply arrived");
    }

    private static LeaseStoreException unknown(String message) {
        return new LeaseStoreException(Effect.UNKNOWN, message, null);
    }
}
