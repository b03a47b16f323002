/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LeaseStoreException;
import io.lettuce.core.protocol.RedisCommand;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one instance: how its commands get to Redis, and messages back. An implementation knows one
 * topology. What a topology has to decide for each lock has a default for a single server.
 */
interface RedisConnections extends AutoCloseable {

    /** Where commands are written. */
    @FunctionalInterface
    interface CommandWriter {

        /** Never blocks. A failure is thrown, or told to the command. */
        void write(RedisCommand<String, String, ?> command);
    }

    /**
     * Set once, before {@link #open()}.
     *
     * @param messages reads what comes in for this instance
     * @param listener hears when commands can be sent again or messages may have been missed
     */
    void listen(InstanceChannelListener messages, LeaseStore.Listener listener);

    /** Begins to connect, and waits for the outcome of the first try, one command time-out at most. */
    void open();

    /** Null until the first connection stands; then commands are refused while it is broken. */
    @Nullable
    CommandWriter commands();

    /** Whether commands can be sent at this moment. */
    boolean isConnected();

    /** Whether messages come at this moment. */
    boolean isSubscribed();

    /** Completes when commands can be sent. */
    CompletableFuture<Void> ready();

    /** Whether the latest try to connect has failed. */
    boolean isInTrouble();

    LeaseStoreException notConnected();

    /** An error in the reply to a command. */
    void redisSaid(String error);

    /** Runs something short on a thread of Lettuce's, after that time; not if these connections are closed before. */
    void later(Runnable task, long millis);

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

    /** See {@link LeaseStore#hears}. */
    default boolean hears(String name) {
        return isSubscribed();
    }

    /** See {@link LeaseStore#shard}. */
    default Object shard(String name) {
        return "";
    }

    /**
     * The lowest token that a free lock may get, less one.
     *
     * @param seen the highest token that this instance has seen
     */
    default long floor(long seen) {
        return seen;
    }

    @Override
    void close();
}
