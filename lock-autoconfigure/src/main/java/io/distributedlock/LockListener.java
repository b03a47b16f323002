/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Receives the result of each acquisition and of each command to Redis, for metrics. All methods are called outside the
 * monitors of the locks. They must be safe for use by several threads, and must not block or wait:
 * {@link #commandCompleted} and {@link #renewed} may run on threads of the network or on the timer thread, which renews
 * all leases. An exception of a listener is logged and has no other effect. Durations are in nanoseconds.
 *
 * @since 0.1.0
 */
public interface LockListener {

    /**
     * A caller requests a lock that it does not hold yet. Runs in the thread of the caller. A request for several names
     * is one acquisition for each name.
     *
     * @param lockName the requested name; it contains the key, so do not use it as a tag of a metric
     * @param origin the origin of the request, {@link LockOrigin#NONE} if it has none
     * @return the listener of this acquisition, or null for none
     */
    @Nullable
    Attempt requested(String lockName, LockOrigin origin);

    /**
     * A caller has re-entered a lock that it holds, without a command to Redis. Runs in the thread of the caller.
     *
     * @param lockName the requested name
     * @param origin the origin of the inner request
     */
    void reentered(String lockName, LockOrigin origin);

    /**
     * A hold was lost. Runs on a thread for listeners. If the release detects the loss, it runs in the thread that
     * closes the handle, or, with {@link LockHandle#closeAsync()}, on the thread that completes the stage.
     *
     * @param lockName the name of the lock
     * @param origin the origin of the request that acquired the hold
     * @param loss why it was lost
     */
    void lost(String lockName, LockOrigin origin, Loss loss);

    /**
     * The reply to a command has arrived, the command has failed, or the wait for its reply has ended. A batch of
     * renewals is one command, and the first of its renewals that gets no reply in time ends it.
     *
     * @param command the command
     * @param outcome {@link CommandOutcome#OK} for any reply that is no error, also if it says that the lock is busy
     * @param nanos the time since the command was sent, in nanoseconds
     */
    void commandCompleted(Command command, CommandOutcome outcome, long nanos);

    /**
     * A renewal of one hold has ended, or its reply is overdue. Called after {@link #commandCompleted} for its batch.
     *
     * @param result the outcome; after {@link Renewal#FAILED} the hold lasts until its lease ends, and the renewal is
     *     repeated until then
     */
    void renewed(Renewal result);

    /**
     * Several listeners as one, such as all those of an application context for a {@code RedisLockTemplate} that the
     * application creates. A failure of one does not affect the others.
     *
     * @param listeners the listeners, in the order of their calls
     * @return the listener, null if the list is empty
     */
    static @Nullable LockListener allOf(List<LockListener> listeners) {
        return CompositeLockListener.of(listeners);
    }

    /** One acquisition. Its methods are called one after the other, each at most once. */
    interface Attempt {

        /**
         * The caller has the lock.
         *
         * @param path how it has acquired the lock; after {@link Path#RE_ENTERED}, {@link #ended} is not called
         * @param waited the time since the request, in nanoseconds
         */
        void acquired(Path path, long waited);

        /**
         * The caller does not get the lock. The last call.
         *
         * @param refusal the reason
         * @param waited the time since the request, in nanoseconds
         */
        void refused(Refusal refusal, long waited);

        /**
         * The hold has ended, by a release or by a loss. The last call.
         *
         * @param end how it has ended
         * @param held the time since the grant, in nanoseconds
         */
        void ended(End end, long held);

        /**
         * The id of the trace that the caller was in, or null if it is not known. Runs once, in the thread of the
         * caller, directly after {@link LockListener#requested}.
         *
         * @return the id, null by default
         */
        default @Nullable String traceId() {
            return null;
        }
    }

    /** A value of a tag. */
    interface Tag {

        /** {@return the name of the constant} */
        String name();

        /** {@return the value in metrics: the name in lower case, with hyphens instead of underscores} */
        default String value() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** How a caller acquired the lock. */
    enum Path implements Tag {
        /**
         * The first reply of Redis granted it: the lock was free, or its holds admit the caller, which is an explicit
         * owner that holds it already, or a reader that joins others.
         */
        FREE,
        /** Local hand-over from the previous caller of the same instance. */
        LOCAL,
        /** Hand-over from another instance, by a message. */
        TRANSFERRED,
        /**
         * The caller waited, and the reply to a later request granted the lock: a message was lost, a lease had ended,
         * or another reader or the same explicit owner has entered before.
         */
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
        /** Acquires a lock, or joins its line; also each repetition while the caller waits. */
        ACQUIRE,
        /** Releases a lock, or hands it over; also the cancellation of an acquisition. */
        RELEASE,
        /** Renews a batch of leases. */
        RENEW
    }

    /** The outcome of a command. */
    enum CommandOutcome implements Tag {
        /** Redis has executed it. */
        OK,
        /**
         * A retry would fail as well: Redis returned an error, or too few replicas confirmed the command. Redis may
         * have executed it, or a part of it.
         */
        REFUSED,
        /**
         * The command was not executed, but a retry may be: there was no connection, or Redis returned a temporary
         * error such as {@code READONLY}, {@code MISCONF}, {@code BUSY} or {@code MOVED}.
         */
        NOT_SENT,
        /** There was no reply, so it is unknown whether the command was executed. */
        UNKNOWN
    }

    /** The outcome of a renewal. */
    enum Renewal implements Tag {
        /** The hold has its full lease again. */
        RENEWED,
        /** The lock no longer existed, or had another owner. */
        LOST,
        /** There was no reply in time, or Redis returned an error. */
        FAILED
    }
}
