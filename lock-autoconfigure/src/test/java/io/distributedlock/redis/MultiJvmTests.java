/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.FleetReport;
import io.distributedlock.HoldReport;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.LeakCheck;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Instances in JVMs of their own, which are killed and stopped. */
@Tag(TestLength.FULL)
class MultiJvmTests {

    private static StandaloneServer server;

    private static final Duration LIMIT = Duration.ofSeconds(60);

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
        assertThat(children).noneMatch(child -> ProcessHandle.of(child.pid()).isPresent());
    }

    @BeforeAll
    static void start() {
        server = new StandaloneServer();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** The fault matrix has an instance that retains its leases in each of its runs. */
    @Test
    void excludeEachOtherIfTheyRetainTheirLeases() {
        excludeEachOther("60000");
    }

    @Test
    void excludeEachOther() {
        excludeEachOther("0");
    }

    /** Reads and writes of a value without any protection but the lock, by nine threads of three JVMs. */
    private void excludeEachOther(String retention) {
        redis.call("SET", "counter", "0");
        List<ChildJvm> jvms = startChildren(3, retention);
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (ChildJvm child : jvms) {
            for (int lane = 0; lane < 3; lane++) {
                answers.add(child.send("lane" + lane, "count", "shared", 130));
            }
        }
        int expected = answers.stream()
                .mapToInt(answer -> Integer.parseInt(ChildJvm.await(answer, LIMIT)))
                .sum();
        assertThat(expected).isEqualTo(3 * 3 * 130);
        assertThat(redis.text("GET", "counter")).isEqualTo(Integer.toString(expected));
        locks.acquire(LockRequest.of("shared")).close();
    }

    @Test
    void aKilledHolderIsFollowedWhenItsLeaseHasPassed() {
        Duration lease = millis(1_000);
        ChildJvm child = startChildren(1).get(0);
        long token = Long.parseLong(child.ask("a", "acquire", "shared", lease.toMillis()));
        TestCallers.Call<LockHandle> next = waitForIt();
        child.signal("KILL");
        Stopwatch watch = Stopwatch.start();
        LockHandle handle = next.get();
        assertThat(watch.elapsed()).isBetween(millis(200), lease.plus(Noise.now()));
        assertThat(handle.fencingToken()).isGreaterThan(token);
        handle.close();
    }

    /** It was never heard, and cannot be asked any more. */
    @Test
    void aKilledHolderIsNamedAsLongAsItsLockIsThere() {
        ChildJvm child = startChildren(1, "0", "till 7").get(0);
        child.ask("a", "acquire", "shared", 60_000);
        await().atMost(LIMIT).until(() -> !redis.keys("lock:instance:*").isEmpty());
        child.signal("KILL");
        assertThat(child.awaitExit(LIMIT)).isTrue();

        String key = redis.keys("lock:instance:*").get(0);
        assertThat(key)
                .isEqualTo(
                        "lock:instance:" + locks.inspect("shared").orElseThrow().owner());
        assertThat(locks.inspect("shared").orElseThrow().label()).isEqualTo("till 7");
        // On a busy machine, the holder may not be known within the time that an exception waits for it.
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> locks.acquire(LockRequest.of("shared").waitUpTo(millis(10))))
                        .withMessageContaining("held by till 7 ("));
        assertThat(Long.parseLong(String.valueOf(redis.call("PTTL", key))))
                .isGreaterThan(Long.parseLong(String.valueOf(redis.call("PTTL", "lock:{shared}"))));
        redis.call("DEL", key, "lock:{shared}");
    }

    /** The request has arrived, and the reply never comes. */
    @Test
    void anInstanceThatDiesBeforeItsReplyIsShownAsOneThatHasNotReplied() {
        ChildJvm child = startChildren(1).get(0);
        child.ask("a", "acquire", "shared", 60_000);
        String id = locks.inspect("shared").orElseThrow().owner();
        child.signal("STOP");
        long published = published();
        TestCallers.Call<FleetReport> fleet = callers.call(() -> locks.fleet("", 10));
        TestCallers.Call<Optional<HoldReport>> hold = callers.call(() -> locks.holdOf(id, "shared"));
        await().atMost(LIMIT).until(() -> published() >= published + 2);
        Stopwatch watch = Stopwatch.start();
        child.signal("KILL");

        assertThat(hold.get()).isEmpty();
        assertThat(fleet.get().instances())
                .filteredOn(each -> each.instance().equals(id))
                .singleElement()
                .satisfies(each -> assertThat(each.replied()).isFalse());
        assertThat(watch.elapsed()).isLessThan(millis(500).plus(Noise.now()));
        assertThat(locks.forceRelease("shared")).isTrue();
        locks.acquire(LockRequest.of("shared").noWait()).close();
    }

    private long published() {
        return redis.text("INFO", "commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_publish:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))
                .sum();
    }

    @Test
    void anInstanceThatIsKilledWhileItKeepsALeaseIsFollowedWhenThatHasPassed() {
        Duration lease = millis(1_000);
        ChildJvm child = startChildren(1, "60000").get(0);
        long token = Long.parseLong(child.ask("a", "acquire", "shared", lease.toMillis()));
        child.ask("a", "close", "shared");
        assertThat(locks.inspect("shared")).as("kept").isPresent();
        child.signal("KILL");
        assertThat(child.awaitExit(LIMIT)).isTrue();
        Stopwatch watch = Stopwatch.start();
        try (LockHandle handle = locks.acquire(LockRequest.of("shared"))) {
            assertThat(watch.elapsed()).isLessThan(lease.plus(Noise.now()));
            assertThat(handle.fencingToken()).isGreaterThan(token);
        }
    }

    @Test
    void anInstanceThatIsStoppedPastItsRetainedLeaseDoesNotUseIt() throws Exception {
        Duration lease = millis(500);
        ChildJvm child = startChildren(1, "60000").get(0);
        for (int i = 0; i < 3; i++) {
            child.ask("a", "acquire", "shared", lease.toMillis());
            child.ask("a", "close", "shared");
            child.signal("STOP");
            LockHandle handle = locks.acquire(LockRequest.of("shared").waitUpTo(LIMIT));
            child.signal("CONT");
            CompletableFuture<String> next = child.send("a", "acquire", "shared", lease.toMillis());
            HoldAssertions.assertHeldFor(
                    handle, millis(300), () -> assertThat(next).isNotDone());
            handle.close();
            assertThat(Long.parseLong(ChildJvm.await(next, LIMIT))).isGreaterThan(handle.fencingToken());
            child.ask("a", "close", "shared");
        }
        locks.acquire(LockRequest.of("shared")).close();
    }

    /** One that is killed while it waits is no obstacle for those behind it. */
    @Test
    void aKilledWaiterIsPassedOver() {
        LockHandle handle = locks.acquire(LockRequest.of("shared"));
        List<ChildJvm> jvms = startChildren(2);
        CompletableFuture<String> killed = jvms.get(0).send("a", "acquire", "shared", 30_000);
        awaitWaiting(1);
        CompletableFuture<String> next = jvms.get(1).send("a", "acquire", "shared", 30_000);
        awaitWaiting(2);
        jvms.get(0).signal("KILL");
        assertThat(jvms.get(0).awaitExit(LIMIT)).isTrue();
        await().until(() -> redis.list("PUBSUB", "CHANNELS").size() == 2);
        Stopwatch watch = Stopwatch.start();
        handle.close();
        assertThat(Long.parseLong(ChildJvm.await(next, LIMIT))).isGreaterThan(handle.fencingToken());
        assertThat(watch.elapsed()).isLessThan(Noise.now());
        assertThat(killed).isCompletedExceptionally();
        assertThat(jvms.get(1).ask("a", "close", "shared")).isEqualTo("closed");
    }

    /** As a long pause of the garbage collector does: it goes on as if nothing had happened, and must find out. */
    @Test
    void aHolderThatWasStoppedPastItsLeaseFindsOut() throws Exception {
        Duration lease = millis(500);
        ChildJvm child = startChildren(1).get(0);
        for (int i = 0; i < 3; i++) {
            long token = Long.parseLong(child.ask("a", "acquire", "shared", lease.toMillis()));
            CompletableFuture<String> work = child.send("work", "work", "shared");
            await().until(() -> FencedStore.accepted(redis).contains(token));
            child.signal("STOP");
            Stopwatch stopped = Stopwatch.start();
            long next;
            try (LockHandle handle = locks.acquire(leased("shared", 10_000))) {
                assertThat(stopped.elapsed()).isLessThan(lease.plus(Noise.now()));
                next = handle.fencingToken();
                assertThat(next).isGreaterThan(token);
                assertThat(FencedStore.write(redis, next)).isTrue();
                int before = FencedStore.accepted(redis).size();
                long continued = System.nanoTime();
                child.signal("CONT");
                String[] outcome = ChildJvm.await(work, LIMIT).split(" ");
                assertThat(Duration.ofNanos(Long.parseLong(outcome[0]) - continued))
                        .as("until it found out")
                        .isLessThan(millis(100).plus(Noise.now()));
                assertThat(child.ask("a", "held", "shared")).isEqualTo("false");
                assertThat(child.ask("a", "write", "shared")).as("a late write").isEqualTo("false");
                assertThat(FencedStore.accepted(redis)).as("stale writes").hasSize(before);
                assertThatExceptionOfType(ChildJvm.Failure.class)
                        .isThrownBy(() -> child.ask("a", "close", "shared"))
                        .satisfies(e -> assertThat(e.type()).isEqualTo(LockLostException.class.getName()));
                assertThat(handle.isHeld()).isTrue();
                assertThat(locks.inspect("shared").orElseThrow().fencingToken()).isEqualTo(next);
            }
        }
        assertThat(FencedStore.accepted(redis)).isSorted();
    }

    @Test
    void aShortStopEndsNoHold() {
        ChildJvm child = startChildren(1).get(0);
        child.ask("a", "acquire", "shared", 4_000);
        for (int i = 0; i < 3; i++) {
            child.signal("STOP");
            HoldAssertions.assertAllTheTime(
                    millis(700), () -> assertThat(locks.inspect("shared")).isPresent());
            child.signal("CONT");
            HoldAssertions.assertAllTheTime(
                    millis(800),
                    () -> assertThat(child.ask("b", "held", "shared")).isEqualTo("true"));
        }
        assertThat(child.ask("a", "close", "shared")).isEqualTo("closed");
    }

    /**
     * Granted while it was stopped, on a lease that has passed when it goes on: it asks again and has the lock then.
     */
    @Test
    void aWaiterThatWasStoppedPastItsGrantIsNotMisled() {
        ChildJvm child = startChildren(1).get(0);
        RedisLockTemplate other = templates.on(server.newConnectionFactory());
        for (int i = 0; i < 3; i++) {
            LockHandle handle = locks.acquire(LockRequest.of("shared"));
            CompletableFuture<String> granted = child.send("a", "acquire", "shared", 300);
            awaitWaiting(1);
            child.signal("STOP");
            handle.close();
            try (LockHandle next = other.acquire(LockRequest.of("shared"))) {
                child.signal("CONT");
                HoldAssertions.assertHeldFor(
                        next, millis(400), () -> assertThat(granted).isNotDone());
                assertThat(FencedStore.write(redis, next.fencingToken())).isTrue();
            }
            ChildJvm.await(granted, LIMIT);
            assertThat(child.ask("a", "write", "shared")).isEqualTo("true");
            assertThat(child.ask("a", "close", "shared")).isEqualTo("closed");
        }
    }

    @Test
    void aTerminatedHolderLeavesNothingBehind() {
        ChildJvm child = startChildren(1).get(0);
        child.ask("a", "acquire", "shared", 500);
        child.signal("TERM");
        assertThat(child.awaitExit(LIMIT)).isTrue();
        await().atMost(millis(500).plus(Noise.LATEST))
                .until(() -> server.keys(Templates.PREFIX).isEmpty());
    }

    private List<ChildJvm> startChildren(int count) {
        return startChildren(count, "0");
    }

    private List<ChildJvm> startChildren(int count, String... more) {
        List<String> arguments =
                new ArrayList<>(List.of(Integer.toString(server.redis().port())));
        arguments.addAll(List.of(more));
        List<TestCallers.Call<ChildJvm>> starting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            starting.add(callers.call(() -> ChildJvm.start(LockChild.class, arguments.toArray(String[]::new))));
        }
        return TestCallers.getAllInto(children, starting);
    }

    private TestCallers.Call<LockHandle> waitForIt() {
        RedisLockTemplate other = templates.on(server.newConnectionFactory());
        CompletableFuture<LockHandle> granted =
                other.acquireAsync(LockRequest.of("shared").waitForever()).toCompletableFuture();
        awaitWaiting(1);
        return callers.call(() -> TestCallers.get(granted));
    }

    private void awaitWaiting(int expected) {
        await().pollInterval(millis(5))
                .until(() ->
                        locks.inspect("shared").map(LockState::waitingInstances).orElse(0) == expected);
    }
}
