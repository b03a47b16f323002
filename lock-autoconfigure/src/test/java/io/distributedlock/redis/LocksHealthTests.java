/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.actuate.InstanceLabel;
import io.distributedlock.actuate.LocksHealthIndicator;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.mock.env.MockEnvironment;

/** The health is that of the locks: down exactly while this instance can acquire none. */
class LocksHealthTests extends AbstractFaultTests {

    private static final InstanceLabel LABEL =
            new InstanceLabel(new MockEnvironment().withProperty("distributed-lock.instance-label", "till 1"));

    private static LocksHealthIndicator healthOf(RedisLockTemplate locks) {
        return new LocksHealthIndicator(locks, LABEL);
    }

    /** Of an instance that is connected. */
    private static LocksHealthIndicator healthyOf(RedisLockTemplate locks) {
        LocksHealthIndicator health = healthOf(locks);
        await().until(() -> health.health().getStatus().equals(Status.UP));
        return health;
    }

    @SuppressWarnings("unchecked") // The details of a health have no types.
    private static List<Map<String, String>> failures(Health health) {
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        return assertThat(health.getDetails().get("failures"))
                .asInstanceOf(InstanceOfAssertFactories.list(Map.class))
                .actual()
                .stream()
                .map(failure -> (Map<String, String>) failure)
                .toList();
    }

    @Test
    void aRequestLeavesNoKeyAndIsSeenByNoCaller() {
        RedisLockTemplate locks = patient();
        LocksHealthIndicator health = healthyOf(locks);
        try (LockHandle held = locks.acquire(leased("held", 60_000));
                CommandCounter counter = CommandCounter.start(redis)) {
            for (int i = 0; i < 10; i++) {
                Health up = health.health();
                assertThat(up.getStatus()).as(up.toString()).isEqualTo(Status.UP);
                assertThat(up.getDetails())
                        .containsEntry("held", 1)
                        .containsEntry("label", "till 1")
                        .doesNotContainKey("failures");
                assertThat(keys()).containsExactly("lock:{held}");
            }
            assertThat(counter.scriptsTried()).isEqualTo(20);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void aServerWithoutMemoryIsNamedWithItsErrorAndTheTime() {
        RedisLockTemplate locks = patient();
        LocksHealthIndicator health = healthyOf(locks);
        LockHandle held = locks.acquire(leased("held", 60_000));
        Instant before = Instant.now();
        call("CONFIG", "SET", "maxmemory", "1");

        Map<String, String> first = failures(health.health()).get(0);
        assertThat(first.get("server")).isEqualTo("Redis at 127.0.0.1:" + redis.port());
        assertThat(first.get("error")).startsWith("Redis returned: OOM");
        assertThat(Instant.parse(first.get("since")))
                .isBetween(before.minusMillis(1), Instant.now().plusMillis(1));
        held.close();
        Map<String, String> later = failures(health.health()).get(0);
        assertThat(later.get("error")).as("a release is possible").startsWith("Redis returned: OOM");
        // Each is calculated from two clocks, which are read one after the other.
        assertThat(Instant.parse(later.get("since")))
                .isBetween(
                        Instant.parse(first.get("since")).minus(Noise.now()),
                        Instant.parse(first.get("since")).plus(Noise.now()));

        call("CONFIG", "SET", "maxmemory", "0");
        await().until(() -> health.health().getStatus().equals(Status.UP));
    }

    @Test
    void aSingleLockThatRedisRefusesIsNotTheHealthOfTheInstance() {
        RedisLockTemplate locks = patient();
        LocksHealthIndicator health = healthyOf(locks);
        call("SET", "lock:{odd}", "no lock");

        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> locks.acquire(leased("odd", 60_000)))
                .withMessageContaining("WRONGTYPE");

        assertThat(health.health().getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void aServerThatIsAwayIsNamedUntilItIsBack() {
        RedisLockTemplate locks = direct();
        LocksHealthIndicator health = healthyOf(locks);
        crash();
        await().untilAsserted(() -> assertThat(failures(health.health()).get(0).get("error"))
                .contains("not connected to Redis at 127.0.0.1:" + redis.port())
                .contains("Connection refused"));
        restart();
        await().until(() -> health.health().getStatus().equals(Status.UP));
    }

    /** Its connections are open. */
    @Test
    void aServerThatDoesNotReplyIsFoundWithinOneTimeout() {
        RedisLockTemplate locks = direct();
        LocksHealthIndicator health = healthyOf(locks);
        redis.signal("STOP");
        Stopwatch watch = Stopwatch.start();
        Map<String, String> failure = failures(health.health()).get(0);
        assertThat(watch.elapsed()).isLessThan(TIMEOUT.plus(Noise.now()).plus(Noise.now()));
        assertThat(failure.get("error")).isEqualTo("no reply within 300 ms");
        redis.signal("CONT");
        await().until(() -> health.health().getStatus().equals(Status.UP));
        await().atMost(Noise.LATEST).until(() -> keys().isEmpty());
    }

    /** Redis repeats the arguments of an unknown command, which contain an acquisition id. */
    @Test
    void aServerWithoutScriptsIsNamedAndNoIdIsShown() {
        try (EmbeddedRedis old = EmbeddedRedis.start("rename-command EVALSHA \"\"")) {
            RedisLockTemplate locks = templates.on(StandaloneServer.connectionFactory(old.port()), Templates.IMPATIENT);
            LocksHealthIndicator health = healthOf(locks);
            await().untilAsserted(
                            () -> assertThat(failures(health.health()).get(0).get("error"))
                                    .startsWith("Redis returned: ERR unknown command")
                                    .doesNotContain("with args", "lock:"));
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> locks.acquire(leased("a", 60_000)))
                    .withMessageContaining("unknown command")
                    .withMessageNotContaining("with args");
        }
    }

    @Test
    void anInstanceThatHasStoppedIsDown() {
        RedisLockTemplate locks = direct();
        locks.close();
        assertThat(failures(healthOf(locks).health())).hasSize(1);
        try (RespClient client = redis.connect()) {
            assertThat(client.number("DBSIZE")).isZero();
        }
    }
}
