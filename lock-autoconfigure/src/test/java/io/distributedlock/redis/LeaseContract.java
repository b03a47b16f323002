/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.CommandLog;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How long a lock lives in Redis, and what renews it. */
abstract class LeaseContract extends AbstractLockContract {

    private static final Duration LEASE = millis(300);

    private static final LockRequest REQUEST = leased("leased", 300);

    private static final Duration RENEWED_LEASE = millis(900);

    /** A thread that is scheduled a little late does not miss its renewals. */
    private static final LockRequest RENEWED = leased("leased", 900);

    /** What a renewed lease outlasts in any case. */
    private static final Duration HARMLESS = RENEWED_LEASE.dividedBy(6);

    LeaseContract(LockServer server) {
        super(server);
    }

    @Test
    void isTheOneOfTheRequest() {
        for (long millis : new long[] {10_000, 60_000, 3_600_000, LockRequest.MAX_LEASE.toMillis()}) {
            Stopwatch watch = Stopwatch.start();
            try (LockHandle handle = first.acquire(leased("leased", millis))) {
                assertThat(handle.remainingLease()).isLessThanOrEqualTo(millis(millis - 5));
                Duration remaining = handle.remainingLease();
                long ttl = onlyTtl();
                long passed = watch.elapsed().toMillis() + 2;
                assertThat(ttl).isBetween(millis - passed, millis);
                assertThat(remaining).isGreaterThanOrEqualTo(millis(millis - millis / 100 - 5 - passed));
            }
        }
        try (LockHandle handle = first.acquire(LockRequest.of("leased"))) {
            assertThat(onlyTtl()).isBetween(30_000L - Noise.LATEST.toMillis(), 30_000L);
            assertThat(handle.isHeld()).isTrue();
        }
    }

    @Test
    void isRenewedWhileTheHoldLasts() {
        HoldAssertions.assertUnlessStalled(HARMLESS, this::assertRenewedWhileTheHoldLasts);
    }

    private void assertRenewedWhileTheHoldLasts() {
        try (LockHandle handle = first.acquire(RENEWED)) {
            String key = onlyKey();
            try (RespClient client = redisOf(key)) {
                AtomicInteger replies = new AtomicInteger();
                HoldAssertions.assertHeldFor(handle, millis(2_000), () -> {
                    assertThat(client.number("PTTL", key)).isBetween(20L, 900L);
                    assertThat(HoldAssertions.isGranted(second, REQUEST, replies))
                            .isFalse();
                });
                assertThat(replies).as("requests with a reply").hasPositiveValue();
            }
        }
        assertThat(isBusy(second, "leased")).isFalse();
    }

    /**
     * A third of the lease apart: no more often than that, which would be a waste, and not so seldom that one is a
     * risk.
     */
    @Test
    void isRenewedEveryThirdOfIt() {
        HoldAssertions.assertUnlessStalled(HARMLESS, this::assertRenewedEveryThirdOfIt);
    }

    private void assertRenewedEveryThirdOfIt() {
        try (LockHandle handle = first.acquire(RENEWED);
                CommandLog log = logOf(onlyKey())) {
            Stopwatch watch = Stopwatch.start();
            HoldAssertions.assertHeldFor(handle, millis(2_400), () -> {});
            int renewals = log.calls("pexpire").size();
            assertThat(renewals).isBetween(5, 3 + (int) (watch.elapsed().toMillis() / 300));
        }
    }

    @Test
    void isNotRenewedAfterTheRelease() {
        HoldAssertions.assertUnlessStalled(HARMLESS, this::assertNotRenewedAfterTheRelease);
    }

    private void assertNotRenewedAfterTheRelease() {
        first.acquire(RENEWED).close();
        LockHandle former = first.acquire(RENEWED);
        String key = onlyKey();
        HoldAssertions.awaitRenewals(former, 1);
        former.close();
        try (LockHandle next = second.acquire(leased("leased", 20_000).renew(false));
                CommandLog log = logOf(key);
                RespClient client = redisOf(key)) {
            AtomicLong ttl = new AtomicLong(Long.MAX_VALUE);
            HoldAssertions.assertHeldFor(next, millis(700), () -> {
                long now = client.number("PTTL", key);
                assertThat(now).isLessThanOrEqualTo(ttl.getAndSet(now));
            });
            assertThat(commandsOfLocks(log)).isEmpty();
        }
    }

    @Test
    void isAHardEndWithoutRenewal() {
        Stopwatch watch = Stopwatch.start();
        LockHandle handle = first.acquire(REQUEST.renew(false));
        Duration acquired = watch.elapsed();
        try (LockHandle next = second.acquire(LockRequest.of("leased"))) {
            assertThat(watch.elapsed())
                    .isBetween(LEASE.minusMillis(20), acquired.plus(LEASE).plus(Noise.now()));
            assertThat(handle.isHeld()).isFalse();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
            handle.close();
            assertThat(next.isHeld()).isTrue();
            assertThat(isBusy(first, "leased")).isTrue();
        }
    }

    @Test
    void endsLocallyBeforeItEndsInRedis() {
        for (int i = 0; i < 5; i++) {
            LockHandle handle = first.acquire(leased("leased", 150).renew(false));
            String key = onlyKey();
            try (RespClient client = redisOf(key)) {
                await().pollInterval(millis(1)).until(() -> {
                    boolean there = client.number("EXISTS", key) == 1;
                    boolean held = handle.isHeld();
                    assertThat(held && !there && handle.isHeld()).isFalse();
                    return !there;
                });
            }
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        }
    }

    @Test
    void canBeVeryShort() {
        for (long millis : new long[] {10, 20, 50, 100}) {
            LockHandle handle = first.acquire(leased("leased", millis).renew(false));
            try (LockHandle next = second.acquire(LockRequest.of("leased").waitUpTo(Noise.LATEST))) {
                assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
            }
        }
        HoldAssertions.assertUnlessStalled(millis(20), this::assertVeryShortLeaseIsRenewed);
    }

    private void assertVeryShortLeaseIsRenewed() {
        try (LockHandle handle = first.acquire(leased("leased", 100))) {
            HoldAssertions.assertHeldFor(
                    handle, millis(500), () -> assertThat(onlyTtl()).isPositive());
        }
    }

    @Test
    void endsAtMaxHold() {
        HoldAssertions.assertUnlessStalled(HARMLESS, this::assertEndsAtMaxHold);
    }

    private void assertEndsAtMaxHold() {
        Stopwatch watch = Stopwatch.start();
        LockHandle handle = first.acquire(RENEWED.maxHold(millis(1_500)));
        HoldAssertions.awaitRenewals(handle, 1, () -> assertThat(onlyTtl()).isPositive());
        try (LockHandle next = second.acquire(LockRequest.of("leased"))) {
            assertThat(watch.elapsed()).isBetween(millis(1_450), millis(1_500).plus(Noise.now()));
            assertThat(next.isHeld()).isTrue();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        }
    }

    @Test
    void isNeverLongerThanMaxHold() {
        HoldAssertions.assertUnlessStalled(millis(100), this::assertNeverLongerThanMaxHold);
    }

    private void assertNeverLongerThanMaxHold() {
        LockHandle handle = first.acquire(leased("leased", 60_000).maxHold(millis(400)));
        assertThat(onlyTtl()).isLessThanOrEqualTo(400L);
        handle.extend(Duration.ofSeconds(30));
        assertThat(onlyTtl()).isLessThanOrEqualTo(400L);
        HoldAssertions.awaitLoss(handle, millis(400));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        await().atMost(Noise.LATEST).until(() -> !isBusy(second, "leased"));
    }

    @Test
    void canBeExtendedAndIsNotShortenedAfterwards() {
        HoldAssertions.assertUnlessStalled(HARMLESS, this::assertExtendedAndNotShortenedAfterwards);
    }

    private void assertExtendedAndNotShortenedAfterwards() {
        try (LockHandle handle = first.acquire(RENEWED)) {
            Stopwatch watch = Stopwatch.start();
            handle.extend(millis(30_000));
            assertThat(onlyTtl()).isLessThanOrEqualTo(30_000L);
            assertThat(handle.remainingLease()).isLessThanOrEqualTo(millis(30_000));
            HoldAssertions.assertHeldFor(handle, millis(1_200), () -> {
                long ttl = onlyTtl();
                Duration remaining = handle.remainingLease();
                Duration promised = millis(30_000).minus(watch.elapsed());
                assertThat(ttl).isGreaterThanOrEqualTo(promised.toMillis() - 2);
                assertThat(remaining).isGreaterThan(promised.minusMillis(310));
            });
        }
        assertThat(isBusy(second, "leased")).isFalse();
    }

    @Test
    void isRenewedAgainAfterAnExtensionIsOver() {
        HoldAssertions.assertUnlessStalled(HARMLESS, this::assertRenewedAgainAfterAnExtensionIsOver);
    }

    private void assertRenewedAgainAfterAnExtensionIsOver() {
        try (LockHandle handle = first.acquire(RENEWED)) {
            handle.extend(millis(1_500));
            HoldAssertions.awaitRenewals(handle, 3, () -> assertThat(onlyTtl()).isPositive());
        }
    }

    @Test
    void canBeShortenedByAnExtension() {
        LockHandle handle = first.acquire(leased("leased", 60_000).renew(false));
        Stopwatch watch = Stopwatch.start();
        handle.extend(millis(200));
        HoldAssertions.awaitLoss(handle, millis(200));
        assertThat(watch.elapsed()).isGreaterThan(millis(180));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    @Test
    void canBeExtendedWhenItIsNotRenewed() {
        HoldAssertions.assertUnlessStalled(millis(100), this::assertExtendedWhenItIsNotRenewed);
    }

    private void assertExtendedWhenItIsNotRenewed() {
        LockHandle handle = first.acquire(REQUEST.renew(false));
        handle.extend(millis(1_500));
        HoldAssertions.assertHeldFor(
                handle, millis(600), () -> assertThat(onlyTtl()).isPositive());
        HoldAssertions.awaitLoss(handle, millis(900));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> handle.extend(millis(700)));
        await("an extension creates nothing, and Redis keeps the lease a little longer than its holder believes")
                .atMost(Noise.LATEST)
                .until(() -> keys().isEmpty());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    @Test
    void cannotBeExtendedWhenTheLockIsGoneOrClosed() {
        LockHandle handle = first.acquire(leased("leased", 60_000));
        delete(onlyKey());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> handle.extend(millis(1_000)));
        assertThat(handle.isHeld()).isFalse();
        assertThat(keys()).isEmpty();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);

        LockHandle closed = first.acquire(LockRequest.of("leased"));
        closed.close();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> closed.extend(millis(1_000)));
        assertThat(keys()).isEmpty();
    }

    @Test
    void refusesNonsenseInAnExtension() {
        try (LockHandle handle = first.acquire(LockRequest.of("leased"))) {
            assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(millis(9)));
            assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(Duration.ofDays(366)));
            assertThat(handle.isHeld()).isTrue();
        }
    }

    @Test
    void isNotRenewedWhenTheHandleWasGarbageCollected() {
        awaitCollected(forget(REQUEST));
        await().atMost(LEASE.plus(Noise.LATEST)).until(() -> keys().isEmpty());
        assertThat(isBusy(second, "leased")).isFalse();
    }

    private WeakReference<LockHandle> forget(LockRequest request) {
        return new WeakReference<>(first.acquire(request));
    }

    /** A re-entry is a handle that a caller has: it is renewed, whatever became of an earlier one. */
    @Test
    void isRenewedForAReentryAfterTheFirstHandleWasGarbageCollected() {
        HoldAssertions.assertUnlessStalled(HARMLESS, this::assertReentryIsRenewed);
    }

    private void assertReentryIsRenewed() {
        awaitCollected(forget(RENEWED));
        awaitCollected(holdAndForget());
        await().atMost(RENEWED_LEASE.plus(Noise.LATEST)).until(() -> keys().isEmpty());
    }

    private WeakReference<LockHandle> holdAndForget() {
        LockHandle handle = first.acquire(RENEWED);
        HoldAssertions.assertHeldFor(
                handle,
                RENEWED_LEASE.multipliedBy(3).dividedBy(2),
                () -> assertThat(onlyTtl()).isPositive());
        handle.close();
        return new WeakReference<>(handle);
    }

    private static void awaitCollected(WeakReference<LockHandle> handle) {
        await().until(() -> {
            System.gc();
            return handle.get() == null;
        });
    }

    @Test
    void isNotRenewedWhenItsThreadHasEnded() {
        LockHandle handle = callers.call(() -> first.acquire(REQUEST)).get();
        await().atMost(LEASE.plus(Noise.LATEST)).until(() -> keys().isEmpty());
        assertThat(isBusy(second, "leased")).isFalse();
        assertThat(handle.isHeld()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    @Test
    void isRenewedWhenTheThreadOfAnAsynchronousCallerHasEnded() {
        HoldAssertions.assertUnlessStalled(HARMLESS, this::assertRenewedWhenTheThreadOfAnAsynchronousCallerHasEnded);
    }

    private void assertRenewedWhenTheThreadOfAnAsynchronousCallerHasEnded() {
        LockHandle handle = callers.call(
                        () -> TestCallers.get(first.acquireAsync(RENEWED).toCompletableFuture()))
                .get();
        HoldAssertions.awaitRenewals(handle, 4, () -> assertThat(onlyTtl()).isPositive());
        handle.close();
    }

    /** The lease of one call is not that of another one for the same name. */
    @Test
    void belongsToOneCall() {
        for (int i = 0; i < 20; i++) {
            long millis = i % 2 == 0 ? 10_000 : 60_000;
            try (LockHandle handle = first.acquire(leased("leased", millis))) {
                assertThat(onlyTtl()).isBetween(millis - 9_000, millis);
                assertThat(handle.isHeld()).isTrue();
            }
        }
    }
}
