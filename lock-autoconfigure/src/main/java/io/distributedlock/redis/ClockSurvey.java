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

/**
 * Requests the clocks of several servers once, when an instance starts. One of them may have been the master before: an
 * instance that starts after a failover has seen none of its tokens, and they are not higher than its clock.
 */
final class ClockSurvey {

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
        servers.forEach(server -> ask(client, server).whenComplete(question::answered));
        return question.end()
                .thenApply(ended -> ended.answers().stream()
                        .mapToLong(Long::longValue)
                        .max()
                        .orElse(0));
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
