/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * Counts the listeners of a channel. In a cluster, an instance listens at one of the servers, so each server gets a
 * request.
 */
@Component
class Listeners {

    private static final RedisScript<Long> COUNT = RedisScript.of(new ClassPathResource("listeners.lua"), Long.class);

    private static final long TIMEOUT = Duration.ofSeconds(1).toMillis();

    private final StringRedisTemplate redis;

    Listeners(StringRedisTemplate redis) {
        this.redis = redis;
    }

    int of(String channel) {
        Long everywhere = redis.execute((RedisCallback<Long>) connection -> connection instanceof RedisClusterConnection
                ? everywhere(connection.getNativeConnection(), channel)
                : Long.valueOf(-1));
        Long count = everywhere != null && everywhere >= 0 ? everywhere : redis.execute(COUNT, List.of(), channel);
        return count == null ? 0 : Math.toIntExact(count);
    }

    @SuppressWarnings("unchecked")
    private static long everywhere(Object connection, String channel) {
        var commands = (RedisAdvancedClusterAsyncCommands<byte[], byte[]>) connection;
        return commands.all().commands().pubsubNumsub(channel.getBytes(StandardCharsets.UTF_8)).stream()
                .flatMap(reply -> replyOf(reply).values().stream())
                .mapToLong(Long::longValue)
                .sum();
    }

    /** A server that does not reply counts as one without listeners. */
    private static Map<byte[], Long> replyOf(CompletableFuture<Map<byte[], Long>> reply) {
        try {
            return reply.get(TIMEOUT, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException ex) {
            return Map.of();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return Map.of();
        }
    }
}
