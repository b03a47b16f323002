/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.testing.CommandLog;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.LeakCheck;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * One part of what every topology has to do. Two templates on the same Redis stand for two instances of an application.
 * After each test, nothing may be left of it anywhere.
 */
abstract class AbstractLockContract {

    final LockServer server;

    @RegisterExtension
    final LeakCheck leakCheck;

    final Templates templates = new Templates();

    final TestCallers callers = new TestCallers();

    RedisLockTemplate first;

    RedisLockTemplate second;

    AbstractLockContract(LockServer server) {
        this.server = server;
        this.leakCheck = LeakCheck.of(Templates.PREFIX, server.servers().toArray(EmbeddedRedis[]::new));
    }

    @BeforeEach
    void openTemplates() {
        first = template(Templates.PATIENT);
        second = template(Templates.PATIENT);
    }

    @AfterEach
    void closeTemplates() {
        callers.close();
        templates.close();
    }

    /** One more instance. */
    final RedisLockTemplate template(EngineSettings settings) {
        return templates.on(server.newConnectionFactory(), settings);
    }

    final List<String> keys() {
        return server.keys(Templates.PREFIX);
    }

    /** The only key of a lock that there is. */
    final String onlyKey() {
        List<String> keys = keys();
        assertThat(keys).hasSize(1);
        return keys.get(0);
    }

    final RespClient redisOf(String key) {
        return server.serverOf(key).connect();
    }

    /** The server's time to live of the only key, in milliseconds. */
    final long onlyTtl() {
        String key = onlyKey();
        try (RespClient client = redisOf(key)) {
            return client.number("PTTL", key);
        }
    }

    final void delete(String key) {
        try (RespClient client = redisOf(key)) {
            assertThat(client.number("DEL", key)).isEqualTo(1);
        }
    }

    final CommandLog logOf(String key) {
        return CommandLog.open(server.serverOf(key));
    }

    /** What the instances sent up to now for their locks. */
    final List<CommandLog.Entry> commandsOfLocks(CommandLog log) {
        return log.clientCommands().stream()
                .filter(entry -> !server.routineCommands().contains(entry.name()))
                .toList();
    }

    /** Whether another caller would have to wait, asked from another thread. */
    final boolean isBusy(RedisLockTemplate template, String name) {
        return callers.call(() -> {
                    Optional<LockHandle> handle =
                            template.tryAcquire(LockRequest.of(name).noWait());
                    handle.ifPresent(LockHandle::close);
                    return handle.isEmpty();
                })
                .get();
    }

    /** Waits until so many callers wait inside the instance. */
    static void awaitWaitingIn(RedisLockTemplate instance, int expected) {
        await().pollInterval(Duration.ofMillis(1))
                .until(() -> instance.activity().waiting().size() == expected);
    }

    /** @param limit what it may take on a machine without noise */
    static void awaitLatch(CountDownLatch latch, Duration limit) {
        Stopwatch watch = Stopwatch.start();
        try {
            assertThat(latch.await(limit.plus(Noise.LATEST).toNanos(), TimeUnit.NANOSECONDS))
                    .as("happened")
                    .isTrue();
            assertThat(watch.elapsed()).isLessThan(limit.plus(Noise.now()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
