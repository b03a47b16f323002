/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import java.util.List;
import org.junit.jupiter.api.Test;

class StaticLocatorTests {

    @Test
    void eachTimeThatSeveralServersAreMastersIsLogged() {
        DefaultEventExecutorGroup executors = new DefaultEventExecutorGroup(1);
        try (EmbeddedRedis first = EmbeddedRedis.start();
                EmbeddedRedis second = EmbeddedRedis.start();
                RespClient client = second.connect();
                Logs logs = Logs.capture(Level.WARN);
                StaticLocator locator = new StaticLocator(
                        RedisClient.create(),
                        List.of(
                                RedisURI.create("127.0.0.1", first.port()),
                                RedisURI.create("127.0.0.1", second.port())),
                        executors)) {
            locate(locator);
            locate(locator);
            assertThat(warnings(logs)).isEqualTo(1);

            // Again if a server was late: the locator does not know then that there was one master.
            await().untilAsserted(() -> {
                // Of no server of the list: all replies are awaited then.
                client.call("REPLICAOF", "127.0.0.1", String.valueOf(EmbeddedRedis.freePort()));
                locate(locator);
                client.call("REPLICAOF", "NO", "ONE");
                locate(locator);
                assertThat(warnings(logs)).isEqualTo(2);
            });
        } finally {
            executors.shutdownGracefully();
        }
    }

    /** Servers may be late on a busy machine. */
    private static void locate(StaticLocator locator) {
        await().untilAsserted(() -> assertThat(locator.locate()).succeedsWithin(Noise.LATEST));
    }

    private static long warnings(Logs logs) {
        return logs.of("io.distributedlock").stream()
                .filter(line -> line.contains("report that they are the master"))
                .count();
    }
}
