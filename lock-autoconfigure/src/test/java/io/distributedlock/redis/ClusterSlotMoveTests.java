/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.CommandLog;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.SlotMove;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Locks go on as if nothing was, while the cluster moves their slots and its masters change places with their replicas.
 */
class ClusterSlotMoveTests {

    /** A long node time-out: on a busy machine, servers must not take each other for dead. */
    private static ClusterServer server;

    private final RedisCluster cluster = server.cluster();

    private final Templates templates = new Templates();

    private final TestCallers callers = new TestCallers();

    @AfterEach
    void close() {
        callers.close();
        templates.close();
        cluster.flush();
    }

    @BeforeAll
    static void start() {
        Templates.warmUpThisJvm();
        server = new ClusterServer(RedisCluster.start(3, 0, Duration.ofSeconds(15)));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private RedisLockTemplate template() {
        return templates.on(server.newConnectionFactory());
    }

    private ClusterNode otherThan(ClusterNode master) {
        return cluster.masters().stream()
                .filter(node -> node != master)
                .findFirst()
                .orElseThrow();
    }

    private SlotMove moveOf(String name) {
        int slot = cluster.slotOf("lock:{" + name + "}");
        return cluster.move(slot, otherThan(cluster.masterOf(slot)));
    }

    @Test
    void aLockIsTakenReleasedAndHandedOverWhileItsSlotMoves() {
        RedisLockTemplate first = template();
        RedisLockTemplate second = template();
        LockHandle held = first.acquire(leased("held", 20_000));
        SlotMove move = moveOf("held").begin();

        assertThat(second.tryAcquire(leased("held", 20_000).noWait())).isEmpty();
        TestCallers.Call<LockHandle> waiter = callers.call(() -> second.acquire(leased("held", 20_000)));
        await().until(() -> first.inspect("held").orElseThrow().waitingInstances() == 1);
        held.close();
        LockHandle next = waiter.get();
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());

        move.migrateKeys();
        assertThat(first.tryAcquire(leased("held", 20_000).noWait())).isEmpty();
        next.extend(Duration.ofSeconds(30));
        next.close();
        LockHandle free = first.acquire(leased("held", 20_000));
        assertThat(free.fencingToken()).isGreaterThan(next.fencingToken());
        move.finish();
        assertThat(free.isHeld()).isTrue();
        free.close();
    }

    /** The script runs at the target of the move, and cannot send a message to a channel of the source. */
    @Test
    void anotherInstanceHasItsTurnWhileASlotMoves() {
        RedisLockTemplate first = template();
        RedisLockTemplate second = template();
        SlotMove move = moveOf("turns").begin();
        Load crowd = new Load(() -> second.inspect("turns"), List.of(first, first, first, first), "turns");
        crowd.awaitHolds(20);

        for (int turn = 0; turn < 3; turn++) {
            Optional<LockHandle> handle =
                    second.tryAcquire(leased("turns", 60_000).waitUpTo(Duration.ofSeconds(15)));
            assertThat(handle).as("turn " + turn).isPresent();
            handle.orElseThrow().close();
        }
        crowd.stop();
        move.finish();
    }

    @Test
    void aHandOverIsOneMessageToTheChannelInTheShardOfTheLock() {
        RedisLockTemplate first = template();
        RedisLockTemplate second = template();
        LockHandle held = first.acquire(leased("told", 60_000));
        try (CommandLog log = CommandLog.open(server.serverOf("lock:{told}"))) {
            TestCallers.Call<LockHandle> waiter = callers.call(() -> second.acquire(leased("told", 60_000)));
            await().until(() -> first.inspect("told").orElseThrow().waitingInstances() == 1);
            held.close();
            waiter.get().close();
            assertThat(log.calls("spublish"))
                    .filteredOn(entry -> entry.words().get(1).startsWith("grant "))
                    .hasSize(1);
        }
    }

    /** The waiter's channel is in the shard that had the lock; no message reaches it any more. */
    @Test
    void aWaiterWhoseLockHasMovedQueuesUnderANewChannel() {
        RedisLockTemplate first = template();
        RedisLockTemplate second = template();
        LockHandle held = first.acquire(leased("moved", 60_000));
        TestCallers.Call<LockHandle> waiter = callers.call(() -> second.acquire(leased("moved", 60_000)));
        String key = "lock:{moved}";
        await().until(() -> first.inspect("moved").orElseThrow().waitingInstances() == 1);
        SlotMove move = moveOf("moved").begin();
        move.finish();
        ClusterNode target = move.target();

        await().until(() -> waitsInShardOf(target, key));
        held.close();

        waiter.get().close();
    }

    /** Whether the channel of an acquisition that waits is subscribed at that server. */
    private static boolean waitsInShardOf(ClusterNode node, String key) {
        return node.list("HVALS", key).stream()
                .filter(value -> value.contains(" "))
                .map(value -> value.substring(0, value.indexOf('.') < 0 ? 0 : value.indexOf('.')))
                .filter(id -> id.contains("{"))
                .anyMatch(id -> node.list("PUBSUB", "SHARDCHANNELS").contains("lock:instance:" + id));
    }

    @Test
    void movesUnderLoadLoseNothing() {
        List<RedisLockTemplate> instances = List.of(template(), template(), template());
        Load load = new Load(instances, "a", "b", "c", "d");
        TestCallers.Call<?> moves = callers.call(() -> {
            for (int i = 0; i < 5; i++) {
                for (String name : List.of("a", "b", "c", "d")) {
                    SlotMove move = moveOf(name).begin();
                    load.awaitHolds(5);
                    move.finish();
                }
            }
            return null;
        });
        moves.get();
        load.awaitHolds(100);
        load.stop();
    }

    /** Callers of all instances on a few names; each hold is checked against those of all others. */
    private final class Load {

        private final AtomicBoolean stop = new AtomicBoolean();

        private final Runnable work;

        private final AtomicInteger holds = new AtomicInteger();

        private final List<TestCallers.Call<?>> calls = new ArrayList<>();

        Load(List<RedisLockTemplate> instances, String... names) {
            this(() -> {}, instances, names);
        }

        /** @param work what each holder does */
        Load(Runnable work, List<RedisLockTemplate> instances, String... names) {
            this.work = work;
            for (String name : names) {
                AtomicInteger inside = new AtomicInteger();
                AtomicLong token = new AtomicLong();
                for (RedisLockTemplate instance : instances) {
                    calls.add(callers.call(() -> {
                        while (!stop.get()) {
                            hold(instance, name, inside, token);
                        }
                        return null;
                    }));
                }
            }
        }

        private void hold(RedisLockTemplate instance, String name, AtomicInteger inside, AtomicLong token) {
            Optional<LockHandle> handle =
                    instance.tryAcquire(leased(name, 60_000).waitUpTo(Duration.ofSeconds(60)));
            assertThat(handle).as("got " + name).isPresent();
            try (LockHandle held = handle.orElseThrow()) {
                assertThat(inside.incrementAndGet()).as("holders of " + name).isEqualTo(1);
                assertThat(token.getAndSet(held.fencingToken())).isLessThan(held.fencingToken());
                assertThat(held.isHeld()).isTrue();
                work.run();
                inside.decrementAndGet();
            }
            holds.incrementAndGet();
        }

        void awaitHolds(int more) {
            int until = holds.get() + more;
            await().atMost(Duration.ofSeconds(60)).until(() -> holds.get() >= until || stoppedEarly());
        }

        private boolean stoppedEarly() {
            return calls.stream().anyMatch(TestCallers.Call::isDone);
        }

        void stop() {
            stop.set(true);
            calls.forEach(TestCallers.Call::get);
        }
    }
}
