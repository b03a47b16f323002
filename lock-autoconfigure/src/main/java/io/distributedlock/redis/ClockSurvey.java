/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.logging.SafeLog;
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
import org.jspecify.annotations.Nullable;

/**
 * Requests the clocks of several servers once, when an instance starts. One of them may have been the master before: an
 * instance that starts after a failover has seen none of its tokens, and they are not higher than its clock.
 */
final class ClockSurvey {

    private static final Log log = SafeLog.of(ClockSurvey.class);

    /** A clock that is further ahead of that of the master is wrong, and no token came from it. */
    private static final long MOST_AHEAD_MICROS = TimeUnit.MINUTES.toMicros(10);

    /** How long the start waits for servers that do not reply. */
    private static final long LIMIT_MILLIS = 1_000;

    private ClockSurvey() {}

    /** The clocks of those servers that reply in time, in microseconds. Never fails. */
    static CompletableFuture<List<Long>> of(
            RedisClient client, Collection<RedisURI> servers, EventExecutorGroup executors) {
        if (servers.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        ReplyCollector<Long> collector = ReplyCollector.start(executors, servers.size(), LIMIT_MILLIS, clock -> false);
        servers.forEach(server -> requestSafely(client, server).whenComplete(collector::replied));
        return collector.end().thenApply(ReplyCollector::replies);
    }

    /**
     * Waits for the clocks; none if they do not arrive in time, or if the thread is interrupted, which keeps its flag.
     */
    static List<Long> await(CompletableFuture<List<Long>> clocks) {
        try {
            return clocks.get(2 * LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return List.of();
        } catch (ExecutionException | TimeoutException ex) {
            log.debug("The clocks of other servers are not known", ex);
            return List.of();
        }
    }

    /**
     * The most advanced of these clocks that is not far ahead of the master's, in microseconds; 0 if there is none. A
     * wrong clock must not hide that of a former master.
     */
    static long mostAdvanced(List<Long> clocks, long master) {
        long latest = 0;
        for (long each : clocks) {
            long lead = each - master;
            if (lead > MOST_AHEAD_MICROS) {
                log.warn("The clock of a Redis server that is not the master is " + lead / 1_000
                        + " ms ahead of that of the master. It is ignored for fencing tokens. Correct it before that"
                        + " server becomes the master.");
            } else {
                latest = Math.max(latest, each);
            }
        }
        return latest;
    }

    /** Whether a client can connect to that address: a cluster and Sentinels also name servers without one. */
    static boolean isAddress(@Nullable String host, int port) {
        return host != null && !host.isEmpty() && port > 0;
    }

    private static CompletionStage<Long> requestSafely(RedisClient client, RedisURI server) {
        try {
            return request(client, server);
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    private static CompletionStage<Long> request(RedisClient client, RedisURI server) {
        return client.connectAsync(StringCodec.UTF8, server).thenCompose(ClockSurvey::requestAndClose);
    }

    private static CompletionStage<Long> requestAndClose(StatefulRedisConnection<String, String> connection) {
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
