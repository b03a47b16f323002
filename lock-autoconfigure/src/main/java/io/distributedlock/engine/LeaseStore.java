/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Port to the store that all instances share. No method blocks. A command fails with {@link LeaseStoreException};
 * cancelling it means that no caller waits for the reply any more, not that the command is undone. The engine handles
 * time-outs. The two commands of every lock and unlock pass their reply to a {@link Reply}; all others return a future.
 *
 * <p>Every acquisition has an id that cannot be guessed outside this instance. All commands are idempotent per id.
 */
public interface LeaseStore {

    /** The owner of a lock that readers hold together. No explicit owner is blank. */
    String READERS = "";

    /**
     * Acquires the lock, or returns the state of a busy one, and queues on request. The same id again gets the same
     * token; that of a reader may get a higher one.
     */
    StoreCall acquire(AcquireCommand command, Reply<AcquireReply> to);

    /** Releases the lock or the place in line that the id has. A free lock goes to the head of the line. */
    StoreCall release(ReleaseCommand command, Reply<ReleaseReply> to);

    /** Extends leases that are still owned; creates nothing. The replies are in the order of the commands. */
    CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands);

    /**
     * Shortens or extends the lease of a hold that has ended, so that the lock stays taken for that time. A loss of
     * this write does no harm, so it needs no confirmation.
     */
    default CompletableFuture<RenewReply> keep(RenewCommand command) {
        return renew(List.of(command)).thenApply(replies -> replies.get(0));
    }

    /** The maximum number of renewals in one call of {@link #renew}. */
    default int maxRenewals() {
        return Integer.MAX_VALUE;
    }

    CompletableFuture<Optional<LockState>> inspect(String name);

    /** Releases one hold of an explicit owner. */
    CompletableFuture<ReleaseReply> releaseOwner(String name, String owner, long floor);

    /** Takes the lock from its holder, and notifies that instance. */
    CompletableFuture<ReleaseReply> forceRelease(String name, long floor);

    /** Completes when commands can be sent; already complete if they can. */
    CompletableFuture<Void> ready();

    /**
     * The number of a new acquisition of that lock. The store may encode in it where messages for the acquisition go.
     *
     * @param counter different for each acquisition of this instance
     */
    default long number(String name, long counter) {
        return counter;
    }

    /**
     * Whether messages for that acquisition no longer arrive, since the lock is now in another part of the store. A
     * waiting acquisition then needs a new number.
     */
    default boolean isOutOfReach(String name, long number) {
        return false;
    }

    /**
     * Whether messages about that lock arrive at this moment, as far as is known. If not, a waiting acquisition has to
     * send requests often.
     */
    default boolean receivesMessages(String name) {
        return true;
    }

    /**
     * Whether a request of this instance would get a higher token than that of this grant, since what the instance
     * knows is ahead of the clock of the store. Another instance that does not know it has handed the lock over then.
     *
     * @param floor the highest token that this instance has seen
     */
    default boolean isBelowFloor(long token, long floor) {
        return false;
    }

    /** The part of the store that has the lock now. One part can fail while the others work. */
    default Object shard(String name) {
        return "";
    }

    /**
     * What the clock shows from which the store takes the tokens of the lock, at most, in microseconds;
     * {@link Long#MAX_VALUE} if no token is known to be ahead of it. Does not block.
     */
    default long latestClock(String name) {
        return Long.MAX_VALUE;
    }

    /** All parts of the store that have locks, as {@link #shard} returns them, and their addresses for operators. */
    default Map<Object, String> shards() {
        return Map.of("", "");
    }

    /** Why commands cannot be sent, or null if they can, or if the reason is unknown. */
    default @Nullable Throwable lastFailure() {
        return null;
    }

    /** The receiver of messages. Set once, before the first command. */
    void listen(Listener listener);

    /** The receiver of the reply to a command. */
    interface Reply<T> {

        /**
         * Called once, on any thread, possibly before the call that sends the command has returned. Never blocks.
         *
         * @param reply the reply, or null if there is none
         * @param failure why there is none, or null
         */
        void replied(@Nullable T reply, @Nullable Throwable failure);
    }

    /** A command that was passed to the store. */
    interface StoreCall {

        /** No caller waits for the reply any more. If the command was not sent yet, it never will be. */
        void cancel();
    }

    /** Receives messages of the store. Called on the store's threads; never blocks. */
    interface Listener {

        /** The lock was handed over to a waiting acquisition. Only a hint: it may be late or duplicated. */
        void granted(String name, long number, long token, long leaseMillis, int waiting);

        /** The waiting acquisition has come near the head of the line. Only a hint as well. */
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

        /** The waiting acquisition has a grant that does not count: the reply to its next request says why. */
        default void requestAgain(String name, long number) {
            connected(name::equals);
        }

        /** The names in use now, for a store that cannot read a name from a key. */
        Iterable<String> names();
    }

    /**
     * @param floor the highest token that this instance has seen
     * @param queue whether to queue if the lock is busy
     * @param owner the explicit owner, {@link #READERS}, or null
     * @param reentrant whether the explicit owner may have it already; true for readers
     * @param companion the number of a reader of this instance that entered while this one waited for the same turn: as
     *     long as it holds the lock, this one may join, regardless of waiters; 0 for none
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

    /** The reply to {@link #acquire}. */
    sealed interface AcquireReply {

        /** @param waiting the number of other acquisitions that wait */
        record Granted(long token, int waiting) implements AcquireReply {}

        /**
         * @param ttlMillis the rest of the holder's lease
         * @param queued whether the id now waits in line
         * @param token the holder's token
         * @param ahead an upper bound of the waiters before the id; all waiters if it is not queued
         * @param waiting the number of waiting acquisitions, including that of the id if it is queued
         */
        record Busy(long ttlMillis, boolean queued, long token, int ahead, int waiting) implements AcquireReply {}

        /** The explicit owner already holds it, and the command was not re-entrant. */
        record ReentryRefused(long token) implements AcquireReply {}

        /** The id was cancelled before; it is never granted again. */
        record Cancelled() implements AcquireReply {}
    }

    /**
     * @param floor the highest token that this instance has seen, including that of the latest local hold
     * @param requeue an acquisition that queues in the same step if the lock was still owned, or null
     * @param tombstoneMillis how long the id is refused if it arrives again; 0 if it cannot
     * @param lost whether a hold of an explicit owner ended without being closed: if one was released by name, it was
     *     this
     */
    record ReleaseCommand(
            String name, long number, long floor, @Nullable Requeue requeue, long tombstoneMillis, boolean lost) {}

    /** The acquisition that queues again in a release. */
    record Requeue(long number, long leaseMillis) {}

    /**
     * The reply to {@link #release}.
     *
     * @param token the highest token known of this lock, or 0
     * @param requeued the outcome of {@link ReleaseCommand#requeue()}; null if there was none or the lock was not owned
     */
    record ReleaseReply(
            Outcome outcome, long token, @Nullable AcquireReply requeued) {

        /** The effect of the release. */
        public enum Outcome {
            /** The lock is free. */
            RELEASED,
            /** The lock went to the first waiter. */
            TRANSFERRED,
            /** One hold fewer of an explicit owner that has more. */
            STILL_HELD,
            /** It did not own the lock, but waited, and no longer does. */
            LEFT_QUEUE,
            /** The lock has no owner. */
            NOT_HELD,
            /** Another caller owns the lock. */
            NOT_YOURS;

            /** Of the release of a hold: a late copy of its request may have queued since it was lost. */
            boolean isLoss() {
                return this == NOT_HELD || this == NOT_YOURS || this == LEFT_QUEUE;
            }
        }
    }

    /**
     * @param token the token of the latest local hold, or a higher one after a command with {@code mayShorten} that got
     *     no reply; the lock then has it in the store
     * @param mayShorten whether the lease may end earlier than before; not before the other holds of an explicit owner
     *     end, and never if readers hold the lock, or if the lock has a higher token than the command in the store
     */
    record RenewCommand(String name, long number, long leaseMillis, long token, boolean mayShorten) {}

    /**
     * @param renewed whether it was still owned
     * @param waiting the number of other acquisitions that wait
     */
    record RenewReply(boolean renewed, long token, int waiting) {}
}
