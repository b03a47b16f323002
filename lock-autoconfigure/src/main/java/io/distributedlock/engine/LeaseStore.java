/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Port to what all instances share. No method blocks. A command fails with {@link LeaseStoreException}; cancelling it
 * means that nobody waits for the answer any more, not that the command is undone. Time-outs are the engine's business.
 * The two commands of every lock and unlock tell their answer to a {@link Reply}; all others give a future.
 *
 * <p>Every acquisition has an id that nobody outside this instance can guess. All commands are idempotent per id.
 */
public interface LeaseStore {

    /** Stands for the owner of a lock that readers have together. No explicit owner is blank. */
    String READERS = "";

    /**
     * Takes the lock, or says who is in the way, and queues if asked. The same id again gets the same token; that of a
     * reader may get a higher one.
     */
    Sent acquire(AcquireCommand command, Reply<AcquireReply> to);

    /** Gives back whatever the id has, the lock or a place in the queue. A free lock goes to the head of the queue. */
    Sent release(ReleaseCommand command, Reply<ReleaseReply> to);

    /** Extends leases that are still owned; creates nothing. Answers in the order of the commands. */
    CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands);

    /** How many renewals one call of {@link #renew} may have. */
    default int maxRenewals() {
        return Integer.MAX_VALUE;
    }

    CompletableFuture<Optional<LockState>> inspect(String name);

    /** Gives back one hold of an explicit owner. */
    CompletableFuture<ReleaseResult> releaseOwner(String name, String owner, long floor);

    /** Takes the lock from its holder, and tells that instance. False if nobody had it. */
    CompletableFuture<Boolean> forceRelease(String name, long floor);

    /** Completes when commands can be sent; already complete if they can. */
    CompletableFuture<Void> ready();

    /**
     * The number of a new acquisition of that lock. The store may put into it where messages for the acquisition go.
     *
     * @param counter different for each acquisition of this instance
     */
    default long number(String name, long counter) {
        return counter;
    }

    /**
     * Whether messages for that acquisition do not arrive any more, since the lock is in another part of the store now.
     * An acquisition that waits then needs a new number.
     */
    default boolean isOutOfReach(String name, long number) {
        return false;
    }

    /**
     * Whether messages about that lock arrive at this moment, as far as is known. If not, an acquisition that waits has
     * to ask often.
     */
    default boolean hears(String name) {
        return true;
    }

    /** The part of the store that has the lock now. One part can fail while the others work. */
    default Object shard(String name) {
        return "";
    }

    /** Why commands cannot be sent, or null if they can, or if nobody knows. */
    default @Nullable Throwable lastFailure() {
        return null;
    }

    /** Whom to tell what comes in. Set once, before the first command. */
    void listen(Listener listener);

    /** Where the answer to a command goes. */
    interface Reply<T> {

        /**
         * Called once, on any thread, and perhaps before the call returns that sends the command. Never blocks.
         *
         * @param reply the answer, or null if there is none
         * @param failure why there is none, or null
         */
        void answered(@Nullable T reply, @Nullable Throwable failure);
    }

    /** A command that was given to the store. */
    interface Sent {

        /** Nobody waits for the answer any more. If the command was not sent yet, it never will be. */
        void cancel();
    }

    /** What the store tells without being asked. Called on the store's threads; never blocks. */
    interface Listener {

        /** The lock was handed to a waiting acquisition. Only a hint: it may be late or doubled. */
        void granted(String name, long number, long token, long leaseMillis, int waiting);

        /** The waiting acquisition has come near the head of the line. Only a hint, too. */
        void near(String name, long number);

        /** Another instance began to wait for a lock that the acquisition holds. */
        void recalled(String name, long number);

        /** The lock was taken away from the acquisition. */
        void revoked(String name, long number);

        /**
         * The clock that tokens are taken from was set back.
         *
         * @param name the lock whose token showed it
         * @param by how far at least
         */
        void serverClockSetBack(String name, Duration by);

        /** Commands can be sent again, or messages may have been missed. */
        void connected();

        /** As {@link #connected()}, for some of the names. */
        default void connected(Predicate<String> names) {
            connected();
        }

        /** The names in use now, for a store that cannot read a name from a key. */
        Iterable<String> names();
    }

    /**
     * @param floor the highest token that this instance has seen
     * @param queue whether to queue if it is busy
     * @param owner the explicit owner, {@link #READERS}, or null
     * @param reentrant whether the explicit owner may acquire it again; true for readers
     * @param companion the number of a reader of this instance that entered when this one waited for the same turn: as
     *     long as it holds the lock, this one may join, whoever waits; 0 for none
     */
    record AcquireCommand(
            String name,
            long number,
            long leaseMillis,
            long floor,
            boolean queue,
            @Nullable String owner,
            boolean reentrant,
            long companion) {}

    /** The answer to {@link #acquire}. */
    sealed interface AcquireReply {

        /** @param waiting how many acquisitions of others wait */
        record Granted(long token, int waiting) implements AcquireReply {}

        /**
         * @param ttlMillis what is left of the holder's lease
         * @param queued whether the id waits in the queue now
         * @param token the holder's token
         * @param ahead how many wait before the id, at most; all who wait if it is not queued
         * @param waiting how many acquisitions wait, that of the id included if it is queued
         */
        record Busy(long ttlMillis, boolean queued, long token, int ahead, int waiting) implements AcquireReply {}

        /** The explicit owner holds it already, and the command was not re-entrant. */
        record ReentryRefused(long token) implements AcquireReply {}

        /** The id was cancelled before; it can never win again. */
        record Cancelled() implements AcquireReply {}
    }

    /**
     * @param floor the highest token that this instance has seen, that of the latest local hold included
     * @param requeue an acquisition that queues in the same step if the lock was still owned, or null
     * @param tombstoneMillis for how long the id is refused if it turns up again; 0 if it cannot
     */
    record ReleaseCommand(
            String name, long number, long floor, @Nullable Requeue requeue, long tombstoneMillis) {}

    /** Who queues again in a release. */
    record Requeue(long number, long leaseMillis) {}

    /**
     * The answer to {@link #release}.
     *
     * @param token the highest token known of this lock, or 0
     * @param requeued what became of {@link ReleaseCommand#requeue()}; null if there was none or the lock was not owned
     */
    record ReleaseReply(
            Outcome outcome, long token, @Nullable AcquireReply requeued) {

        /** What the release changed. */
        public enum Outcome {
            /** The lock is free. */
            RELEASED,
            /** The lock went to the first one who waited. */
            TRANSFERRED,
            /** One hold less of an explicit owner who has more. */
            STILL_HELD,
            /** It did not own the lock, but waited, and does no longer. */
            LEFT_QUEUE,
            /** Nobody owns the lock. */
            NOT_HELD,
            /** Another caller owns the lock. */
            NOT_YOURS
        }
    }

    /**
     * @param token the token of the latest local hold
     * @param mayShorten whether the lease may end earlier than before; never done to an explicit owner's
     */
    record RenewCommand(String name, long number, long leaseMillis, long token, boolean mayShorten) {}

    /**
     * @param renewed whether it was still owned
     * @param waiting how many acquisitions of others wait
     */
    record RenewReply(boolean renewed, long token, int waiting) {}
}
