/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockHandle;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Servers of a cluster that die, and servers that are no cluster. */
class ClusterOutageTests {

    private final Templates templates = new Templates();

    private final TestCallers callers = new TestCallers();

    @AfterEach
    void close() {
        callers.close();
        templates.close();
    }

    private RedisLockTemplate on(List<String> seeds) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                new RedisClusterConfiguration(seeds),
                LettuceClientConfiguration.builder()
                        .clientResources(StandaloneServer.resources())
                        .build());
        factory.afterPropertiesSet();
        factory.start();
        return templates.on(factory, Templates.IMPATIENT);
    }

    /** Takes a failover. */
    @Tag(TestLength.FULL)
    @Test
    void aLockOfADeadMasterContinuesAtItsReplicaWithAHigherToken() {
        RedisCluster cluster = RedisCluster.shared();
        RedisLockTemplate first = on(cluster.addresses());
        RedisLockTemplate second = on(cluster.addresses());
        Templates.warmUp(first);
        Templates.warmUp(second);
        ClusterNode dead = cluster.masterOf("lock:{doomed}");
        ClusterNode other = cluster.masters().stream()
                .filter(node -> node != dead)
                .findFirst()
                .orElseThrow();
        String elsewhere = nameAt(cluster, other, "n");
        LockHandle kept = first.acquire(leased(elsewhere, 60_000));
        LockHandle before = first.acquire(leased("doomed", 60_000));
        before.close();
        AtomicBoolean over = new AtomicBoolean();
        String alsoElsewhere = nameAt(cluster, other, "m");
        TestCallers.Call<Integer> others = callers.call(() -> waitInTurn(second, alsoElsewhere, over));

        dead.kill();

        LockHandle after = second.acquire(leased("doomed", 60_000).waitUpTo(Duration.ofSeconds(60)));
        assertThat(after.fencingToken()).isGreaterThan(before.fencingToken());
        assertThat(kept.isHeld()).isTrue();
        after.close();
        kept.close();
        over.set(true);
        assertThat(others.get()).as("holds of a caller in another shard").isPositive();
    }

    /** A caller that waits gets no exception; a release may end unconfirmed. Returns how often it had the lock. */
    private static int waitInTurn(RedisLockTemplate locks, String name, AtomicBoolean over) {
        int holds = 0;
        while (!over.get()) {
            LockHandle handle = locks.acquire(leased(name, 60_000).waitUpTo(Duration.ofSeconds(60)));
            holds++;
            try {
                handle.close();
            } catch (LockReleaseUnconfirmedException e) {
                // The cluster as a whole is down for a moment.
            }
        }
        return holds;
    }

    /** The socket of a frozen server stays open, so only silence shows it. Takes a failover. */
    @Tag(TestLength.FULL)
    @Test
    void aFrozenMasterIsFollowedByItsReplicaAndGrantsNothingWhenItWakesUp() {
        RedisCluster cluster = RedisCluster.shared();
        RedisLockTemplate first = on(cluster.addresses());
        RedisLockTemplate second = on(cluster.addresses());
        Templates.warmUp(first);
        Templates.warmUp(second);
        ClusterNode frozen = cluster.masterOf("lock:{frozen}");
        LockHandle before = first.acquire(leased("frozen", 60_000));
        before.close();

        frozen.freeze();
        LockHandle after = second.acquire(leased("frozen", 60_000).waitUpTo(Duration.ofSeconds(60)));
        assertThat(after.fencingToken()).isGreaterThan(before.fencingToken());
        frozen.wake();

        for (int i = 0; i < 20; i++) {
            assertThat(isTaken(first)).as("by the one that has it").isTrue();
        }
        cluster.awaitWhole();
        assertThat(isTaken(first)).isTrue();
        assertThat(after.isHeld()).isTrue();
        after.close();
        first.acquire(leased("frozen", 60_000).waitUpTo(Duration.ofSeconds(60))).close();
    }

    /** A moment in which no server replies is no grant. */
    private static boolean isTaken(RedisLockTemplate locks) {
        try {
            return locks.tryAcquire(leased("frozen", 60_000).noWait()).isEmpty();
        } catch (LockUnavailableException e) {
            return true;
        }
    }

    /** Takes failovers by command. */
    @Tag(TestLength.FULL)
    @Test
    void callersDoNotNoticeThatAMasterChangesPlacesWithItsReplica() {
        RedisCluster cluster = RedisCluster.shared();
        RedisLockTemplate first = on(cluster.addresses());
        RedisLockTemplate second = on(cluster.addresses());
        Templates.warmUp(first);
        Templates.warmUp(second);
        long last = 0;
        for (int i = 0; i < 3; i++) {
            LockHandle held = first.acquire(leased("kept", 60_000).waitUpTo(Duration.ofSeconds(60)));
            assertThat(held.fencingToken()).isGreaterThan(last);
            cluster.failover(cluster.replicasOf(cluster.masterOf("lock:{kept}")).get(0));
            assertThat(second.tryAcquire(leased("kept", 60_000).noWait())).isEmpty();
            last = held.fencingToken();
            held.close();
            cluster.awaitWhole();
        }
    }

    private static String nameAt(RedisCluster cluster, ClusterNode node, String prefix) {
        for (int i = 0; ; i++) {
            if (cluster.masterOf("lock:{" + prefix + i + "}") == node) {
                return prefix + i;
            }
        }
    }

    @Test
    void startsWithoutAnyServerAndReportsWhy() {
        RedisLockTemplate template = on(List.of("127.0.0.1:" + EmbeddedRedis.freePort()));
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> template.acquire(leased("a", 5_000).waitUpTo(Duration.ofMillis(500))))
                .withMessageContaining("Redis Cluster at 127.0.0.1:");
    }

    @Test
    void reportsThatTheServerIsNotACluster() {
        try (EmbeddedRedis single = EmbeddedRedis.start()) {
            RedisLockTemplate template = on(List.of("127.0.0.1:" + single.port()));
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> template.acquire(leased("a", 5_000).waitUpTo(Duration.ofMillis(500))))
                    .withMessageContaining("cluster support disabled");
        }
    }
}
