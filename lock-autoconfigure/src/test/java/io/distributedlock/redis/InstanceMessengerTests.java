/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InstanceMessengerTests {

    private final AtomicInteger searches = new AtomicInteger();

    private final InstanceMessenger messenger = messenger();

    /** In a cluster that lists no channel. */
    private InstanceMessenger messenger() {
        RedisConnections connections = (RedisConnections) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RedisConnections.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "routesByKey" -> true;
                    case "shardChannels" -> {
                        searches.incrementAndGet();
                        yield List.of();
                    }
                    default -> throw new AssertionError(method);
                });
        LockKeys keys = new LockKeys("lock:");
        return new InstanceMessenger(connections, keys, InstanceId.inCluster(), new FleetDirectory(connections, keys));
    }

    /** Each search goes to all masters, and anyone with the right to the channel can cause one. */
    @Test
    void messagesToUnknownInstancesCauseTwentySearchesASecond() {
        long start = System.nanoTime();
        for (int i = 0; i < 10_000; i++) {
            messenger.send("AAAAAAA" + i % 10, "message");
        }
        long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds() + 1;

        assertThat(searches.get()).isBetween(20, (int) (20 * (seconds + 1)));
    }

    @Test
    void searchesAreMadeAgainInTheNextSecond() {
        for (int i = 0; i < 100; i++) {
            messenger.send("AAAAAAAA", "message");
        }
        int before = searches.get();
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            messenger.send("AAAAAAAA", "message");
            return searches.get() > before;
        });
    }

    @Test
    void numbersOfRequestsCannotBeGuessedFromEachOther() {
        Set<String> numbers = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            numbers.add(InstanceMessenger.number());
        }

        assertThat(numbers).hasSize(1_000).allMatch(number -> number.length() > 16);
    }
}
