/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.HoldReport;
import io.distributedlock.LockActivity;
import io.distributedlock.LockActivity.Held;
import io.distributedlock.LockActivity.Waiting;
import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockOrigin;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LockActivityTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    private static LockActivity of(Instance instance) {
        return instance.engine.activity("id", true, true);
    }

    @Test
    void showsAHoldWithItsTokenCallerAgeLeaseAndReentries() {
        LockRequest request = LockRequest.of("a").lease(Duration.ofSeconds(30));
        LockHandle outer = one.engine.acquire(request);
        LockHandle inner = one.engine.acquire(request);
        world.advanceSeconds(2);

        Held held = of(one).held().get(0);

        assertThat(held.name()).isEqualTo("a");
        assertThat(held.fencingToken()).isEqualTo(outer.fencingToken());
        assertThat(held.heldFor()).isEqualTo(Duration.ofSeconds(2));
        assertThat(held.remainingLease())
                .isEqualTo(outer.remainingLease())
                .isBetween(Duration.ofSeconds(27), Duration.ofSeconds(28));
        assertThat(held.caller()).isEqualTo(Thread.currentThread().getName());
        assertThat(held.reentries()).isEqualTo(1);
        assertThat(held.waiters()).isZero();
        inner.close();
        outer.close();
        assertThat(of(one).held()).isEmpty();
    }

    @Test
    void showsWhenAHoldWasRenewed() {
        AsyncAttempt attempt = one.acquire("a");
        world.advanceSeconds(9);
        assertThat(of(one).held()).extracting(Held::sinceRenewal).containsOnlyNulls();

        world.advanceSeconds(3);

        assertThat(of(one).held())
                .singleElement()
                .satisfies(held ->
                        assertThat(held.sinceRenewal()).isBetween(Duration.ofSeconds(2), Duration.ofMillis(2_250)));
        attempt.close();
    }

    /** As virtual threads are, unless the application names them. */
    @Test
    void aThreadWithoutANameIsShownByItsId() throws Exception {
        CompletableFuture<LockHandle> acquired = new CompletableFuture<>();
        Thread thread = unnamed(() -> acquired.complete(one.engine.acquire(LockRequest.of("a"))));

        String kind = Runtime.version().feature() < 21 ? "thread #" : "virtual thread #";
        LockHandle handle = acquired.get(60, TimeUnit.SECONDS);
        assertThat(of(one).held()).extracting(Held::caller).containsExactly(kind + thread.getId());
        assertThat(one.engine.holder("a", "label").caller()).isEqualTo(kind + thread.getId());
        handle.close();
    }

    private static Thread unnamed(Runnable task) throws ReflectiveOperationException {
        if (Runtime.version().feature() >= 21) {
            return (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        }
        Thread thread = new Thread(task, "");
        thread.start();
        return thread;
    }

    @Test
    void knowsTheLongestLeaseOfOldHolds() {
        AsyncAttempt waitsLong = one.acquire(LockRequest.of("a").lease(Duration.ofSeconds(60)));
        AsyncAttempt owned = one.acquire(LockRequest.of("b").owner("job").lease(Duration.ofSeconds(90)));
        world.advanceSeconds(10);
        AsyncAttempt young = one.acquire(LockRequest.of("c").lease(Duration.ofSeconds(900)));
        long old = Duration.ofSeconds(10).toNanos();

        assertThat(one.engine.longestLease(old + 1)).isZero();
        assertThat(Duration.ofNanos(one.engine.longestLease(old)))
                .isBetween(Duration.ofSeconds(75), Duration.ofSeconds(90));
        owned.handle().close();
        assertThat(Duration.ofNanos(one.engine.longestLease(old)))
                .isBetween(Duration.ofSeconds(45), Duration.ofSeconds(60));
        waitsLong.handle().close();
        assertThat(one.engine.longestLease(old)).isZero();
        young.handle().close();
    }

    @Test
    void showsWaitersInTheirOrderWithTheTimeTheyHaveLeft() {
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt first = one.acquire(LockRequest.of("a").waitUpTo(Duration.ofSeconds(5)));
        world.advanceSeconds(1);
        AsyncAttempt second = one.acquire(LockRequest.of("a").waitForever());
        AsyncAttempt elsewhere = two.acquire("a");

        assertThat(of(one).held()).extracting(Held::waiters).containsExactly(2);
        assertThat(of(one).waiting())
                .containsExactly(
                        new Waiting(
                                "a",
                                "asynchronous",
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(4),
                                "id",
                                LockOrigin.NONE,
                                null),
                        new Waiting("a", "asynchronous", Duration.ZERO, null, "id", LockOrigin.NONE, null));
        assertThat(of(two).held()).isEmpty();
        assertThat(of(two).waiting()).extracting(Waiting::holder).containsOnlyNulls();
        holder.close();
        first.close();
        second.close();
        elsewhere.close();
    }

    /** Its age in the report begins with its own grant, not with the grant of the lease by the store. */
    @Test
    void aHoldThatWasHandedOverLocallyHasItsOwnAgeAndCaller() {
        LockHandle first = one.engine.acquire(LockRequest.of("a"));
        world.advanceSeconds(2);
        AsyncAttempt second = one.acquire("a");
        AsyncAttempt third = one.acquire("a");
        world.advanceSeconds(3);
        assertThat(of(one).held()).singleElement().satisfies(held -> {
            assertThat(held.heldFor()).isEqualTo(Duration.ofSeconds(5));
            assertThat(held.caller()).isEqualTo(Thread.currentThread().getName());
            assertThat(held.waiters()).isEqualTo(2);
        });

        first.close();
        world.advanceSeconds(1);

        assertThat(of(one).held()).singleElement().satisfies(held -> {
            assertThat(held.heldFor()).isEqualTo(Duration.ofSeconds(1));
            assertThat(held.caller()).isEqualTo("asynchronous");
            assertThat(held.fencingToken()).isEqualTo(second.token()).isGreaterThan(first.fencingToken());
            assertThat(held.reentries()).isZero();
            assertThat(held.waiters()).isEqualTo(1);
        });
        assertThat(of(one).waiting())
                .singleElement()
                .extracting(Waiting::waitedFor)
                .isEqualTo(Duration.ofSeconds(4));
        second.close();
        assertThat(of(one).held()).extracting(Held::heldFor).containsExactly(Duration.ZERO);
        third.close();
    }

    @Test
    void showsNothingOfALostHold() {
        AsyncAttempt lost =
                one.acquire(LockRequest.of("a").lease(Duration.ofSeconds(1)).renew(false));

        world.advanceSeconds(2);

        assertThat(of(one).held()).isEmpty();
        lost.abandon();
    }

    /** For the engine, a reader and a writer have separate objects. */
    @ParameterizedTest
    @EnumSource
    void callersOfTheOtherModeCountAsWaiters(LockMode mode) {
        AsyncAttempt holder = one.acquire(LockRequest.of("a").mode(mode));
        LockMode other = mode == LockMode.SHARED ? LockMode.EXCLUSIVE : LockMode.SHARED;
        AsyncAttempt first = one.acquire(LockRequest.of("a").mode(other).waitForever());
        AsyncAttempt second = one.acquire(LockRequest.of("a").mode(other).waitForever());

        assertThat(of(one).held()).extracting(Held::waiters).containsExactly(2);
        assertThat(of(one).waiting()).extracting(Waiting::holder).containsOnly("id");
        assertThat(one.engine.report("a", "label"))
                .extracting(HoldReport::waiters)
                .isEqualTo(2);
        holder.close();
        first.close();
        second.close();
    }
}
