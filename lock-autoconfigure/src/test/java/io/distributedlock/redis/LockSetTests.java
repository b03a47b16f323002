/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Several names in one request: all of them or none. */
class LockSetTests extends AbstractLockContract {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static StandaloneServer server;

    @BeforeAll
    static void start() {
        server = new StandaloneServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    LockSetTests() {
        super(server);
    }

    private static LockRequest all(String... names) {
        return LockRequest.ofAll(List.of(names));
    }

    @Test
    void holdsAllAsOne() {
        LockHandle handle = first.acquire(all("c", "a", "b", "a").lease(Duration.ofSeconds(10)));
        assertThat(handle.name()).isEqualTo("a");
        assertThat(handle.fencingTokens()).containsOnlyKeys("a", "b", "c");
        assertThat(handle.fencingTokens().keySet()).containsExactly("a", "b", "c");
        assertThat(handle.fencingToken())
                .isEqualTo(Collections.max(handle.fencingTokens().values()));
        assertThat(handle.isHeld()).isTrue();
        handle.extend(Duration.ofSeconds(20));
        assertThat(handle.remainingLease()).isBetween(Duration.ofSeconds(11), Duration.ofSeconds(20));
        for (String name : List.of("a", "b", "c")) {
            assertThat(isBusy(first, name)).isTrue();
            assertThat(isBusy(second, name)).isTrue();
        }
        handle.close();
        assertThat(handle.isHeld()).isFalse();
        assertThat(keys()).isEmpty();
    }

    /** The text had only the wait for the name that was busy, which is what was left of the wait for all. */
    @Test
    void saysHowLongTheCallerWaitedForAllNames() {
        LockHandle early = second.acquire(LockRequest.of("a"));
        try (LockHandle late = second.acquire(LockRequest.of("b"))) {
            CompletableFuture<LockHandle> both =
                    first.acquireAsync(all("a", "b").waitUpTo(millis(1_000))).toCompletableFuture();
            await().atMost(LONG).until(() -> second.inspect("a").orElseThrow().waitingInstances() > 0);
            early.close();
            assertThat(both)
                    .failsWithin(LONG)
                    .withThrowableThat()
                    .havingCause()
                    .asInstanceOf(type(LockNotAcquiredException.class))
                    .satisfies(busy -> assertThat(busy.lockName()).isEqualTo("b"))
                    .satisfies(busy -> assertThat(busy.waited()).isGreaterThanOrEqualTo(millis(1_000)))
                    .satisfies(busy -> assertThat(busy)
                            .hasMessageEndingWith("; none of the 2 names of the request is held, after "
                                    + busy.waited().toMillis() + " ms in all"));
            assertThat(late.isHeld()).isTrue();
        }
        await().atMost(LONG).until(() -> keys().isEmpty());
    }

    @Test
    void keepsNothingIfOneIsBusy() {
        try (LockHandle middle = second.acquire(LockRequest.of("b"))) {
            assertThat(first.tryAcquire(all("a", "b", "c").noWait())).isEmpty();
            assertThat(isBusy(second, "a")).isFalse();
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> first.acquire(all("a", "b", "c").waitUpTo(millis(100))))
                    .satisfies(busy -> assertThat(busy.lockName()).isEqualTo("b"))
                    .satisfies(busy -> assertThat(busy.waited()).isGreaterThanOrEqualTo(millis(100)));
            assertThat(isBusy(second, "a")).isFalse();
            assertThat(first.acquireAsync(all("a", "b", "c").waitUpTo(millis(50))))
                    .failsWithin(LONG)
                    .withThrowableThat()
                    .withCauseInstanceOf(LockNotAcquiredException.class);
            await().atMost(LONG).until(() -> !isBusy(second, "a"));
            assertThat(isBusy(second, "c")).isFalse();
            assertThat(middle.isHeld()).isTrue();
        }
        assertThat(keys()).isEmpty();
    }

    @Test
    void waitsOnceForAll() {
        LockHandle one = second.acquire(LockRequest.of("a"));
        LockHandle two = second.acquire(LockRequest.of("b"));
        TestCallers.Call<LockNotAcquiredException> waiting = callers.call(() -> {
            try {
                first.acquire(all("a", "b").waitUpTo(millis(3000))).close();
                throw new AssertionError("granted");
            } catch (LockNotAcquiredException ex) {
                return ex;
            }
        });
        waiting.awaitBlocked();
        await().atMost(LONG).until(() -> second.inspect("a").orElseThrow().waitingInstances() == 1);
        one.close();
        LockNotAcquiredException busy = waiting.get();
        assertThat(busy.lockName()).isIn("a", "b");
        assertThat(busy.waited()).isBetween(millis(3000), LONG);
        two.close();
    }

    /** As for a method with several annotations, one of which has several names. */
    @Test
    void countsOnceWhatTheCallerHasWaitedBefore() {
        LockRequest request = all("a", "b").waitUpTo(millis(1_500)).waited(millis(1_000));
        try (LockHandle late = second.acquire(LockRequest.of("b"))) {
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> first.acquire(request))
                    .satisfies(busy -> assertThat(busy.waited()).isGreaterThanOrEqualTo(millis(500)));
            assertThat(late.isHeld()).isTrue();
        }
    }

    @Test
    void aStageThatIsCompletedFromOutsideReleasesItsLocks() {
        LockHandle other = second.acquire(LockRequest.of("b"));
        LockHandle unrelated = second.acquire(LockRequest.of("c"));
        CompletableFuture<LockHandle> stage =
                first.acquireAsync(all("a", "b").waitForever()).toCompletableFuture();
        await().atMost(LONG).until(() -> second.inspect("b").orElseThrow().waitingInstances() == 1);

        assertThat(stage.complete(unrelated)).isTrue();

        await().atMost(LONG).until(() -> second.inspect("a").isEmpty());
        await().atMost(LONG).until(() -> second.inspect("b").orElseThrow().waitingInstances() == 0);
        other.close();
        unrelated.close();
    }

    @Test
    void isEnteredAgainByItsOwnerWithOtherNamesToo() {
        try (LockHandle outer = first.acquire(all("a", "c"))) {
            try (LockHandle inner = first.acquire(all("b", "c", "a").noWait())) {
                assertThat(inner.fencingTokens()).containsAllEntriesOf(outer.fencingTokens());
                try (LockHandle single = first.acquire(LockRequest.of("b").noWait())) {
                    assertThat(single.fencingToken())
                            .isEqualTo(inner.fencingTokens().get("b"));
                }
            }
            assertThat(isBusy(second, "a")).isTrue();
            assertThat(isBusy(second, "b")).isFalse();
        }
        LockOwner owner = LockOwner.create();
        LockHandle outer = TestCallers.get(
                first.acquireAsync(all("a", "c").logicalOwner(owner)).toCompletableFuture());
        LockHandle inner = TestCallers.get(
                first.acquireAsync(all("a", "b").logicalOwner(owner).noWait()).toCompletableFuture());
        inner.close();
        assertThat(outer.isHeld()).isTrue();
        outer.close();
        assertThat(keys()).isEmpty();
    }

    @Test
    void workNestedInSeveralNamesEntersEachOfThem() {
        first.execute(all("a", "b"), handle -> {
            LockRequest nested = LockRequest.of("a").logicalOwner(LockOwner.nestedInCurrent());
            TestCallers.get(first.acquireAsync(nested.noWait()).toCompletableFuture())
                    .close();
            return null;
        });
        assertThat(keys()).isEmpty();
    }

    /** A thread kept waiting for b. */
    @Test
    void aLossEndsTheWaitOfAThread() {
        try (LockHandle last = second.acquire(LockRequest.of("b"))) {
            TestCallers.Call<LockUnavailableException> waiting = callers.call(() -> {
                try {
                    first.acquire(all("a", "b").waitForever()).close();
                    throw new AssertionError("granted");
                } catch (LockUnavailableException ex) {
                    return ex;
                }
            });
            await().atMost(LONG).until(() -> second.inspect("b").orElseThrow().waitingInstances() == 1);

            assertThat(second.forceRelease("a")).isTrue();

            await().atMost(Noise.LATEST)
                    .until(() -> second.inspect("b").orElseThrow().waitingInstances() == 0);
            assertThat(waiting.get()).hasMessageContaining("'a' was lost").hasMessageContaining("forced release");
            assertThat(last.isHeld()).isTrue();
        }
        assertThat(keys()).isEmpty();
    }

    @Test
    void isLostAsOne() {
        LockHandle handle = first.acquire(all("a", "b", "c"));
        CountDownLatch lost = new CountDownLatch(1);
        AtomicInteger times = new AtomicInteger();
        handle.onLost(() -> {
            times.incrementAndGet();
            lost.countDown();
        });
        assertThat(second.forceRelease("b")).isTrue();
        assertThat(second.forceRelease("c")).isTrue();
        awaitLatch(lost, LONG);
        assertThat(handle.isHeld()).isFalse();
        assertThat(handle.remainingLease()).isZero();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::throwIfLost);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        handle.close();
        assertThat(times).hasValue(1);
        assertThat(keys()).isEmpty();
    }

    /** As the stage of a single lock: callers look at the type of the exception. */
    @Test
    void theStageOfItsEndFailsWithTheExceptionOfItsClose() {
        LockHandle handle = first.acquire(all("a", "b"));
        assertThat(first.forceRelease("a")).isTrue();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();

        handle.closeAsync().whenComplete((done, thrown) -> failure.complete(thrown));

        assertThat(failure.join()).isInstanceOf(LockLostException.class);
        assertThat(keys()).isEmpty();
    }

    @Test
    void twoThatOverlapNeverWaitForEachOther() {
        long seed = Seeds.of("names.seed");
        AtomicInteger inside = new AtomicInteger();
        List<TestCallers.Call<Integer>> calls = new ArrayList<>();
        for (RedisLockTemplate instance : List.of(first, second, first, second)) {
            Random random = new Random(seed + calls.size());
            calls.add(callers.call(() -> {
                for (int i = 0; i < 25; i++) {
                    List<String> names = new ArrayList<>(List.of("a", "b", "c", "d", "common"));
                    names.remove(random.nextInt(4));
                    Collections.shuffle(names, random);
                    try (LockHandle handle =
                            instance.acquire(LockRequest.ofAll(names).waitUpTo(LONG))) {
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        assertThat(handle.isHeld()).isTrue();
                        inside.decrementAndGet();
                    }
                }
                return 25;
            }));
        }
        calls.forEach(call -> assertThat(call.get()).isEqualTo(25));
        assertThat(keys()).isEmpty();
    }

    @Test
    void anInterruptInTheMiddleLeavesNothing() {
        try (LockHandle last = second.acquire(LockRequest.of("c"))) {
            CompletableFuture<Thread> thread = new CompletableFuture<>();
            TestCallers.Call<Boolean> waiting = callers.call(() -> {
                thread.complete(Thread.currentThread());
                try {
                    first.acquire(all("a", "b", "c").waitForever()).close();
                    return false;
                } catch (LockInterruptedException ex) {
                    return Thread.interrupted();
                }
            });
            await().atMost(LONG)
                    .until(() ->
                            last.isHeld() && second.inspect("c").orElseThrow().waitingInstances() == 1);
            thread.join().interrupt();
            assertThat(waiting.get()).isTrue();
            assertThat(isBusy(second, "a") || isBusy(second, "b")).isFalse();
            await().atMost(LONG).until(() -> keys().size() == 1);
            await().atMost(LONG).until(() -> second.inspect("c").orElseThrow().waitingInstances() == 0);
        }
        assertThat(keys()).isEmpty();
    }

    @Test
    void aCancelAtAnyMomentLeavesNothing() {
        LockHandle blocking = second.acquire(LockRequest.of("c"));
        for (int i = 0; i < 20; i++) {
            CompletableFuture<LockHandle> stage = first.acquireAsync(
                            all("a", "b", i % 2 == 0 ? "c" : "b2").waitForever())
                    .toCompletableFuture();
            if (i % 4 == 0) {
                await().atMost(LONG).until(() -> first.inspect("b").isPresent());
            }
            if (!stage.cancel(true)) {
                stage.join().close();
            }
        }
        await().atMost(LONG).until(() -> keys().size() == 1);
        await().atMost(LONG).until(() -> second.inspect("c").orElseThrow().waitingInstances() == 0);
        blocking.close();
        assertThat(keys()).isEmpty();
    }

    @Test
    void takesAThousandNames() {
        List<String> names =
                IntStream.range(0, 1_000).mapToObj(i -> "many-" + i).toList();
        try (LockHandle handle = first.acquire(LockRequest.ofAll(names))) {
            assertThat(handle.fencingTokens()).hasSize(1_000);
            assertThat(isBusy(second, "many-999")).isTrue();
        }
        LockHandle again =
                TestCallers.get(second.acquireAsync(LockRequest.ofAll(names)).toCompletableFuture());
        assertThat(again.isHeld()).isTrue();
        again.closeAsync().toCompletableFuture().join();
        await().atMost(LONG).until(() -> keys().isEmpty());
    }
}
