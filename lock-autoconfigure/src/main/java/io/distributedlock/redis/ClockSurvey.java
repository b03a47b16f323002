/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Requests the clocks of several servers once, when an instance starts. One of them may have been the master before: an
 * instance that starts after a failover has seen none of its tokens, and they are not higher than its clock.
 */
final class ClockSurvey {

    private static final Log log = LogFactory.getLog(ClockSurvey.class);

    /** A clock that is further ahead of that of the master is wrong, and no token came from it. */
    static final long MOST_AHEAD_MICROS = TimeUnit.MINUTES.toMicros(10);

    /** How long the start waits for servers that do not reply. */
    private static final long LIMIT_MILLIS = 1_000;

    private ClockSurvey() {}

    /** The most advanced clock of those servers that reply in time, in microseconds; 0 if none does. Never fails. */
    static CompletableFuture<Long> mostAdvanced(
            RedisClient client, Collection<RedisURI> servers, EventExecutorGroup executors) {
        if (servers.isEmpty()) {
            return CompletableFuture.completedFuture(0L);
        }
        Collector<Long> question = new Collector<>(executors, servers.size(), LIMIT_MILLIS, clock -> false);
        servers.forEach(server -> askSafely(client, server).whenComplete(question::answered));
        return question.end()
                .thenApply(ended -> ended.answers().stream()
                        .mapToLong(Long::longValue)
                        .max()
                        .orElse(0));
    }

    /** Waits for the clock; 0 if there is none in time, or if the thread is interrupted, which keeps its flag. */
    static long await(CompletableFuture<Long> clock) {
        try {
            return clock.get(2 * LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return 0;
        } catch (ExecutionException | TimeoutException ex) {
            log.debug("The clocks of other servers are not known", ex);
            return 0;
        }
    }

    /** Whether a client can connect to that address: a cluster and Sentinels also name servers without one. */
    static boolean isAddress(@Nullable String host, int port) {
        return host != null && !host.isEmpty() && port > 0;
    }

    private static CompletionStage<Long> askSafely(RedisClient client, RedisURI server) {
        try {
            return ask(client, server);
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    private static CompletionStage<Long> ask(RedisClient client, RedisURI server) {
        return client.connectAsync(StringCodec.UTF8, server).thenCompose(ClockSurvey::askAndClose);
    }

    private static CompletionStage<Long> askAndClose(StatefulRedisConnection<String, String> connection) {
        return connection
                .async()
                .time()
                .thenApply(ClockSurvey::micros)
                .whenComplete((clock, failure) -> connection.closeAsync());
    }

    /** The reply to TIME, in microseconds. */
    static long micros(List<String> time) {
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }
}
