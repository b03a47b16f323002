/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.LeakCheck;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A JVM that is killed or stopped while others stand in line, before it or behind it. */
@Tag(TestLength.FULL)
class DeadAndStoppedWaitersTests {

    private static StandaloneServer server;

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final LockRequest REQUEST = LockRequest.of("line").waitForever();

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX, server.redis());

    private final Templates templates = new Templates();

    private final TestCallers callers = new TestCallers();

    private final List<ChildJvm> children = new ArrayList<>();

    private RedisLockTemplate locks;

    private RespClient redis;

    @BeforeEach
    void open() {
        locks = templates.on(server.newConnectionFactory());
        redis = server.redis().connect();
    }

    @AfterEach
    void close() {
        children.forEach(ChildJvm::close);
        callers.close();
        templates.close();
        redis.close();
    }

    @BeforeAll
    static void start() {
        server = new StandaloneServer();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /**
     * What became of one of a crowd: when it had the lock, with which token, and whether it wrote, and with success.
     */
    private record Turn(long nanos, long token, boolean accepted) {

        static Turn of(String text) {
            String[] parts = text.split(":");
            return new Turn(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Boolean.parseBoolean(parts[2]));
        }
    }

    @Test
    void allFiftyWaitersInOtherJvmsGetTheLockOfADeadHolder() {
        Duration lease = millis(3_000);
        List<ChildJvm> jvms = startChildren(3);
        ChildJvm holder = jvms.get(0);
        long token = Long.parseLong(holder.ask("a", "acquire", "line", lease.toMillis()));
        List<CompletableFuture<String>> crowds = List.of(
                jvms.get(1).send("a", "crowd", "line", 25, lease.toMillis()),
                jvms.get(2).send("a", "crowd", "line", 25, lease.toMillis()));
        await().until(() -> jvms.subList(1, 3).stream()
                        .mapToInt(jvm -> Integer.parseInt(jvm.ask("b", "crowded")))
                        .sum()
                == 50);
        awaitWaiting(2);
        holder.signal("KILL");
        assertThat(holder.awaitExit(LIMIT)).isTrue();
        String key = server.keys(Templates.PREFIX).get(0);
        long killed = System.nanoTime();
        long left = redis.number("PTTL", key);
        assertThat(left).as("what is left of its lease").isPositive();

        List<Turn> turns = crowds.stream()
                .flatMap(crowd -> Arrays.stream(ChildJvm.await(crowd, LIMIT).split(" ")))
                .map(Turn::of)
                .sorted(Comparator.comparingLong(Turn::nanos))
                .toList();
        assertThat(turns).hasSize(50).allMatch(Turn::accepted);
        assertThat(turns)
                .extracting(Turn::token)
                .isSorted()
                .doesNotHaveDuplicates()
                .allMatch(each -> each > token);
        assertThat(Duration.ofNanos(turns.get(0).nanos() - killed))
                .as("until the first of them had it, with %d ms left of the lease", left)
                .isBetween(millis(left - 2), millis(left).plus(Noise.now()));
        assertThat(Duration.ofNanos(turns.get(49).nanos() - turns.get(0).nanos()))
                .as("from the first to the last")
                .isLessThan(lease.plus(Noise.now()));
        await().untilAsserted(DeadAndStoppedWaitersTests::assertLineIsGone);
    }

    /** Not even one that Redis could not yet know to be dead: the kernel closes its connection when it dies. */
    @Test
    void deadWaitersAtTheHeadOfTheLineArePassedOver() {
        LockHandle handle = locks.acquire(REQUEST);
        List<ChildJvm> jvms = startChildren(2);
        for (int i = 0; i < 2; i++) {
            jvms.get(i).send("a", "acquire", "line", 2_000);
            awaitWaiting(i + 1);
        }
        TestCallers.Call<LockHandle> next = waitElsewhere(3);
        for (ChildJvm jvm : jvms) {
            jvm.signal("KILL");
            assertThat(jvm.awaitExit(LIMIT)).isTrue();
        }
        Stopwatch watch = Stopwatch.start();
        handle.close();
        try (LockHandle following = next.get()) {
            assertThat(watch.elapsed()).isLessThan(Noise.now());
            assertThat(following.fencingToken()).isGreaterThan(handle.fencingToken());
            assertThat(waiting()).as("no dead waiter is in line any more").isZero();
        }
        assertLineIsGone();
    }

    /** The children have used another lock before, perhaps with unknown outcome. */
    private static void assertLineIsGone() {
        assertThat(server.keys(Templates.PREFIX)).noneMatch(key -> key.contains("{line}"));
    }

    /**
     * Its connection is alive, so it is granted the lock, and cannot know. Those behind it wait for its lease and no
     * longer. When it goes on, the grant it finds is of a lease that has passed: its method runs on a later one.
     */
    @Test
    void aStoppedWaiterAtTheHeadOfTheLineCostsItsLeaseOnlyAndIsNotMisled() {
        Duration lease = millis(1_200);
        ChildJvm child = startChildren(1).get(0);
        for (int i = 0; i < 2; i++) {
            LockHandle handle = locks.acquire(REQUEST);
            CompletableFuture<String> stopped = child.send("a", "crowd", "line", 1, lease.toMillis());
            awaitWaiting(1);
            TestCallers.Call<LockHandle> next = waitElsewhere(2);
            child.signal("STOP");
            Stopwatch watch = Stopwatch.start();
            handle.close();
            long granted = locks.inspect("line").orElseThrow().fencingToken();
            assertThat(granted).as("granted to the stopped one").isGreaterThan(handle.fencingToken());
            long later;
            try (LockHandle following = next.get()) {
                assertThat(watch.elapsed()).isBetween(lease.minusMillis(20), lease.plus(Noise.now()));
                later = following.fencingToken();
                assertThat(later).isGreaterThan(granted);
                child.signal("CONT");
                HoldAssertions.assertHeldFor(
                        following, millis(300), () -> assertThat(stopped).isNotDone());
                assertThat(FencedStore.write(redis, later)).isTrue();
            }
            Turn turn = Turn.of(ChildJvm.await(stopped, LIMIT));
            assertThat(turn.token()).isGreaterThan(later);
            assertThat(turn.accepted()).isTrue();
        }
    }

    /** No caller has taken the lock meanwhile, but the grant has passed all the same: it needs a new one to run. */
    @Test
    void anInstanceThatWasStoppedBetweenGrantAndDeliveryAcquiresAgain() {
        ChildJvm child = startChildren(1).get(0);
        for (int i = 0; i < 5; i++) {
            LockHandle handle = locks.acquire(REQUEST);
            CompletableFuture<String> stopped = child.send("a", "crowd", "line", 1, 1_000);
            awaitWaiting(1);
            child.signal("STOP");
            handle.close();
            long granted = locks.inspect("line").orElseThrow().fencingToken();
            await().untilAsserted(DeadAndStoppedWaitersTests::assertLineIsGone);
            child.signal("CONT");
            Stopwatch watch = Stopwatch.start();
            Turn turn = Turn.of(ChildJvm.await(stopped, LIMIT));
            assertThat(watch.elapsed()).isLessThan(Noise.now().multipliedBy(2));
            assertThat(turn.token()).isGreaterThan(granted);
            assertThat(turn.accepted()).isTrue();
        }
    }

    private List<ChildJvm> startChildren(int count) {
        String port = Integer.toString(server.redis().port());
        List<TestCallers.Call<ChildJvm>> starting = IntStream.range(0, count)
                .mapToObj(i -> callers.call(() -> ChildJvm.start(LockChild.class, port)))
                .toList();
        return TestCallers.getAllInto(children, starting);
    }

    private TestCallers.Call<LockHandle> waitElsewhere(int place) {
        RedisLockTemplate elsewhere = templates.on(server.newConnectionFactory());
        CompletableFuture<LockHandle> granted = elsewhere.acquireAsync(REQUEST).toCompletableFuture();
        awaitWaiting(place);
        return callers.call(() -> TestCallers.get(granted));
    }

    private void awaitWaiting(int expected) {
        await().pollInterval(millis(5)).until(() -> waiting() == expected);
    }

    private int waiting() {
        return locks.inspect("line").map(LockState::waitingInstances).orElse(0);
    }
}
