/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.distributedlock.LockHandle;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RedisNode;
import io.distributedlock.testing.ReplicatedRedis;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

/** Locks in the master of a list of servers; the promotion of a replica is announced to no instance. */
class StaticReplicasTests {

    /** Opening a connection takes three replies, and all servers of a list have two seconds to show their role. */
    private static final Duration DELAY = Duration.ofMillis(100);

    private final Templates templates = new Templates();

    private ReplicatedRedis redis;

    private RedisNode replica;

    @BeforeAll
    static void warmUpThisJvm() {
        Templates.warmUpThisJvm();
    }

    private void start() {
        redis = ReplicatedRedis.start(1);
        replica = redis.replicas().get(0);
    }

    @AfterEach
    void stop() {
        templates.close();
        if (redis != null) {
            redis.close();
        }
    }

    private RedisLockTemplate locks(RedisNode... servers) {
        return locksAt(
                Templates.SETTINGS, Stream.of(servers).mapToInt(RedisNode::port).toArray());
    }

    private RedisLockTemplate locksAt(EngineSettings settings, int... ports) {
        RedisStaticMasterReplicaConfiguration list = new RedisStaticMasterReplicaConfiguration("127.0.0.1", ports[0]);
        IntStream.of(ports).skip(1).forEach(port -> list.addNode("127.0.0.1", port));
        return templates.on(StandaloneServer.connectionFactory(list), settings);
    }

    /** A former master that was started again has none. */
    @Test
    void ofTwoMastersTheOneWithReplicasIsUsedAlthoughItRepliesLater() {
        start();
        try (EmbeddedRedis former = EmbeddedRedis.start();
                TcpProxy slow = TcpProxy.to(redis.master().port())) {
            slow.replies().delay(DELAY);
            assertUsed(redis.master().port(), former.port(), slow.port());
        }
    }

    /** A server that replies too late is not chosen, and a machine that stands still may make it that late. */
    private void assertUsed(int expected, int... list) {
        HoldAssertions.assertUnlessStalled(Duration.ofMillis(200), () -> {
            try (LockHandle handle = locksAt(Templates.PATIENT, list).acquire(leased("where", 10_000));
                    RespClient client = RespClient.connect(expected)) {
                assertThat(handle.isHeld()).isTrue();
                assertThat(client.keys("lock:*")).hasSize(1);
            } finally {
                templates.close();
            }
        });
    }

    /** All instances with the same list choose the same one. */
    @Test
    void ofTwoMastersWithoutReplicasTheFirstOfTheListIsUsed() {
        try (EmbeddedRedis first = EmbeddedRedis.start();
                EmbeddedRedis second = EmbeddedRedis.start();
                TcpProxy slow = TcpProxy.to(first.port())) {
            slow.replies().delay(DELAY);
            assertUsed(first.port(), slow.port(), second.port());
        }
    }

    @Test
    void locksFollowTheRoleOfMaster() {
        start();
        RedisLockTemplate locks = locks(replica, redis.master());
        try (LockHandle handle = locks.acquire(leased("first", 10_000))) {
            assertThat(handle.isHeld()).isTrue();
            assertThat(keys(redis.master())).hasSize(1);
        }
        redis.promote(replica);
        Stopwatch watch = Stopwatch.start();
        try (LockHandle handle = locks.acquire(leased("second", 10_000).waitUpTo(Duration.ofSeconds(60)))) {
            System.out.println(
                    "A lock in the promoted server " + watch.elapsed().toMillis() + " ms after REPLICAOF");
            assertThat(handle.isHeld()).isTrue();
            assertThat(keys(replica)).contains("lock:{second}");
        }
        await().until(() -> listeners(replica) == 1 && listeners(redis.master()) == 0);
    }

    @Test
    void locksLeaveAServerThatDies() {
        start();
        RedisLockTemplate locks = locks(redis.master(), replica);
        locks.acquire(leased("first", 10_000)).close();
        redis.master().kill();
        redis.promote(replica);
        try (LockHandle handle = locks.acquire(leased("second", 10_000).waitUpTo(Duration.ofSeconds(60)))) {
            assertThat(handle.isHeld()).isTrue();
        }
        await().until(() -> listeners(replica) == 1);
    }

    @Test
    void aListOfReplicasOnlyIsNamedAndHealsWhenOneIsPromoted() {
        start();
        try (Logs logs = Logs.capture(Level.WARN)) {
            RedisLockTemplate locks = locks(replica);
            // On a busy machine, the reply that shows the role may come later than that.
            await().untilAsserted(() -> assertThatThrownBy(
                            () -> locks.acquire(leased("refused", 5_000).waitUpTo(Duration.ofSeconds(1))))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining(
                            "no server of the list " + replica + " is a master: " + replica + " is a replica"));
            assertThat(logs.of("io.distributedlock"))
                    .filteredOn(line -> line.contains("is a replica"))
                    .hasSize(1);
            redis.promote(replica);
            locks.acquire(leased("allowed", 5_000).waitUpTo(Duration.ofSeconds(60)))
                    .close();
        }
    }

    private static long listeners(RedisNode server) {
        return server.list("PUBSUB", "CHANNELS", "lock:*").size();
    }

    private static List<String> keys(RedisNode server) {
        try (RespClient client = server.connect()) {
            return client.keys("lock:*");
        }
    }
}
