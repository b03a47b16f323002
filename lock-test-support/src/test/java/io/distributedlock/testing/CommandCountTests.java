/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CommandCountTests {

    private static final String SCRIPT = "redis.call('SET', 'a', '1') return redis.call('GET', 'a')";

    @Test
    void countsScriptsOnce() {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                RespClient client = redis.connect();
                CommandCounter counter = CommandCounter.start(redis)) {
            String sha = client.text("SCRIPT", "LOAD", SCRIPT);
            client.call("EVALSHA", sha, "0");
            client.call("EVAL", SCRIPT, "0");
            client.call("SET", "b", "1");
            assertThat(counter.scripts()).isEqualTo(2);
            assertThat(counter.calls("set")).isEqualTo(3);
            assertThat(counter.calls("script|load")).isEqualTo(1);
            counter.reset();
            assertThat(counter.calls()).isEmpty();
        }
    }

    @Test
    void logTellsClientsFromScripts() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                TcpProxy proxy = TcpProxy.to(redis.port());
                RespClient ours = redis.connect();
                RespClient other = new RespClient(proxy.port(), Noise.patience());
                CommandLog log = CommandLog.open(redis)) {
            ours.call("PING");
            other.call("EVAL", SCRIPT, "0");
            assertThat(log.clientCommands()).extracting(CommandLog.Entry::name).containsExactly("eval");
            assertThat(log.calls("set")).singleElement().satisfies(entry -> {
                assertThat(entry.inScript()).isTrue();
                assertThat(entry.arguments()).isEqualTo(" \"a\" \"1\"");
            });
            log.clear();
            assertThat(log.entries()).isEmpty();
        }
    }

    @Test
    void leakCheckFindsKeysSubscriptionsAndThreads() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                RespClient client = redis.connect();
                RespClient subscriber = redis.connect()) {
            LeakCheck.of("lock:", redis).verify();
            LeakCheck check = LeakCheck.of("lock:", redis).within(Duration.ofMillis(100));
            client.call("SET", "lock:{a}", "1");
            subscriber.call("SUBSCRIBE", "some-channel");
            Thread thread = new Thread(
                    () -> {
                        try {
                            Thread.currentThread().join();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    "distributed-lock-test");
            thread.start();
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(check::verify)
                    .withMessageContainingAll("lock:{a}", "some-channel", "distributed-lock-test");
            thread.interrupt();
            thread.join();
        }
    }
}
