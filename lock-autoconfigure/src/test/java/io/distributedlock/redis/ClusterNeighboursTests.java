/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.FleetReport;
import io.distributedlock.HoldReport;
import io.distributedlock.InstanceReport;
import io.distributedlock.LockHandle;
import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.TestLength;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Messages between instances of a cluster while slots move and masters are unavailable, and the rights for them. */
class ClusterNeighboursTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final Pattern RULES = Pattern.compile("```\\R(user locks on >change-me .*)\\R```");

    /** A long node time-out: no replica takes the place of a master that is away. */
    private static RedisCluster cluster;

    private final Templates templates = new Templates();

    @AfterEach
    void close() {
        templates.close();
        cluster.flush();
    }

    @BeforeAll
    static void start() {
        Templates.warmUpThisJvm();
        cluster = RedisCluster.start(3, 0, Duration.ofSeconds(60));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private RedisLockTemplate template(String label) {
        return template(label, new RedisClusterConfiguration(cluster.addresses()));
    }

    private RedisLockTemplate template(String label, RedisClusterConfiguration target) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                target,
                LettuceClientConfiguration.builder()
                        .clientResources(StandaloneServer.resources())
                        .build());
        factory.afterPropertiesSet();
        factory.start();
        RedisLockTemplate template = templates.on(factory);
        template.label(() -> label);
        return template;
    }

    private static String id(RedisLockTemplate template) {
        return template.activity().instance();
    }

    private static FleetReport fleet(RedisLockTemplate requester, boolean complete) {
        return await().atMost(LONG)
                .until(
                        () -> requester.fleet("", 10),
                        fleet -> fleet.instances().size() == 3
                                && fleet.instances().stream().allMatch(InstanceReport::replied)
                                && fleet.complete() == complete);
    }

    @Test
    void allInstancesReplyWhileAMasterIsUnavailableAndTheReportIsIncomplete() {
        RedisLockTemplate one = template("till 1");
        RedisLockTemplate two = template("till 2");
        template("till 3");
        fleet(one, true);
        for (ClusterNode away : cluster.masters()) {
            String here = nameAt(other(away));
            LockHandle held = two.acquire(leased(here, 60_000));
            away.freeze();
            try {
                assertThat(fleet(one, false).instances())
                        .extracting(InstanceReport::label)
                        .containsExactlyInAnyOrder("till 1", "till 2", "till 3");
                await().atMost(LONG)
                        .untilAsserted(() -> assertThat(catchThrowable(
                                        () -> one.acquire(leased(here, 60_000).waitUpTo(Duration.ofMillis(20)))))
                                .hasMessageContaining("is held by till 2 for"));
            } finally {
                away.wake();
            }
            fleet(one, true);
            held.close();
        }
    }

    private static ClusterNode other(ClusterNode master) {
        return cluster.masters().stream()
                .filter(node -> node != master)
                .findFirst()
                .orElseThrow();
    }

    private static String nameAt(ClusterNode node) {
        for (int i = 0; ; i++) {
            if (cluster.masterOf("lock:{n" + i + "}") == node) {
                return "n" + i;
            }
        }
    }

    /** The id in the entry names a channel without a subscriber. */
    @Test
    void aHolderWhoseChannelHasMovedIsFoundByAnother() {
        RedisLockTemplate requester = template("till 1");
        RedisLockTemplate holder = template("till 2");
        LockHandle held = holder.acquire(leased("kept", 60_000));
        assertThat(requester.inspect("kept")).isPresent();
        ClusterNode source = cluster.masterOf("lock:{kept}");
        String owner = source.text("HGET", "lock:{kept}", "o");
        String channel = "lock:instance:" + owner.substring(0, owner.indexOf('.'));
        cluster.move(cluster.slotOf(channel), other(source)).begin().finish();
        await().atMost(LONG)
                .until(() -> cluster.masters().stream()
                        .noneMatch(node -> node.list("PUBSUB", "SHARDCHANNELS").contains(channel)));

        HoldReport report = await().atMost(Noise.LATEST)
                .until(() -> requester.holdOf(id(holder), "kept").orElse(null), found -> found != null);

        assertThat(report.label()).isEqualTo("till 2");
        assertThat(report.fencingToken()).isEqualTo(held.fencingToken());
        held.close();
    }

    /** As written down: one line that can be pasted. */
    private static List<String> documentedRights() {
        try {
            Matcher rules = RULES.matcher(Files.readString(Path.of("..", "docs", "cluster.md")));
            assertThat(rules.find()).as("one line in a block of its own").isTrue();
            List<String> words = List.of(rules.group(1).split(" "));
            return words.subList(words.indexOf("locks") + 1, words.size());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theDocumentedRightsAreEnoughForLocksAndMessages() {
        RedisClusterConfiguration target = allowed("locks");
        RedisLockTemplate one = template("till 1", target);
        RedisLockTemplate two = template("till 2", target);
        template("till 3", target);

        LockHandle held = one.acquire(leased("handed over", 60_000));
        CompletableFuture<LockHandle> waiter =
                two.acquireAsync(leased("handed over", 60_000).waitUpTo(LONG)).toCompletableFuture();
        await().atMost(LONG)
                .until(() -> one.inspect("handed over").orElseThrow().waitingInstances() == 1);
        fleet(one, true);
        assertThat(one.line("handed over", 10)).containsExactly(id(two));
        assertThat(one.labels(List.of(id(two)))).containsEntry(id(two), "till 2");
        held.close();
        waiter.join().close();

        assertNothingWasDenied();
    }

    /** Each user has the rights as written down. */
    private static RedisClusterConfiguration allowed(String user) {
        for (ClusterNode node : cluster.nodes()) {
            String[] command = ("ACL SETUSER " + user + " reset " + String.join(" ", documentedRights())).split(" ");
            node.text(command);
            node.text("ACL", "LOG", "RESET");
        }
        RedisClusterConfiguration target = new RedisClusterConfiguration(cluster.addresses());
        target.setUsername(user);
        target.setPassword("change-me");
        return target;
    }

    private static void assertNothingWasDenied() {
        for (ClusterNode node : cluster.nodes()) {
            assertThat(node.list("ACL", "LOG"))
                    .filteredOn(entry -> entry.contains("locks"))
                    .allMatch(entry -> entry.contains("client|set") || entry.contains("info"));
        }
    }

    /** The holder cannot be reached any more, and the label key is not on the server that has the lock. */
    @Tag(TestLength.FULL)
    @Test
    void aDeadHolderIsNamedByItsLabelKey() {
        RedisLockTemplate holder = template("till 7", allowed("locks"));
        String key = "lock:instance:" + id(holder);
        String name = nameAt(other(cluster.masterOf(key)));
        holder.acquire(leased(name, 120_000));
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(cluster.masterOf(key).text("HGET", key, "label"))
                        .isEqualTo("till 7"));
        assertNothingWasDenied();
        for (ClusterNode node : cluster.nodes()) {
            node.text("ACL", "SETUSER", "locks", "off");
            node.text("CLIENT", "KILL", "USER", "locks");
        }

        RedisLockTemplate requester = template("till 1", allowed("locks-asker"));
        await().atMost(Noise.LATEST)
                .untilAsserted(
                        () -> assertThat(requester.inspect(name).orElseThrow().label())
                                .isEqualTo("till 7"));
        await().atMost(Noise.LATEST)
                .untilAsserted(() -> assertThat(catchThrowable(
                                () -> requester.acquire(leased(name, 60_000).waitUpTo(Duration.ofMillis(10)))))
                        .hasMessageContaining("held by till 7 (" + id(holder) + ")"));
        assertNothingWasDenied();
    }

    /** It would otherwise stay after the last lock. */
    @Tag(TestLength.FULL)
    @Test
    void anInstanceThatStopsDeletesItsLabelKey() {
        RedisLockTemplate holder = template("till 7");
        String key = "lock:instance:" + id(holder);
        holder.acquire(leased("kept", 120_000));
        await().atMost(LONG)
                .until(() -> cluster.masterOf(key).text("EXISTS", key).equals("1"));

        holder.stop();

        assertThat(cluster.masterOf(key).text("EXISTS", key)).isEqualTo("0");
    }
}
