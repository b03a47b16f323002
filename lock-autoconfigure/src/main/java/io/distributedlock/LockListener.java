/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Receives the result of each acquisition and of each command to Redis, for metrics. All methods are called outside the
 * monitors of the locks. They must be safe for use by several threads, and must not block or wait: methods that do not
 * concern a caller run on threads of the network. An exception of a listener is logged and has no other effect.
 * Durations are in nanoseconds.
 *
 * @since 0.1.0
 */
public interface LockListener {

    /**
     * A caller requests a lock that it does not hold yet. Runs in the thread of the caller.
     *
     * @return the listener of this acquisition, or null for none
     */
    @Nullable
    Attempt requested(String lockName, LockOrigin origin);

    /** A caller has re-entered a lock that it holds. Runs in the thread of the caller. */
    void reentered(String lockName, LockOrigin origin);

    /** A hold was lost. Runs on a thread for listeners. */
    void lost(String lockName, LockOrigin origin, Loss loss);

    /** The reply to a command has arrived, or the command has failed. A batch of renewals is one command. */
    void answered(Command command, Answer answer, long nanos);

    /** A renewal has ended. */
    void renewed(Renewal result);

    /** One acquisition. Its methods are called one after the other, each at most once. */
    interface Attempt {

        /** The caller has the lock. */
        void acquired(Path path, long waited);

        /** The caller does not get the lock. The last call. */
        void refused(Refusal refusal, long waited);

        /** The hold has ended, by a release or by a loss. The last call. */
        void ended(End end, long held);

        /**
         * The id of the trace that the caller was in, or null if it is not known. Runs once, in the thread of the
         * caller, directly after {@link LockListener#requested}.
         */
        default @Nullable String traceId() {
            return null;
        }
    }

    /** A value of a tag. */
    interface Tag {

        /** The name of the constant. */
        String name();

        /** The value in metrics: in lower case, with hyphens. */
        default String value() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** How a caller acquired the lock. */
    enum Path implements Tag {
        /** The lock was free at the first reply of Redis. */
        FREE,
        /** Local hand-over from the previous caller of the same instance. */
        LOCAL,
        /** Hand-over from another instance, by a message. */
        TRANSFERRED,
        /** This instance waited in Redis, and the reply to a later request granted the lock. */
        ASKED,
        /** This instance had retained the lease. */
        RETAINED,
        /** The caller held it already. */
        RE_ENTERED
    }

    /** Why a caller did not get the lock. */
    enum Refusal implements Tag {
        /** Another caller holds it. */
        BUSY,
        /** Another caller holds it, and the caller skips its work. */
        SKIPPED,
        /** The caller was part of a deadlock, and its wait was ended. */
        DEADLOCK,
        /** Redis could not be reached, or too many callers wait, or the instance stops. */
        UNAVAILABLE,
        /** The waiting thread was interrupted. */
        INTERRUPTED,
        /** The future was cancelled. */
        CANCELLED,
        /** It was granted, but the hold was over before the caller got it. */
        LOST
    }

    /** How a hold has ended. */
    enum End implements Tag {
        /** The holder released it. */
        RELEASED,
        /** The holder released it, but Redis has not confirmed the release. */
        UNCONFIRMED,
        /** It was lost before. */
        LOST
    }

    /** Why a hold was lost. */
    enum Loss implements Tag {
        /** Its lease ended without a renewal. */
        EXPIRED,
        /** It reached its maximum hold time. */
        MAX_HOLD,
        /** It was taken away by a forced release, or released by the name of its explicit owner. */
        REVOKED,
        /** It no longer existed in Redis, or another holder had it. */
        GONE,
        /** The instance was stopped. */
        SHUTDOWN
    }

    /** A command to Redis. */
    enum Command implements Tag {
        ACQUIRE,
        RELEASE,
        RENEW
    }

    /** The outcome of a command. */
    enum Answer implements Tag {
        OK,
        /** Redis returned an error, so the command was not executed. */
        REFUSED,
        /** There was no connection, so the command was not sent. */
        NOT_SENT,
        /** There was no reply, so it is unknown whether the command was executed. */
        UNKNOWN
    }

    /** The outcome of a renewal. */
    enum Renewal implements Tag {
        RENEWED,
        /** The lock no longer existed, or had another owner. */
        LOST,
        /** There was no reply. */
        FAILED
    }
}
