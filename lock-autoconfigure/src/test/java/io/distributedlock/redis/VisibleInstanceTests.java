/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What an operator finds in the log and in Redis of an instance. */
class VisibleInstanceTests extends AbstractFaultTests {

    private LettuceConnectionFactory factory(LettuceClientConfiguration client) {
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", redis.port()), client);
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    private List<String> clientNames() {
        return Arrays.stream(call("CLIENT", "LIST").split("\n"))
                .flatMap(line -> Arrays.stream(line.split(" ")))
                .filter(word -> word.startsWith("name=") && word.contains("lock:"))
                .toList();
    }

    @Test
    void theOwnerInAnEntryLeadsToALogLineAndToAProcess() {
        try (Logs logs = Logs.capture(Level.INFO)) {
            RedisLockTemplate locks = templates.on(factory(
                    LettuceClientConfiguration.builder().clientName("shop").build()));
            try (LockHandle handle = locks.acquire(LockRequest.of("a").waitUpTo(Noise.patience()))) {
                String id = call("HGET", "lock:{a}", "o").split("\\.")[0];

                // On a busy machine, a warning of a connection that is opened again may follow.
                assertThat(logs.of("io.distributedlock"))
                        .filteredOn(line -> line.startsWith("INFO "))
                        .containsExactly("INFO Distributed locks: instance " + id + ", Redis at 127.0.0.1:"
                                + redis.port() + ", prefix 'lock:'");
                await().until(() -> clientNames().size() == 2);
                assertThat(clientNames())
                        .hasSize(2)
                        .allSatisfy(name -> assertThat(name)
                                .startsWith("name=shop/lock:" + id + "@")
                                .endsWith(":" + ProcessHandle.current().pid()));
                assertThat(handle.isHeld()).isTrue();
            }
        }
    }

    @Test
    void theNameStaysAfterAReconnect() {
        RedisLockTemplate locks = proxied();
        await().until(() -> clientNames().size() == 2);
        List<String> before = clientNames();
        proxy.cut();

        locks.acquire(LockRequest.of("a").waitUpTo(Duration.ofSeconds(30))).close();

        await().until(() -> clientNames().equals(before));
    }

    @Test
    void aMessageContainsTheRedisAddressAndTheCause() {
        RedisLockTemplate locks = templates.on(
                factory(LettuceClientConfiguration.builder().useSsl().build()), Templates.IMPATIENT);

        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> locks.acquire(LockRequest.of("a").noWait()))
                .withMessageContaining("not connected to Redis at 127.0.0.1:" + redis.port() + " (TLS)")
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("null"));
    }

    /** Such as while the application starts on a busy machine. */
    @Test
    void aMessageWithoutAFailureSaysThatTheConnectionIsNotOpenYet() {
        LettuceConnectionFactory application =
                factory(LettuceClientConfiguration.builder().build());
        try (LockClientFactory source = new LockClientFactory(application, Duration.ofSeconds(2), new InstanceId())) {
            assertThat(source.whyNotConnected())
                    .isEqualTo(
                            "not connected to Redis at 127.0.0.1:" + redis.port() + ": the connection is not open yet");
        } finally {
            application.destroy();
        }
    }

    @Test
    void aClassPathThatDoesNotFitIsNoOutage() {
        Throwable linkage = new RuntimeException(new NoSuchMethodError("'Ticker EventExecutor.ticker()'"));

        assertThat(LettuceFailures.reason(linkage)).contains("class path", "NoSuchMethodError", "ticker()");
    }

    @Test
    void aFailureWithoutAMessageHasAName() {
        assertThat(LettuceFailures.reason(new RuntimeException(new java.io.EOFException())))
                .isEqualTo("EOFException");
    }
}
