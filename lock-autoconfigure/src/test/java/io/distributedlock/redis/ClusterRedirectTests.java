/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.SlotMove;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A request that a cluster redirects may be executed long after it was first written. Since then, another instance may
 * have got a token from the clock of the former server, which may be ahead.
 */
@Timeout(60)
class ClusterRedirectTests {

    private static final LuaScript ACQUIRE = new LuaScript("acquire.lua");

    private static final String NAME = "redirected";

    private static RedisCluster cluster;

    private final LockKeys keys = new LockKeys("lock:");

    private final RedisClusterClient client = RedisClusterClient.create(
            RedisURI.create("127.0.0.1", cluster.masters().get(0).port()));

    private final StatefulRedisClusterConnection<String, String> connection = client.connect();

    /** What the most advanced clock shows: an hour more each time that it is read. */
    private final AtomicLong clock = new AtomicLong(4_000_000_000_000_000L);

    @AfterEach
    void close() {
        connection.close();
        client.shutdown(0, 5, TimeUnit.SECONDS);
    }

    @BeforeAll
    static void start() {
        Templates.warmUpThisJvm();
        cluster = RedisCluster.start(2, 0, Duration.ofSeconds(15));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** One key, so that the only further writing is that of the redirection. */
    private RespArguments operands() {
        RespArguments operands = new RespArguments().add("2");
        keys.addEntry(operands, NAME);
        keys.addEntry(operands, NAME);
        return operands.add("id{1}.1.secret").add(30_000).add(clock.addAndGet(3_600_000_000L));
    }

    private CompletableFuture<List<Long>> acquire() {
        CompletableFuture<List<Long>> told = new CompletableFuture<>();
        Reply<List<Long>> to = (reply, failure) -> {
            if (failure == null) {
                told.complete(reply);
            } else {
                told.completeExceptionally(failure);
            }
        };
        new ScriptCommand<>(
                        connection.getChannelWriter()::write,
                        keys.entry(NAME),
                        ACQUIRE,
                        operands(),
                        oneKey -> operands(),
                        new IntegerListOutput(),
                        numbers -> List.of(numbers.get(0)),
                        to,
                        error -> {})
                .send();
        return told;
    }

    @Test
    void aTokenIsHigherThanTheClockAtTheLastWriting() throws Exception {
        int slot = cluster.slotOf(keys.entry(NAME));
        SlotMove move = cluster.move(
                        slot,
                        cluster.masters().stream()
                                .filter(node -> node != cluster.masterOf(slot))
                                .findFirst()
                                .orElseThrow())
                .begin();
        long first = clock.get() + 3_600_000_000L;

        long token = acquire().get(30, TimeUnit.SECONDS).get(0);

        assertThat(clock.get()).isGreaterThan(first);
        assertThat(token).isEqualTo(clock.get() + 1);
        move.finish();
    }
}
