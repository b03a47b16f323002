/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockEvent;
import io.distributedlock.LockRequest;
import io.distributedlock.ServerClockSetBackEvent;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What is logged at the start about a Redis that does not keep locks. */
@ExtendWith(OutputCaptureExtension.class)
class ServerConfigurationCheckTests {

    private final EmbeddedRedis redis = EmbeddedRedis.start();

    private final Templates templates = new Templates();

    @AfterEach
    void close() {
        templates.close();
        redis.close();
    }

    private void command(String... words) {
        try (RespClient client = redis.connect()) {
            assertThat(client.call(words)).hasToString("OK");
        }
    }

    private RedisLockTemplate use() {
        LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", redis.port());
        factory.afterPropertiesSet();
        RedisLockTemplate locks = templates.on(factory);
        locks.acquire(LockRequest.of("a")).close();
        return locks;
    }

    @Test
    void warnsOnceThatLocksMayBeEvicted(CapturedOutput output) {
        command("CONFIG", "SET", "maxmemory", "100mb");
        command("CONFIG", "SET", "maxmemory-policy", "volatile-lru");

        RedisLockTemplate locks = use();
        await().until(() -> output.getAll().contains("maxmemory-policy is volatile-lru"));
        try (RespClient client = redis.connect()) {
            assertThat(client.number("CLIENT", "KILL", "TYPE", "normal")).isPositive();
        }
        locks.acquire(LockRequest.of("again")).close();

        assertThat(output.getAll().split("may evict locks")).hasSize(2);
    }

    private void replicate(EmbeddedRedis replica) {
        try (RespClient client = replica.connect()) {
            client.call("REPLICAOF", "127.0.0.1", Integer.toString(redis.port()));
        }
        await().until(() -> {
            try (RespClient client = redis.connect()) {
                return client.call("INFO", "replication").toString().contains("connected_slaves:1");
            }
        });
    }

    @Test
    void warnsThatReplicationIsAsynchronous(CapturedOutput output) {
        try (EmbeddedRedis replica = EmbeddedRedis.start()) {
            replicate(replica);

            use();

            await().until(() -> output.getAll().contains("Redis replicates without waiting"));
        }
    }

    private RedisLockTemplate acknowledged(int replicas) {
        LettuceConnectionFactory factory = StandaloneServer.connectionFactory(redis.port());
        RedisLockTemplate locks = new RedisLockTemplate(
                factory,
                Templates.PREFIX,
                Templates.SETTINGS,
                event -> {},
                true,
                () -> null,
                replicas,
                Duration.ofSeconds(1));
        return templates.started(locks, factory);
    }

    @Test
    void warnsOfTooFewReplicasIfTheyHaveToAcknowledge(CapturedOutput output) {
        try (EmbeddedRedis replica = EmbeddedRedis.start()) {
            replicate(replica);

            acknowledged(2);
            await().until(() -> output.getAll().contains("No lock can be granted: only 1 of the 2 replicas"));
            RedisLockTemplate enough = acknowledged(1);
            await().ignoreExceptions()
                    .until(() -> enough.acquire(LockRequest.of("a")), handle -> true)
                    .close();
        }

        assertThat(output.getAll())
                .doesNotContain("only 1 of the 1 replicas")
                .doesNotContain("Redis replicates without waiting");
    }

    @Test
    void doesNotWarnOfAServerThatKeepsLocksOrHidesItsConfiguration(CapturedOutput output) {
        use();
        command("ACL", "SETUSER", "default", "-info");

        use();

        assertThat(output.getAll()).doesNotContain("WARN");
    }

    /** The other way round, as a test may not set the clock of this machine: this instance's clock goes ahead. */
    @Test
    void reportsOnceThatTheClockWasSetBack(CapturedOutput output) {
        AtomicLong ahead = new AtomicLong();
        Queue<LockEvent> events = new ConcurrentLinkedQueue<>();
        EngineSettings settings = Templates.PATIENT;
        LockClientFactory source = new LockClientFactory(
                StandaloneServer.connectionFactory(redis.port()), settings.commandTimeout(), new InstanceId());
        try (SingleServerConnections connections = new SingleServerConnections(source, settings.commandTimeout())) {
            ServerClockMonitor clock = new ServerClockMonitor(() -> System.nanoTime() + ahead.get());
            LettuceLeaseStore store =
                    new LettuceLeaseStore(connections, new LockKeys(Templates.PREFIX), new InstanceId(), clock);
            try (LockEngine engine = new LockEngine(store, settings, events::add, null)) {
                connections.open();
                engine.acquire(LockRequest.of("a")).close();
                engine.acquire(LockRequest.of("a")).close();
                assertThat(events).isEmpty();

                ahead.set(TimeUnit.HOURS.toNanos(1));
                engine.acquire(LockRequest.of("b")).close();
                engine.acquire(LockRequest.of("a")).close();

                await().until(() -> !events.isEmpty());
            }
        }
        assertThat(events).singleElement().isInstanceOfSatisfying(ServerClockSetBackEvent.class, event -> {
            assertThat(event.lockName()).isEqualTo("b");
            assertThat(event.by()).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
        });
        assertThat(output.getAll().split("The server's clock was set back")).hasSize(2);
    }
}
