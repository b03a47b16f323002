/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Is told what becomes of each acquisition and of each command to Redis, to measure them. All methods are called
 * outside of the monitors of the locks. They must be safe for use by several threads, and neither block nor wait: those
 * that are not about a caller run on threads of the network. What they throw is logged and changes nothing. Durations
 * are in nanoseconds.
 */
public interface LockListener {

    /**
     * A caller asks for a lock, and does not hold it yet. Runs in the thread of the caller.
     *
     * @return what is told how it goes on, or null if nothing is to be told
     */
    @Nullable
    Attempt requested(String lockName, LockOrigin origin);

    /** A caller has entered again what it holds. Runs in the thread of the caller. */
    void reentered(String lockName, LockOrigin origin);

    /** A hold was lost. Runs on a thread for listeners. */
    void lost(String lockName, LockOrigin origin, Loss loss);

    /** A command was answered, or failed. A batch of renewals is one command. */
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

        /** The id of the trace that the caller was in, or null if it is not known. */
        default @Nullable String traceId() {
            return null;
        }
    }

    /** A value of a tag. */
    interface Tag {

        /** The name of the constant. */
        String name();

        /** The value as metrics have it: in lower case, with hyphens. */
        default String value() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** How a caller has got the lock. */
    enum Path implements Tag {
        /** The lock was free, as the first answer of Redis says. */
        FREE,
        /** The caller before it in the same instance passed it on. */
        LOCAL,
        /** The instance before it passed it on, by a message. */
        TRANSFERRED,
        /** This instance waited in Redis, and found by a question that it was its turn. */
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
        /** The same, and the caller leaves its work out. */
        SKIPPED,
        /** Others wait for the caller, and the caller for them, so its wait was ended. */
        DEADLOCK,
        /** Redis could not be asked, or too many wait already, or the instance stops. */
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
        /** The holder gave it back. */
        RELEASED,
        /** The holder gave it back, but Redis has not confirmed that. */
        UNCONFIRMED,
        /** It was over before. */
        LOST
    }

    /** Why a hold was lost. */
    enum Loss implements Tag {
        /** Its lease ran out without being renewed. */
        EXPIRED,
        /** It reached its greatest age. */
        MAX_HOLD,
        /** It was taken away by a forced release, or its explicit owner gave it back elsewhere. */
        REVOKED,
        /** Redis had it no longer, or another holder had it. */
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

    /** What came of a command. */
    enum Answer implements Tag {
        OK,
        /** Redis answered with an error, so that it has not done it. */
        REFUSED,
        /** There was no connection, so that it was not sent. */
        NOT_SENT,
        /** There was no answer, so that it is not known whether it was done. */
        UNKNOWN
    }

    /** What came of a renewal. */
    enum Renewal implements Tag {
        RENEWED,
        /** The lock was not there any more, or had another owner. */
        LOST,
        /** There was no answer. */
        FAILED
    }
}
