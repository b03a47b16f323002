/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Two servers that redirect to each other. */
@Tag(TestLength.FULL)
class ClusterStormTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final int CALLERS = 16;

    private static final Duration MEASURED = Duration.ofSeconds(3);

    /** Another client sent 30 000 commands a second then. */
    private static final int MOST_COMMANDS_IN_A_SECOND = 30;

    private static final long MOST_FOR_MANY_LOCKS = 50;

    private static final int HELD = 20;

    private static final int WANTED = 60;

    private static final int TRIED = 10;

    private static final int AFFECTED = HELD + WANTED + TRIED;

    private static final Duration RECOVERY = Duration.ofSeconds(2);

    @Test
    void callersOfALockThatNoServerAdmitsToHaveSendFewCommands() {
        try (RedisCluster cluster = RedisCluster.start(2, 0, Duration.ofSeconds(60));
                Templates templates = new Templates();
                TestCallers callers = new TestCallers();
                ClusterServer server = new ClusterServer(cluster)) {
            RedisLockTemplate locks = templates.on(server.newConnectionFactory());
            Templates.warmUp(locks);
            ClusterNode one = cluster.masterOf("lock:{storm}");
            ClusterNode two = cluster.masters().stream()
                    .filter(node -> node != one)
                    .findFirst()
                    .orElseThrow();
            String slot = Integer.toString(cluster.slotOf("lock:{storm}"));
            // Each believes the other one to have the slot, and neither tells the other one that it has it.
            one.text("CLUSTER", "SETSLOT", slot, "NODE", two.id());

            List<TestCallers.Call<Boolean>> calls = IntStream.range(0, CALLERS)
                    .mapToObj(i -> callers.call(() -> {
                        locks.acquire(leased("storm", 20_000).waitUpTo(LONG)).close();
                        return true;
                    }))
                    .toList();
            await().atMost(LONG).until(() -> moved(one) + moved(two) > 0);
            Stopwatch watch = Stopwatch.start();
            long before = moved(one) + moved(two);
            HoldAssertions.assertAllTheTime(MEASURED, () -> assertThat(calls).noneMatch(TestCallers.Call::isDone));
            long commands = moved(one) + moved(two) - before;
            long perSecond = commands * 1_000 / watch.elapsed().toMillis();
            System.out.println("While two servers redirect to each other: " + perSecond + " commands a second");
            assertThat(perSecond).isBetween(1L, (long) MOST_COMMANDS_IN_A_SECOND);

            one.text("CLUSTER", "SETSLOT", slot, "NODE", one.id());
            assertThat(calls).allMatch(TestCallers.Call::get);
        }
    }

    /** Locks that are held, waited for and tried all the time, and one whose slot is not affected. */
    @Test
    void manyLocksThatNoServerAdmitsToHaveSendFewCommandsTogether() {
        try (RedisCluster cluster = RedisCluster.start(2, 0, Duration.ofSeconds(60));
                Templates templates = new Templates();
                TestCallers callers = new TestCallers();
                ClusterServer server = new ClusterServer(cluster)) {
            RedisLockTemplate locks = templates.on(server.newConnectionFactory());
            Templates.warmUp(locks);
            List<String> names = namesOfOneMaster(cluster);
            List<LockHandle> held = names.subList(0, HELD).stream()
                    .map(name -> locks.acquire(leased(name, 15_000)))
                    .toList();
            redirect(cluster, names);
            AtomicBoolean over = new AtomicBoolean();
            AtomicLong uses = new AtomicLong();
            List<CompletableFuture<LockHandle>> wanted = names.subList(HELD, HELD + WANTED).stream()
                    .map(name -> locks.acquireAsync(leased(name, 20_000).waitUpTo(LONG))
                            .toCompletableFuture())
                    .toList();
            List<TestCallers.Call<Boolean>> tries = new ArrayList<>();
            names.subList(HELD + WANTED, AFFECTED)
                    .forEach(name -> tries.add(callers.call(() -> tryUntil(over, locks, name))));
            tries.add(callers.call(() -> useUntil(over, locks, names.get(AFFECTED), uses)));

            // The first command for each slot is not limited. For a lock that is held, it is the first renewal.
            await().atMost(LONG).until(() -> moved(cluster) > 6L * AFFECTED);
            HoldAssertions.assertAllTheTime(Duration.ofSeconds(1), () -> {});
            Stopwatch watch = Stopwatch.start();
            long before = moved(cluster);
            long usesBefore = uses.get();
            HoldAssertions.assertAllTheTime(MEASURED, () -> assertThat(wanted).noneMatch(CompletableFuture::isDone));
            long perSecond = (moved(cluster) - before) * 1_000 / watch.elapsed().toMillis();
            System.out.println("While two servers redirect " + AFFECTED + " locks to each other: " + perSecond
                    + " commands a second, and " + (uses.get() - usesBefore) + " holds of another lock");
            assertThat(perSecond).isBetween(1L, MOST_FOR_MANY_LOCKS);
            assertThat(uses.get() - usesBefore).as("holds of another lock").isGreaterThan(30);

            endRedirections(cluster, names);
            Stopwatch recovery = Stopwatch.start();
            await().atMost(LONG).until(() -> wanted.stream().allMatch(CompletableFuture::isDone));
            Duration recovered = recovery.elapsed();
            System.out.println("After that, " + WANTED + " locks were granted within " + recovered.toMillis() + " ms");
            over.set(true);
            assertThat(tries).allMatch(TestCallers.Call::get);
            assertThat(recovered).isLessThan(RECOVERY.plus(Noise.now()));
            assertThat(held).allMatch(LockHandle::isHeld);
            held.forEach(LockHandle::close);
            wanted.forEach(each -> TestCallers.get(each).close());
        }
    }

    /** The renewals of such locks are sent on connections of their own. */
    @Test
    void manyHeldLocksThatReplicasAcknowledgeSendFewCommandsTogether() {
        try (RedisCluster cluster = RedisCluster.start(2, 1, Duration.ofSeconds(60));
                Templates templates = new Templates();
                ClusterServer server = new ClusterServer(cluster)) {
            LettuceConnectionFactory factory = server.newConnectionFactory();
            RedisLockTemplate locks = templates.started(
                    new RedisLockTemplate(
                            factory,
                            Templates.PREFIX,
                            Templates.PATIENT,
                            event -> {},
                            true,
                            () -> null,
                            1,
                            Duration.ofSeconds(1)),
                    factory);
            Templates.warmUp(locks);
            List<String> names = namesOfOneMaster(cluster);
            List<LockHandle> held = names.subList(0, AFFECTED).stream()
                    .map(name -> locks.acquire(leased(name, 30_000).waitUpTo(LONG)))
                    .toList();
            redirect(cluster, names);

            // The first request for each slot is not limited.
            await().atMost(LONG).until(() -> moved(cluster) > 6L * AFFECTED);
            HoldAssertions.assertAllTheTime(Duration.ofSeconds(1), () -> {});
            Stopwatch watch = Stopwatch.start();
            long before = moved(cluster);
            HoldAssertions.assertAllTheTime(MEASURED, () -> assertThat(held).allMatch(LockHandle::isHeld));
            long perSecond = (moved(cluster) - before) * 1_000 / watch.elapsed().toMillis();
            System.out.println("While two servers redirect " + AFFECTED + " acknowledged locks to each other: "
                    + perSecond + " commands a second");
            assertThat(perSecond).isBetween(1L, MOST_FOR_MANY_LOCKS);

            endRedirections(cluster, names);
            await().atMost(LONG)
                    .until(() ->
                            held.stream().allMatch(each -> each.remainingLease().toMillis() > 20_000));
            held.forEach(LockHandle::close);
        }
    }

    /** The last one is not affected. */
    private static List<String> namesOfOneMaster(RedisCluster cluster) {
        ClusterNode one = cluster.masters().get(0);
        Set<Integer> slots = new HashSet<>();
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "storm-" + i)
                .filter(name -> cluster.masterOf(entry(name)) == one && slots.add(cluster.slotOf(entry(name))))
                .limit(AFFECTED + 1)
                .toList();
    }

    private static void redirect(RedisCluster cluster, List<String> names) {
        ClusterNode one = cluster.masters().get(0);
        ClusterNode two = cluster.masters().get(1);
        for (String name : names.subList(0, AFFECTED)) {
            String slot = Integer.toString(cluster.slotOf(entry(name)));
            // Otherwise it refuses to give away a slot that has keys.
            one.text("CLUSTER", "DELSLOTS", slot);
            one.text("CLUSTER", "SETSLOT", slot, "NODE", two.id());
        }
    }

    private static void endRedirections(RedisCluster cluster, List<String> names) {
        ClusterNode one = cluster.masters().get(0);
        for (String name : names.subList(0, AFFECTED)) {
            one.text("CLUSTER", "SETSLOT", Integer.toString(cluster.slotOf(entry(name))), "NODE", one.id());
        }
    }

    private static String entry(String name) {
        return "lock:{" + name + "}";
    }

    private static boolean useUntil(AtomicBoolean over, RedisLockTemplate locks, String name, AtomicLong uses) {
        while (!over.get()) {
            locks.acquire(leased(name, 20_000).waitUpTo(LONG)).close();
            uses.incrementAndGet();
        }
        return true;
    }

    /** Tries once, again and again, whatever the outcome. */
    private static boolean tryUntil(AtomicBoolean over, RedisLockTemplate locks, String name) {
        while (!over.get()) {
            try {
                locks.tryAcquire(LockRequest.of(name).noWait()).ifPresent(LockHandle::close);
            } catch (LockUnavailableException expected) {
                Thread.yield();
            }
        }
        return true;
    }

    private static long moved(RedisCluster cluster) {
        return cluster.masters().stream().mapToLong(ClusterStormTests::moved).sum();
    }

    private static long moved(ClusterNode node) {
        return node.text("INFO", "errorstats")
                .lines()
                .filter(line -> line.startsWith("errorstat_MOVED:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*count=(\\d+).*", "$1")))
                .sum();
    }
}
