/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.distributedlock.LockHandle;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.SlotMove;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;

/** Clusters that name their servers in other ways, lack slots or rights, or can be reached in part only. */
class UnusualClusterTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    /** Two masters, and a replica of each. A long node time-out: no server must be declared dead. */
    private static RedisCluster cluster;

    private final Templates templates = new Templates();

    private final TestCallers callers = new TestCallers();

    private final Map<String, String> usual = Map.of(
            "cluster-preferred-endpoint-type", "ip",
            "cluster-announce-hostname", "",
            "cluster-require-full-coverage", "yes");

    private ClusterNode master;

    private ClusterNode other;

    @BeforeEach
    void find() {
        master = cluster.masterOf("lock:{unusual}");
        other = cluster.masters().stream()
                .filter(node -> node != master)
                .findFirst()
                .orElseThrow();
    }

    @AfterEach
    void restore() {
        callers.close();
        templates.close();
        usual.forEach(UnusualClusterTests::setAll);
        cluster.awaitWhole();
        cluster.flush();
    }

    @BeforeAll
    static void start() {
        Templates.warmUpThisJvm();
        cluster = RedisCluster.start(2, 1, Duration.ofSeconds(60));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void setAll(String setting, String value) {
        cluster.nodes().forEach(node -> node.text("CONFIG", "SET", setting, value));
    }

    private RedisLockTemplate locks() {
        return locks(cluster.addresses());
    }

    private RedisLockTemplate locks(List<String> seeds) {
        return locks(new RedisClusterConfiguration(seeds));
    }

    private RedisLockTemplate locks(RedisClusterConfiguration target) {
        return locks(target, Templates.PATIENT);
    }

    private RedisLockTemplate locks(RedisClusterConfiguration target, EngineSettings settings) {
        return templates.on(StandaloneServer.connectionFactory(target), settings);
    }

    /** Where the locks are not available. */
    private RedisLockTemplate impatient() {
        return locks(new RedisClusterConfiguration(cluster.addresses()), Templates.IMPATIENT);
    }

    /** A server that does not know its own address redirects to a port of the address that the client has used. */
    @ParameterizedTest
    @ValueSource(strings = {"unknown-endpoint", "hostname"})
    void redirectionsAreFollowedHoweverServersAreNamed(String endpoint) {
        setAll("cluster-announce-hostname", "localhost");
        setAll("cluster-preferred-endpoint-type", endpoint);
        RedisLockTemplate locks = locks();
        Templates.warmUp(locks);
        long asked = errors(master, "ASK");
        long moved = errors(master, "MOVED");
        SlotMove move = cluster.move(cluster.slotOf("lock:{unusual}"), other).begin();
        try (LockHandle handle = locks.acquire(leased("unusual", 20_000))) {
            assertThat(handle.isHeld()).as("at the target").isTrue();
        }
        assertThat(errors(master, "ASK")).isGreaterThan(asked);
        move.finish();
        LockHandle handle = locks.acquire(leased("unusual", 20_000));
        assertThat(errors(master, "MOVED")).isGreaterThan(moved);
        cluster.move(move.slot(), master).begin().finish();
        assertThat(locks.acquire(leased("unusual", 20_000)).fencingToken()).isEqualTo(handle.fencingToken());
        handle.close();
    }

    @Test
    void redirectionsAreFollowedAlthoughTheApplicationFollowsNone() {
        RedisClusterConfiguration target = new RedisClusterConfiguration(cluster.addresses());
        target.setMaxRedirects(0);
        RedisLockTemplate locks = locks(target);
        Templates.warmUp(locks);
        SlotMove move = cluster.move(cluster.slotOf("lock:{unusual}"), other).begin();

        locks.acquire(leased("unusual", 20_000).waitUpTo(Duration.ofSeconds(5))).close();

        move.abandon();
    }

    /** The text goes to the server that has the slot, which names the other one again. */
    @Test
    void aScriptThatTheTargetOfAMoveDoesNotKnowIsSentAsText() {
        RedisLockTemplate locks = locks();
        Templates.warmUp(locks);
        other.text("SCRIPT", "FLUSH");
        long unknown = errors(other, "NOSCRIPT");
        long asked = errors(master, "ASK");
        SlotMove move = cluster.move(cluster.slotOf("lock:{unusual}"), other).begin();
        locks.acquire(leased("unusual", 20_000)).close();
        assertThat(errors(other, "NOSCRIPT")).isGreaterThan(unknown);
        assertThat(errors(master, "ASK")).isGreaterThan(asked);
        move.abandon();
    }

    private static long errors(ClusterNode node, String kind) {
        return node.text("INFO", "errorstats")
                .lines()
                .filter(line -> line.startsWith("errorstat_" + kind + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*count=(\\d+).*", "$1")))
                .sum();
    }

    /** By default, a cluster that lacks a master for a slot refuses all commands. */
    @Tag(TestLength.FULL)
    @ParameterizedTest
    @ValueSource(strings = {"yes", "no"})
    void aSlotWithoutAMasterIsNamed(String wholeOnly) {
        setAll("cluster-require-full-coverage", wholeOnly);
        RedisLockTemplate locks = impatient();
        Templates.warmUp(locks);
        String slot = Integer.toString(cluster.slotOf("lock:{unusual}"));
        String elsewhere = nameAt(other);
        cluster.nodes().forEach(node -> node.text("CLUSTER", "DELSLOTS", slot));
        try {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> locks.acquire(leased("unusual", 5_000).waitUpTo(Duration.ofMillis(700))))
                    .withMessageContaining("CLUSTERDOWN Hash slot not served");
            if (wholeOnly.equals("no")) {
                locks.acquire(leased(elsewhere, 5_000)).close();
            }
        } finally {
            cluster.nodes().stream()
                    .filter(ClusterNode::isMaster)
                    .forEach(node -> node.text("CLUSTER", "SETSLOT", slot, "NODE", master.id()));
        }
        cluster.awaitWhole();
        locks.acquire(leased("unusual", 5_000).waitUpTo(LONG)).close();
    }

    private static String nameAt(ClusterNode node) {
        for (int i = 0; ; i++) {
            if (cluster.masterOf("lock:{n" + i + "}") == node) {
                return "n" + i;
            }
        }
    }

    @Test
    void aReplicaAsTheOnlyReachableSeedIsEnough() {
        ClusterNode replica = await().atMost(LONG)
                .until(() -> cluster.replicasOf(master), replicas -> !replicas.isEmpty())
                .get(0);
        RedisLockTemplate locks = locks(List.of("127.0.0.1:" + EmbeddedRedis.freePort(), replica.toString()));
        try (LockHandle handle = locks.acquire(leased("unusual", 5_000).waitUpTo(LONG))) {
            assertThat(master.text("EXISTS", "lock:{unusual}")).isEqualTo("1");
            assertThat(handle.isHeld()).isTrue();
        }
    }

    /** As behind an address translation that the servers do not know of. */
    @Tag(TestLength.FULL)
    @Test
    void announcedAddressesThatCannotBeReachedAreNamed() {
        int nowhere = EmbeddedRedis.freePort();
        cluster.nodes().forEach(node -> node.text("CONFIG", "SET", "cluster-announce-port", "" + nowhere));
        try {
            await().atMost(LONG)
                    .until(() -> cluster.nodes().stream()
                            .allMatch(node -> node.text("CLUSTER", "NODES")
                                    .lines()
                                    .allMatch(row -> row.contains(":" + nowhere + "@"))));
            RedisLockTemplate locks = impatient();
            assertUnavailable(locks, ":" + nowhere);
        } finally {
            cluster.nodes().forEach(node -> node.text("CONFIG", "SET", "cluster-announce-port", "0"));
        }
    }

    /** Of a user without these rights, and of a server before Redis 7, which has no such commands. */
    @ParameterizedTest
    @CsvSource({
        "-ssubscribe, (SSUBSCRIBE)",
        "-spublish, SPUBLISH in a script is refused",
        "-pubsub|shardnumsub, PUBSUB SHARDNUMSUB in a script is refused"
    })
    void withoutShardedChannelsAWaiterSendsRequestsAndAWarningSaysWhy(String right, String named) {
        cluster.nodes()
                .forEach(node ->
                        node.text("ACL", "SETUSER", "limited", "reset", "on", ">pw", "~*", "&*", "+@all", right));
        RedisClusterConfiguration target = new RedisClusterConfiguration(cluster.addresses());
        target.setUsername("limited");
        target.setPassword("pw");
        try (Logs logs = Logs.capture(Level.WARN)) {
            RedisLockTemplate first = locks(target);
            RedisLockTemplate second = locks(target);
            LockHandle handle = first.acquire(leased("unusual", 20_000).waitUpTo(LONG));
            TestCallers.Call<LockHandle> waiter =
                    callers.call(() -> second.acquire(leased("unusual", 20_000).waitUpTo(LONG)));
            await().atMost(LONG)
                    .ignoreException(LockUnavailableException.class)
                    .until(() -> first.inspect("unusual").orElseThrow().waitingInstances() == 1);
            handle.close();
            waiter.get().close();
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(logs.of("io.distributedlock.redis"))
                            .filteredOn(line -> line.contains(named))
                            .hasSize(2));
        }
    }

    /** Without it there is no connection. */
    @Tag(TestLength.FULL)
    @Test
    void aUserWhoMayNotReadTheTopologyIsNamed() {
        cluster.nodes()
                .forEach(node -> node.text(
                        "ACL", "SETUSER", "limited", "reset", "on", ">pw", "~*", "&*", "+@all", "-cluster|nodes"));
        RedisClusterConfiguration target = new RedisClusterConfiguration(cluster.addresses());
        target.setUsername("limited");
        target.setPassword("pw");
        RedisLockTemplate locks = locks(target, Templates.IMPATIENT);
        assertUnavailable(locks, "cluster|nodes");
    }

    /** The reason is known when a connection has failed, which may take longer than a time-out on a busy machine. */
    private static void assertUnavailable(RedisLockTemplate locks, String reason) {
        await().atMost(LONG)
                .untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
                        .isThrownBy(() -> locks.acquire(leased("unusual", 5_000).waitUpTo(Duration.ofSeconds(3))))
                        .withMessageContaining(reason));
    }

    /** One for commands and one for messages. Lettuce has one more of each, to any servers. */
    @Test
    void anInstanceHasTwoConnectionsToEachMaster() {
        RedisLockTemplate locks = locks();
        Templates.warmUp(locks);
        locks.acquire(leased("unusual", 5_000)).close();
        locks.acquire(leased(nameAt(other), 5_000)).close();
        String name = "name=lock:" + locks.activity().instance();
        await().atMost(LONG).untilAsserted(() -> {
            List<Long> connections = cluster.masters().stream()
                    .map(node -> connections(node, name))
                    .toList();
            assertThat(connections).allMatch(count -> count >= 2);
            long all = cluster.nodes().stream()
                    .mapToLong(node -> connections(node, name))
                    .sum();
            assertThat(all).isBetween(4L, 6L);
        });
    }

    private static long connections(ClusterNode node, String name) {
        return node.text("CLIENT", "LIST")
                .lines()
                .filter(line -> line.contains(name))
                .count();
    }
}
