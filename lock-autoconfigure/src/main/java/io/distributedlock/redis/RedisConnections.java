/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStoreException;
import io.lettuce.core.protocol.RedisCommand;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one instance: the path of its commands to Redis, and of messages back. Each implementation
 * supports one topology. Methods whose result depends on the topology have a default for a single server.
 */
interface RedisConnections extends AutoCloseable {

    /** Where commands are written. */
    @FunctionalInterface
    interface CommandWriter {

        /** Never blocks. A failure is thrown, or passed to the command. */
        void write(RedisCommand<String, String, ?> command);

        /**
         * An error with the address of the server to which it redirects. The error itself if it has one, or is another.
         */
        default String withAddress(String error) {
            return error;
        }
    }

    /**
     * Set once, before {@link #open()}.
     *
     * @param messages reads the messages for this instance
     * @param listener notified when commands can be sent again or messages may have been missed
     */
    void listen(InstanceChannelListener messages, LeaseStore.Listener listener);

    /** Begins to connect, and waits for the outcome of the first attempt, one command time-out at most. */
    void open();

    /** Null until the first connection is open; then commands are refused while it is broken. */
    @Nullable
    CommandWriter commands();

    /** Whether commands can be sent at this moment. */
    boolean isConnected();

    /** Whether messages arrive at this moment. */
    boolean isSubscribed();

    /** Completes when commands can be sent. */
    CompletableFuture<Void> ready();

    /** Whether the latest attempt to connect has failed. */
    boolean isInTrouble();

    LeaseStoreException notConnected();

    /** An error in the reply to a command. */
    void receivedError(String error);

    /**
     * As {@link #receivedError}, for a command on the connection that waits for replicas. It is sent to the server of
     * an earlier command, so a redirection is no sign that servers disagree.
     */
    default void receivedErrorOfConfirmation(String error) {
        receivedError(error);
    }

    /** See {@link AskRedirectedLocks}. Only where commands are routed by key. */
    default void routed(String name, boolean byAsk) {}

    /** See {@link RedirectionLimiter#permit}. */
    default <T> @Nullable Reply<T> permit(String key, Reply<T> to) {
        return to;
    }

    /** Runs a short task on a thread of Lettuce, after that time; not if these connections are closed before. */
    void later(Runnable task, long millis);

    /** The number of the database. Messages arrive from instances with another one too. */
    default int database() {
        return 0;
    }

    /** Whether a command goes to the server that has its first key, so that Lettuce has to know that key. */
    default boolean routesByKey() {
        return false;
    }

    /** See {@link LeaseStore#number}. */
    default long number(String name, long counter) {
        return counter;
    }

    /** See {@link LeaseStore#isOutOfReach}. */
    default boolean isOutOfReach(String name, long number) {
        return false;
    }

    /** See {@link LeaseStore#receivesMessages}. */
    default boolean receivesMessages(String name) {
        return isSubscribed();
    }

    /** See {@link LeaseStore#shard}. */
    default Object shard(String name) {
        return "";
    }

    /** See {@link LeaseStore#latestClock}. */
    default long latestClock(String name) {
        return Long.MAX_VALUE;
    }

    /** A free lock got this token. The request was sent at that time, by the local clock in nanoseconds. */
    default void granted(long token, long sentAt) {}

    /** The server has replied to another acquisition. */
    default void replied() {}

    /** See {@link LeaseStore#shards}. */
    Map<Object, String> shards();

    /**
     * The slot of a channel that this instance has subscribed: on the server that has the given slot if possible,
     * otherwise on another one; -1 if there is none. Only where commands are routed by key.
     */
    default int receivingSlot(int near) {
        return -1;
    }

    /**
     * The channels of that pattern that have a subscriber, from each master. Only where commands are routed by key. An
     * unavailable server may not reply at all.
     */
    default List<CompletableFuture<List<String>>> shardChannels(String pattern) {
        return List.of();
    }

    /**
     * The lowest token that a free lock may get, minus one.
     *
     * @param seen the highest token that this instance has seen
     */
    default long floor(long seen) {
        return seen;
    }

    /**
     * The lowest token that the next owner may get from a release, minus one. The lock has a token, but a failover may
     * have restored an earlier one.
     *
     * @param seen the highest token that this instance has seen
     */
    default long floorOfRelease(long seen) {
        return seen;
    }

    /**
     * Whether a token may be ahead of the clock of the only server. Never in a cluster, where the clocks always differ
     * a little: most tokens would count as ahead of one of them.
     */
    default boolean isAhead(long token) {
        return false;
    }

    @Override
    void close();
}
