/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.distributedlock.LockHandle;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One address leads to another server than before, but the connections still lead to the former one, now a replica. */
class MovedAddressTests extends AbstractFaultTests {

    /** Each time, several connections are opened. */
    private static final int SEVERAL_RECONNECTS = 8;

    private void demote(int masterPort) {
        assertThat(call("REPLICAOF", "127.0.0.1", String.valueOf(masterPort))).isEqualTo("OK");
    }

    @Test
    void locksGoToTheServerThatTheAddressLeadsToNow() {
        RedisLockTemplate locks = proxied();
        int before = proxy.accepted();
        try (EmbeddedRedis master = EmbeddedRedis.start();
                Logs logs = Logs.capture(Level.WARN)) {
            proxy.leadTo(master.port());
            demote(master.port());

            try (LockHandle handle = locks.acquire(leased("moved", 5_000).waitUpTo(Duration.ofSeconds(30)))) {
                assertThat(handle.isHeld()).isTrue();
                try (RespClient client = master.connect()) {
                    assertThat(client.keys("lock:*")).hasSize(1);
                }
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> listeners(master) == 1);
            assertThat(proxy.accepted()).isGreaterThanOrEqualTo(before + 2);
            assertThat(logs.of("io.distributedlock"))
                    .filteredOn(line -> line.contains("is a replica"))
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("127.0.0.1:" + proxy.port());
        }
    }

    @Test
    void eachTimeThatTheServerBecomesAReplicaIsLoggedOnce() {
        RedisLockTemplate locks = proxied();
        try (EmbeddedRedis master = EmbeddedRedis.start();
                Logs logs = Logs.capture(Level.WARN)) {
            for (int times = 1; times <= 2; times++) {
                demote(master.port());
                long connections = connectionsReceived();
                await().atMost(Duration.ofSeconds(40)).until(() -> {
                    timeOf(() -> locks.acquire(leased("demoted", 5_000).waitUpTo(Duration.ofMillis(100))));
                    return connectionsReceived() - connections > SEVERAL_RECONNECTS;
                });
                assertThat(logs.of("io.distributedlock"))
                        .filteredOn(line -> line.contains("is a replica"))
                        .hasSize(times);
                assertThat(call("REPLICAOF", "NO", "ONE")).isEqualTo("OK");
                locks.acquire(leased("promoted", 5_000).waitUpTo(Duration.ofSeconds(30)))
                        .close();
            }
        }
    }

    private long connectionsReceived() {
        return call("INFO", "stats")
                .lines()
                .filter(line -> line.startsWith("total_connections_received:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
                .sum();
    }

    /** Only the connection for commands was broken: no grant would arrive. */
    @Test
    void messagesFollowTheCommands() {
        RedisLockTemplate locks = proxied();
        try (EmbeddedRedis master = EmbeddedRedis.start()) {
            proxy.leadTo(master.port());
            String commands = call("CLIENT", "LIST")
                    .lines()
                    .filter(line -> line.contains("name=lock:") && line.contains(" sub=0 "))
                    .findFirst()
                    .orElseThrow();
            assertThat(call("CLIENT", "KILL", "ID", commands.substring(3, commands.indexOf(' '))))
                    .isEqualTo("1");
            await().until(() -> listeners(master) == 1 && listeners(redis) == 0);
            locks.acquire(leased("moved", 5_000).waitUpTo(Duration.ofSeconds(30)))
                    .close();
        }
    }

    private static int listeners(EmbeddedRedis server) {
        try (RespClient client = server.connect()) {
            Object channels = client.call("PUBSUB", "CHANNELS", "lock:*");
            return channels instanceof List<?> list ? list.size() : -1;
        }
    }

    /** A server that stays a replica is not connected to again and again. */
    @Test
    void aReplicaThatStaysOneIsTriedOnceASecondAtMost() {
        RedisLockTemplate locks = proxied();
        try (EmbeddedRedis master = EmbeddedRedis.start()) {
            demote(master.port());
            int before = proxy.accepted();
            Stopwatch watch = Stopwatch.start();
            assertThat(timeOf(() -> locks.acquire(leased("a", 5_000).waitUpTo(Duration.ofSeconds(2)))))
                    .isGreaterThan(Duration.ofSeconds(1));
            long seconds = watch.elapsed().toSeconds() + 2;
            assertThat(proxy.accepted() - before).isBetween(2, (int) (2 * seconds));
            assertThat(call("REPLICAOF", "NO", "ONE")).isEqualTo("OK");
        }
    }
}
