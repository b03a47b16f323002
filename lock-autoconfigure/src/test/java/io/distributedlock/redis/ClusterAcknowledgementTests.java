/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.SlotMove;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Grants and renewals in a cluster that count only when a replica of the master has them. */
class ClusterAcknowledgementTests {

    /** Where no replica confirms. */
    private static final Duration TIMEOUT = Duration.ofMillis(500);

    /** Where a replica confirms, however busy the machine is. */
    private static final Duration ENOUGH = Duration.ofSeconds(5);

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final String SHORTFALL = "only 0 of the 1 replicas";

    private static final String LOCK = "lock:{confirmed}";

    /** A long node time-out: on a busy machine, no server must be declared dead. */
    private static RedisCluster whole;

    private final Templates templates = new Templates();

    private final TestCallers callers = new TestCallers();

    private RedisCluster cluster;

    private ClusterNode master;

    private ClusterNode replica;

    private static RedisCluster start() {
        return RedisCluster.start(3, 1, Duration.ofSeconds(15));
    }

    @BeforeEach
    void useTheWholeCluster() {
        use(whole);
    }

    private void use(RedisCluster used) {
        cluster = used;
        master = cluster.masterOf(LOCK);
        // A server may hear later than the replica itself whom it follows.
        replica = await().atMost(LONG)
                .until(() -> cluster.replicasOf(master), replicas -> !replicas.isEmpty())
                .get(0);
    }

    @AfterEach
    void stop() {
        callers.close();
        templates.close();
        whole.flush();
    }

    @BeforeAll
    static void startAll() {
        Templates.warmUpThisJvm();
        whole = start();
    }

    @AfterAll
    static void stopServers() {
        whole.close();
    }

    private RedisLockTemplate locks(int acknowledge) {
        return locks(acknowledge, ENOUGH);
    }

    private RedisLockTemplate locks(int acknowledge, Duration timeout) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                new RedisClusterConfiguration(cluster.addresses()),
                LettuceClientConfiguration.builder()
                        .clientResources(StandaloneServer.resources())
                        .build());
        factory.afterPropertiesSet();
        factory.start();
        RedisLockTemplate locks = new RedisLockTemplate(
                factory, Templates.PREFIX, Templates.PATIENT, event -> {}, true, () -> null, acknowledge, timeout);
        return templates.started(locks, factory);
    }

    private String nameAt(ClusterNode node, int number) {
        for (int i = 0; ; i++) {
            String name = "n" + number + "-" + i;
            if (cluster.masterOf("lock:{" + name + "}") == node) {
                return name;
            }
        }
    }

    private ClusterNode otherMaster() {
        return cluster.masters().stream()
                .filter(node -> node != master)
                .findFirst()
                .orElseThrow();
    }

    /** Other shards are not affected. */
    @Test
    void aGrantThatNoReplicaOfItsMasterConfirmsIsReleasedInTime() {
        RedisLockTemplate locks = locks(1, TIMEOUT);
        acquireInTheEnd(locks, "confirmed").close();
        String elsewhere = nameAt(otherMaster(), 0);
        replica.freeze();
        long began = System.nanoTime();
        try {
            assertThatThrownBy(() -> locks.acquire(leased("confirmed", 60_000)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining(SHORTFALL);
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            System.out.println("A grant that was not confirmed was refused after " + took.toMillis() + " ms");
            assertThat(took.minus(Noise.longestSince(began))).isLessThan(Duration.ofSeconds(2));
            assertThat(took).isGreaterThanOrEqualTo(TIMEOUT);
            acquireInTheEnd(locks, elsewhere).close();
        } finally {
            replica.wake();
        }
        await().atMost(LONG).until(() -> master.text("EXISTS", LOCK).equals("0"));
        acquireInTheEnd(locks, "confirmed").close();
    }

    /** On a busy machine, a replica may confirm too late for the time-out. */
    private static LockHandle acquireInTheEnd(RedisLockTemplate locks, String name) {
        return await().atMost(LONG).ignoreExceptions().until(() -> locks.acquire(leased(name, 60_000)), handle -> true);
    }

    @Test
    void aHandOverThatNoReplicaConfirmsIsNoHold() {
        RedisLockTemplate first = locks(1);
        RedisLockTemplate second = locks(1, TIMEOUT);
        acquireInTheEnd(second, "confirmed").close();
        LockHandle handle = first.acquire(leased("confirmed", 60_000));
        CompletableFuture<LockHandle> waiting =
                second.acquireAsync(leased("confirmed", 60_000).waitForever()).toCompletableFuture();
        await().atMost(LONG)
                .until(() -> first.inspect("confirmed").orElseThrow().waitingInstances() == 1);
        replica.freeze();
        try {
            handle.close();
            assertThatThrownBy(waiting::join).hasRootCauseInstanceOf(AcknowledgedRenewal.ShortfallException.class);
        } finally {
            replica.wake();
        }
    }

    /** The server that has the lock at the moment renews, and the replicas of that server confirm. */
    @Test
    void grantsAndRenewalsAreConfirmedWhileTheirSlotMoves() {
        moveTheSlotAndRenew();
    }

    /** Lettuce knows the servers by their hostnames then, and a redirection has the address. */
    @Test
    void grantsAndRenewalsAreConfirmedWhileTheirSlotMovesBetweenServersThatAnnounceHostnames() {
        setAll("cluster-announce-hostname", "localhost");
        try {
            await().atMost(LONG).until(() -> cluster.nodes().stream().allMatch(this::knowsHostnames));
            moveTheSlotAndRenew();
        } finally {
            setAll("cluster-announce-hostname", "");
        }
    }

    private boolean knowsHostnames(ClusterNode node) {
        return node.text("CLUSTER", "NODES").lines().allMatch(row -> row.split(" ")[1].endsWith(",localhost"));
    }

    private void setAll(String parameter, String value) {
        cluster.nodes().forEach(node -> node.text("CONFIG", "SET", parameter, value));
    }

    private void moveTheSlotAndRenew() {
        RedisLockTemplate locks = locks(1);
        ClusterNode target = otherMaster();
        long waited = waits(target);
        LockHandle held = locks.acquire(leased("confirmed", 3_000));
        SlotMove move = cluster.move(cluster.slotOf(LOCK), target).begin();
        HoldAssertions.awaitRenewals(held, 1);
        held.close();
        assertThatCode(() -> locks.acquire(leased("confirmed", 60_000)).close())
                .as("a grant while the slot moves")
                .doesNotThrowAnyException();
        LockHandle moved = locks.acquire(leased("confirmed", 3_000));
        move.migrateKeys();
        HoldAssertions.awaitRenewals(moved, 1);
        move.finish();
        HoldAssertions.awaitRenewals(moved, 1);
        assertThat(moved.isHeld()).isTrue();
        moved.close();
        locks.acquire(leased("confirmed", 60_000)).close();
        cluster.move(move.slot(), master).begin().finish();
        assertThat(waits(target)).as("calls of WAIT at the target").isGreaterThan(waited);
    }

    private static long waits(ClusterNode node) {
        return node.text("INFO", "commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_wait:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))
                .sum();
    }

    @Test
    void onlyAnInstanceThatRequiresItWaitsAndHasAThirdConnection() {
        long waited = waits(master);
        RedisLockTemplate plain = locks(0);
        plain.acquire(leased("confirmed", 10_000)).close();
        assertThat(waits(master)).isEqualTo(waited);
        assertThat(waitingConnections(plain)).isZero();
        RedisLockTemplate confirmed = locks(1);
        confirmed.acquire(leased("confirmed", 10_000)).close();
        assertThat(waits(master)).isGreaterThan(waited);
        assertThat(waitingConnections(confirmed)).isOne();
    }

    private long waitingConnections(RedisLockTemplate locks) {
        String name = "name=lock:" + locks.activity().instance() + "@";
        return master.text("CLIENT", "LIST")
                .lines()
                .filter(line -> line.contains(name) && line.contains(" cmd=wait "))
                .count();
    }

    /** The master keeps granting locks to instances that require no confirmation; a failover loses these. */
    @Tag(TestLength.FULL)
    @Test
    void aPromotedReplicaHasEveryLockThatWasGranted() {
        try (RedisCluster doomed = start()) {
            use(doomed);
            RedisLockTemplate locks = locks(1);
            RedisLockTemplate careless = locks(0);
            careless.acquire(leased("confirmed", 60_000)).close();
            Set<String> granted = ConcurrentHashMap.newKeySet();
            List<TestCallers.Call<?>> calls = List.of(
                    callers.call(() -> acquireUntilRefused(locks, 1, granted)),
                    callers.call(() -> acquireUntilRefused(locks, 2, granted)),
                    callers.call(() -> acquireUntilRefused(locks, 3, granted)));
            await().atMost(LONG).until(() -> granted.size() > 60);
            replica.freeze();
            master.text("CLIENT", "KILL", "TYPE", "replica");
            calls.forEach(TestCallers.Call::get);
            careless.acquire(leased("confirmed", 60_000));
            master.kill();
            replica.wake();
            replica.text("CLUSTER", "FAILOVER", "TAKEOVER");
            cluster.awaitMaster(replica);

            try (RespClient client = replica.connect()) {
                assertThat(client.keys("lock:*")).containsAll(granted).doesNotContain(LOCK);
            }
        } finally {
            callers.close();
            templates.close();
        }
    }

    private Void acquireUntilRefused(RedisLockTemplate locks, int number, Set<String> granted) {
        for (int i = 0; ; i++) {
            String name = nameAt(master, number * 10_000 + i);
            try {
                locks.acquire(leased(name, 600_000));
                granted.add("lock:{" + name + "}");
            } catch (LockUnavailableException e) {
                return null;
            }
        }
    }
}
