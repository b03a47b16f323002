/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How a holder hears that its hold is over. */
abstract class LossContract extends AbstractLockContract {

    private static final Duration LEASE = millis(900);

    private static final LockRequest REQUEST = leased("lost", 900);

    LossContract(LockServer server) {
        super(server);
    }

    @Test
    void isNoticedAtTheNextRenewalWhenAnotherClientRemovedTheKey() {
        LockHandle handle = first.acquire(REQUEST);
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost(lost::countDown);
        String key = onlyKey();
        delete(key);
        awaitLatch(lost, LEASE.dividedBy(3));
        assertThat(handle.isHeld()).isFalse();
        HoldAssertions.assertAllTheTime(
                LEASE, () -> assertThat(keys()).as("renewal creates nothing").isEmpty());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        assertThat(keys()).isEmpty();
    }

    @Test
    void isNoticedAtTheNextRenewalWhenAnotherOwnerTookTheLock() {
        LockHandle handle = first.acquire(REQUEST);
        delete(onlyKey());
        try (LockHandle thief = second.acquire(LockRequest.of("lost"))) {
            HoldAssertions.awaitLoss(handle, LEASE.dividedBy(3));
            assertThat(onlyTtl()).isGreaterThan(20_000);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::throwIfLost);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
            assertThat(thief.isHeld()).isTrue();
        }
    }

    @Test
    void isNoticedWhenTheKeyIsOfAWrongType() {
        LockHandle handle = first.acquire(REQUEST);
        String key = onlyKey();
        try (RespClient client = redisOf(key)) {
            client.call("SET", key, "garbage");
            HoldAssertions.awaitLoss(handle, LEASE);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
            assertThat(client.text("GET", key)).as("what is not ours").isEqualTo("garbage");
            client.call("DEL", key);
        }
    }

    /** Without asking Redis: at the deadline, by the local clock. */
    @Test
    void isNoticedAtTheDeadline() {
        Duration lease = millis(200);
        Stopwatch watch = Stopwatch.start();
        LockHandle handle = first.acquire(leased("lost", lease.toMillis()).renew(false));
        Duration granted = watch.elapsed();
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost(lost::countDown);
        awaitLatch(lost, lease);
        assertThat(watch.elapsed()).isGreaterThan(lease.minusMillis(20));
        assertThat(handle.isHeld()).isFalse();
        assertThat(handle.remainingLease()).isZero();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(handle::throwIfLost)
                .satisfies(e -> assertThat(e.heldFor())
                        .isBetween(lease.minusMillis(20).minus(granted), lease.plus(Noise.now())));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    @Test
    void isReportedOnceToEachCallback() {
        LockHandle handle = first.acquire(REQUEST);
        AtomicInteger one = new AtomicInteger();
        AtomicInteger two = new AtomicInteger();
        handle.onLost(one::incrementAndGet);
        handle.onLost(two::incrementAndGet);
        second.forceRelease("lost");
        await().until(() -> one.get() > 0 && two.get() > 0);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        handle.close();
        HoldAssertions.assertAllTheTime(LEASE, () -> {
            assertThat(one).hasValue(1);
            assertThat(two).hasValue(1);
        });
    }

    @Test
    void isReportedAtOnceToACallbackThatIsRegisteredLater() {
        LockHandle handle = first.acquire(REQUEST);
        second.forceRelease("lost");
        HoldAssertions.awaitLoss(handle, Duration.ZERO);
        List<Thread> told = new ArrayList<>();
        handle.onLost(() -> {
            throw new IllegalStateException("on purpose");
        });
        handle.onLost(() -> told.add(Thread.currentThread()));
        assertThat(told).containsExactly(Thread.currentThread());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    @Test
    void refusesANullCallback() {
        try (LockHandle handle = first.acquire(REQUEST);
                LockHandle both = first.acquire(LockRequest.ofAll(List.of("a", "b")))) {
            assertThatNullPointerException().isThrownBy(() -> handle.onLost(null));
            assertThatNullPointerException().isThrownBy(() -> both.onLost(null));
        }
    }

    @Test
    void isReportedToReentriesToo() {
        LockHandle outer = first.acquire(REQUEST);
        LockHandle inner = first.acquire(REQUEST);
        CountDownLatch told = new CountDownLatch(2);
        outer.onLost(told::countDown);
        inner.onLost(told::countDown);
        second.forceRelease("lost");
        awaitLatch(told, Duration.ZERO);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(inner::close);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::close);
    }

    @Test
    void isReportedAtOnceAlsoAfterTheCloseThatFollowedIt() {
        LockHandle handle = first.acquire(REQUEST);
        second.forceRelease("lost");
        HoldAssertions.awaitLoss(handle, Duration.ZERO);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        AtomicInteger told = new AtomicInteger();

        handle.onLost(told::incrementAndGet);

        assertThat(told).hasValue(1);
    }

    @Test
    void isNotReportedAfterTheHandleWasClosed() {
        LockHandle handle = first.acquire(REQUEST);
        AtomicInteger told = new AtomicInteger();
        handle.onLost(told::incrementAndGet);
        handle.close();
        handle.onLost(told::incrementAndGet);
        try (LockHandle next = first.acquire(REQUEST)) {
            second.forceRelease("lost");
            HoldAssertions.awaitLoss(next, Duration.ZERO);
            assertThat(told).hasValue(0);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(next::close);
        }
        assertThat(told).hasValue(0);
    }

    /** Callbacks of users may block: they run neither on the timer nor on a thread of the network. */
    @Test
    void isReportedOnAThreadOfItsOwn() {
        LockHandle one = first.acquire(leased("one", 3_000));
        LockHandle two = first.acquire(leased("two", 3_000));
        CompletableFuture<String> thread = new CompletableFuture<>();
        CountDownLatch proceed = new CountDownLatch(1);
        one.onLost(() -> {
            thread.complete(Thread.currentThread().getName());
            awaitLatch(proceed, Duration.ofSeconds(10));
        });
        second.forceRelease("one");
        assertThat(TestCallers.get(thread))
                .startsWith("distributed-lock")
                .doesNotContain("timer")
                .doesNotContainIgnoringCase("lettuce")
                .doesNotContainIgnoringCase("netty");
        HoldAssertions.awaitRenewals(
                two, 1, () -> assertThat(isBusy(second, "two")).isTrue());
        proceed.countDown();
        two.close();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(one::close);
    }

    @Test
    void survivesACallbackThatFails() {
        LockHandle handle = first.acquire(REQUEST);
        CountDownLatch told = new CountDownLatch(1);
        handle.onLost(() -> {
            throw new IllegalStateException("on purpose");
        });
        handle.onLost(told::countDown);
        second.forceRelease("lost");
        awaitLatch(told, Duration.ZERO);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    /** The next caller of the same instance goes on although the late one is still inside. */
    @Test
    void doesNotBlockOtherCallersOfTheInstance() {
        LockHandle late = first.acquire(leased("lost", 200).renew(false));
        Stopwatch watch = Stopwatch.start();
        Long token = callers.call(() -> {
                    try (LockHandle next = first.acquire(LockRequest.of("lost"))) {
                        return next.fencingToken();
                    }
                })
                .get();
        assertThat(watch.elapsed()).isLessThan(millis(200).plus(Noise.now()));
        assertThat(token).isGreaterThan(late.fencingToken());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(late::close);
    }

    /** The same thread may acquire again what it has lost; that is a new hold. */
    @Test
    void doesNotMakeTheNextAcquisitionAReentry() {
        LockHandle late = first.acquire(REQUEST);
        second.forceRelease("lost");
        HoldAssertions.awaitLoss(late, Duration.ZERO);
        try (LockHandle next = first.acquire(LockRequest.of("lost"))) {
            assertThat(next.fencingToken()).isGreaterThan(late.fencingToken());
            assertThatExceptionOfType(LockLostException.class).isThrownBy(late::close);
            assertThat(next.isHeld()).isTrue();
            assertThat(isBusy(second, "lost")).isTrue();
        }
    }

    /** The operator's expiry is only as short as the next renewal is far. */
    @Test
    void isAvertedByRenewalWhenAnotherClientShortensTheLease() {
        try (LockHandle handle = first.acquire(leased("lost", 3_000))) {
            String key = onlyKey();
            try (RespClient client = redisOf(key)) {
                client.call("PEXPIRE", key, "2500");
                await().pollInterval(millis(5)).until(() -> {
                    assertThat(handle.isHeld()).isTrue();
                    return client.number("PTTL", key) > 2_500;
                });
            }
        }
    }
}
