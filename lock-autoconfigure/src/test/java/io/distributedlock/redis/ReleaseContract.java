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

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Who may end a hold. */
abstract class ReleaseContract extends AbstractLockContract {

    private static final LockRequest REQUEST = LockRequest.of("released");

    ReleaseContract(LockServer server) {
        super(server);
    }

    @Test
    void onlyTheFirstCloseDoesAnything() {
        LockHandle handle = first.acquire(REQUEST);
        handle.close();
        assertThat(handle.isHeld()).isFalse();
        assertThat(handle.remainingLease()).isZero();
        try (LockHandle next = second.acquire(REQUEST.noWait())) {
            handle.close();
            handle.close();
            assertThat(next.isHeld()).isTrue();
            assertThat(isBusy(first, "released")).isTrue();
        }
    }

    @Test
    void mayHappenInAnotherThread() {
        LockHandle handle = first.acquire(REQUEST);
        callers.call(() -> {
                    handle.close();
                    return handle;
                })
                .get();
        assertThat(keys()).isEmpty();
    }

    /** The late close of a hold whose lease ran out finds the lock of another caller, and leaves it alone. */
    @Test
    void byAFormerHolderDoesNotTouchTheNextOne() {
        LockHandle late = first.acquire(leased("released", 100).renew(false));
        try (LockHandle next = second.acquire(REQUEST)) {
            assertThat(next.fencingToken()).isGreaterThan(late.fencingToken());
            assertThatExceptionOfType(LockLostException.class).isThrownBy(late::close);
            late.close();
            assertThat(isBusy(first, "released")).isTrue();
            assertThat(second.inspect("released"))
                    .get()
                    .extracting(LockState::fencingToken)
                    .isEqualTo(next.fencingToken());
        }
    }

    /** As above, but the holder has not noticed yet: Redis itself must refuse. */
    @Test
    void byAHolderThatDoesNotKnowOfItsLossDoesNotTouchTheNextHold() {
        LockHandle late = first.acquire(leased("released", 60_000));
        delete(onlyKey());
        try (LockHandle next = second.acquire(REQUEST.noWait())) {
            assertThat(late.isHeld()).as("it cannot know yet").isTrue();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(late::close);
            assertThat(next.isHeld()).isTrue();
            assertThat(isBusy(first, "released")).isTrue();
            assertThat(second.inspect("released"))
                    .get()
                    .extracting(LockState::fencingToken)
                    .isEqualTo(next.fencingToken());
        }
    }

    /** Neither what {@code inspect} shows nor any other id serves to release the lock of a thread. */
    @Test
    void byGuessedOwnersIsRefused() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            String shown = second.inspect("released").orElseThrow().owner();
            for (String guess : new String[] {shown, shown + ".", shown + ".1", "=" + shown, "*", "0", "1"}) {
                assertThat(second.release("released", guess)).isEqualTo(ReleaseResult.NOT_YOURS);
                assertThat(first.release("released", guess)).isEqualTo(ReleaseResult.NOT_YOURS);
            }
            assertThat(handle.isHeld()).isTrue();
            assertThat(isBusy(second, "released")).isTrue();
        }
    }

    @Test
    void byForceEndsTheHoldPromptly() {
        LockHandle handle = first.acquire(REQUEST);
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost(lost::countDown);
        assertThat(second.forceRelease("released")).isTrue();
        awaitLatch(lost, Duration.ZERO);
        assertThat(handle.isHeld()).isFalse();
        assertThat(handle.remainingLease()).isZero();
        try (LockHandle next = second.acquire(REQUEST.noWait())) {
            assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::throwIfLost);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(handle::close)
                    .satisfies(e -> {
                        assertThat(e.lockName()).isEqualTo("released");
                        assertThat(e.heldFor()).isPositive();
                    });
            assertThat(next.isHeld()).isTrue();
            assertThat(isBusy(first, "released")).isTrue();
        }
    }

    @Test
    void byForceWorksInTheHoldersInstanceToo() {
        LockHandle handle = first.acquire(REQUEST);
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost(lost::countDown);
        assertThat(first.forceRelease("released")).isTrue();
        awaitLatch(lost, Duration.ZERO);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    @Test
    void byForceReturnsWhetherTheLockWasHeld() {
        assertThat(first.forceRelease("released")).isFalse();
        first.acquire(REQUEST).close();
        assertThat(first.forceRelease("released")).isFalse();
    }

    @Test
    void byForceHandsTheLockToTheNextWaiter() {
        LockHandle handle = first.acquire(REQUEST);
        TestCallers.Call<Long> next = callers.call(() -> {
            try (LockHandle granted = second.acquire(REQUEST)) {
                return granted.fencingToken();
            }
        });
        await().until(() -> first.inspect("released").orElseThrow().waitingInstances() == 1);
        Stopwatch watch = Stopwatch.start();
        assertThat(first.forceRelease("released")).isTrue();
        assertThat(next.get()).isGreaterThan(handle.fencingToken());
        assertThat(watch.elapsed()).isLessThan(Noise.now());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    /** The next one in the same instance does not wait until the former holder is done. */
    @Test
    void byForceLetsTheNextWaiterOfTheSameInstanceIn() {
        LockHandle handle = first.acquire(REQUEST);
        TestCallers.Call<Long> next = callers.call(() -> {
                    try (LockHandle granted = first.acquire(REQUEST)) {
                        return granted.fencingToken();
                    }
                })
                .awaitBlocked();
        assertThat(second.forceRelease("released")).isTrue();
        assertThat(next.get()).isGreaterThan(handle.fencingToken());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    @Test
    void removesTheKeyAtOnce() {
        for (int i = 0; i < 20; i++) {
            LockHandle handle = first.acquire(REQUEST);
            String key = onlyKey();
            handle.close();
            try (RespClient client = redisOf(key)) {
                assertThat(client.number("EXISTS", key)).isZero();
            }
        }
    }

    @Test
    void happensWhenTheCallbackFails() {
        IllegalStateException failure = new IllegalStateException("on purpose");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> first.execute(REQUEST, handle -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(keys()).isEmpty();
    }

    @Test
    void ofALostHoldFailsAfterTheCallback() {
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> first.execute(REQUEST, handle -> {
                    second.forceRelease("released");
                    HoldAssertions.awaitLoss(handle, Duration.ofSeconds(5));
                    return "not seen";
                }));
        IllegalStateException failure = new IllegalStateException("on purpose");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> first.execute(leased("released", 100).renew(false), handle -> {
                    HoldAssertions.awaitLoss(handle, millis(5_000));
                    throw failure;
                }))
                .satisfies(
                        e -> assertThat(e.getSuppressed()).hasSize(1).hasOnlyElementsOfType(LockLostException.class));
    }
}
