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
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.ReleaseResult;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The command was sent, and its outcome is unknown. */
class UnknownOutcomeTests extends AbstractFaultTests {

    private static final LockRequest REQUEST = leased("unknown", 1_200);

    /** Of an instance that the test does not break. */
    private static final LockRequest OTHERS = LockRequest.of("unknown");

    /** Such a lease ends long after this test. */
    private static final LockRequest LASTING = leased("unknown", 60_000);

    /** An acquisition whose caller has given up runs later all the same. It must not keep the lock. */
    @Test
    void anAcquisitionThatIsExecutedTooLateIsReleased() {
        RedisLockTemplate locks = direct();
        RedisLockTemplate other = patient();
        other.acquire(OTHERS).close();
        for (int i = 0; i < 3; i++) {
            redis.signal("STOP");
            assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.acquire(REQUEST.noWait()));
            redis.signal("CONT");
            Stopwatch watch = Stopwatch.start();
            other.acquire(OTHERS).close();
            assertThat(watch.elapsed()).isLessThan(millis(500).plus(Noise.now()));
        }
        await().atMost(REQUEST.lease().multipliedBy(2).plus(Noise.LATEST)).until(() -> keys().isEmpty());
    }

    /** Its bytes lie in the buffers of a dead connection, and reach Redis when everything is over. */
    @Test
    void anAcquisitionOfADeadConnectionIsNotGrantedAfterItsRelease() {
        RedisLockTemplate locks = proxied();
        RedisLockTemplate other = patient();
        for (int i = 0; i < 3; i++) {
            proxy.requests().hold();
            TestCallers.Call<LockHandle> call = callers.call(() -> {
                LockHandle handle = locks.acquire(REQUEST);
                closeInTime(handle);
                return handle;
            });
            await().pollInterval(millis(1)).until(() -> proxy.requests().pending() > 0);
            assertThat(proxy.abandon()).isPositive();
            proxy.heal();
            assertThat(call.get().isHeld()).isFalse();
            try (CommandCounter counter = CommandCounter.start(redis)) {
                proxy.deliverAbandoned();
                await().until(() -> counter.scripts() > 0);
            }
            assertThat(keys()).noneMatch(key -> key.endsWith("}"));
            assertFree(other);
        }
    }

    @Test
    void anAcquisitionWhoseReplyWasLostIsMadeOnce() {
        RedisLockTemplate locks = proxied();
        RedisLockTemplate other = patient();
        proxy.replies().drop();
        TestCallers.Call<LockHandle> call = callers.call(() -> {
            LockHandle handle = locks.acquire(REQUEST);
            assertThat(handle.isHeld()).isTrue();
            assertThat(other.tryAcquire(OTHERS.noWait())).isEmpty();
            closeInTime(handle);
            return handle;
        });
        await().until(() -> !keys().isEmpty() && proxy.replies().dropped() > 0);
        proxy.heal();
        proxy.cut();
        assertThat(call.get().isHeld()).isFalse();
        assertFree(other);
    }

    @Test
    void aReleaseWhoseReplyWasLostSucceeds() {
        RedisLockTemplate locks = proxied();
        RedisLockTemplate other = patient();
        LockHandle handle = locks.acquire(REQUEST);
        proxy.replies().drop();
        TestCallers.Call<Optional<RuntimeException>> call = callers.call(() -> closeAndTell(handle));
        await().until(() -> keys().isEmpty() && proxy.replies().dropped() > 0);
        proxy.heal();
        proxy.cut();
        call.get().ifPresent(failure -> assertThat(failure).isInstanceOf(LockReleaseUnconfirmedException.class));
        assertFree(other);
    }

    private static Optional<RuntimeException> closeAndTell(LockHandle handle) {
        try {
            handle.close();
            return Optional.empty();
        } catch (RuntimeException e) {
            return Optional.of(e);
        }
    }

    /** The release is tried again until the lease has passed. None of the tries may hit the next owner. */
    @Test
    void aReleaseThatIsExecutedTooLateDoesNotTouchTheNextHolder() {
        RedisLockTemplate locks = proxied();
        RedisLockTemplate other = patient();
        LockHandle handle = locks.acquire(leased("unknown", 2_000));
        proxy.requests().hold();
        assertThatExceptionOfType(LockReleaseUnconfirmedException.class).isThrownBy(handle::close);
        assertThat(proxy.requests().pending()).isPositive();
        try (LockHandle next = other.acquire(leased("unknown", 20_000))) {
            proxy.heal();
            // What was held back is executed before these requests.
            AtomicInteger replies = new AtomicInteger();
            await().pollInterval(millis(10)).until(() -> {
                assertThat(HoldAssertions.isGranted(locks, REQUEST, replies)).isFalse();
                next.extend(millis(20_000));
                assertThat(next.isHeld()).isTrue();
                return replies.get() >= 30;
            });
        }
    }

    /** Redis receives renewals while it is silent, and then the release: late renewals renew nothing. */
    @Test
    void aRenewalThatRunsTooLateRenewsNothing() {
        RedisLockTemplate locks = proxied();
        RedisLockTemplate other = patient();
        LockHandle handle = locks.acquire(leased("unknown", 600));
        proxy.requests().hold();
        await().until(() -> proxy.requests().pending() > 0);
        HoldAssertions.awaitLoss(handle, millis(600));
        try (LockHandle next = other.acquire(leased("unknown", 20_000).renew(false))) {
            proxy.heal();
            HoldAssertions.assertHeldFor(next, millis(600), () -> {});
            assertThat(Long.parseLong(call("PTTL", "lock:{unknown}"))).isGreaterThan(5_000);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        }
        assertFree(other);
    }

    /** Redis has shortened the lease, and the connection breaks. */
    @Test
    void anExtensionCountsAfterAShorterOneWithoutAReply() {
        RedisLockTemplate locks = proxied();
        LockHandle handle = locks.acquire(leased("unknown", 60_000));
        proxy.replies().drop();
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> handle.extend(millis(10_000)));
        proxy.heal();
        proxy.cut();

        await().ignoreExceptions().until(() -> {
            handle.extend(millis(40_000));
            return true;
        });

        assertThat(handle.remainingLease()).isGreaterThan(millis(30_000));
        assertThat(Long.parseLong(call("PTTL", keys().get(0)))).isGreaterThan(30_000);
        closeInTime(handle);
    }

    @Test
    void anInterruptWhileTheReplyIsUnderWayLeavesNothingBehind() {
        RedisLockTemplate locks = proxied();
        RedisLockTemplate other = patient();
        for (int i = 0; i < 5; i++) {
            proxy.replies().hold();
            TestCallers.Call<?> call = callers.call(() -> locks.acquire(LASTING));
            await().pollInterval(millis(1)).until(() -> proxy.replies().pending() > 0);
            call.thread().interrupt();
            assertThat(call.failure()).isInstanceOf(LockInterruptedException.class);
            proxy.heal();
            await().until(() -> keys().stream().noneMatch(key -> key.endsWith("}")));
            assertFree(other);
        }
        assertThat(keys())
                .filteredOn(key -> key.contains("unknown"))
                .as("cancelled ids are forgotten in the end")
                .allSatisfy(key -> assertThat(Long.parseLong(call("PTTL", key)))
                        .isBetween(1L, LASTING.lease().multipliedBy(2).toMillis()));
    }

    @Test
    void aReplyThatTakesLongerThanTheLeaseIsNoHold() {
        RedisLockTemplate locks = proxied();
        proxy.replies().delay(millis(150));
        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> locks.acquire(leased("unknown", 100).waitUpTo(millis(300))))
                    .withMessageMatching(".*(longer than the lease|no reply within) .*");
        }
        proxy.heal();
        await().atMost(millis(200).plus(Noise.LATEST)).until(() -> keys().isEmpty());
    }

    @Test
    void slowRepliesDoNotMakeTheLeaseLonger() {
        RedisLockTemplate locks = proxied(Templates.PATIENT);
        proxy.requests().delay(millis(10));
        proxy.replies().delay(millis(200));
        Stopwatch watch = Stopwatch.start();
        LockHandle handle = locks.acquire(leased("unknown", 1_500).renew(false));
        Duration remaining = handle.remainingLease();
        assertThat(watch.elapsed()).isGreaterThan(millis(210));
        // The lease begins with the request that was granted, which may be a repeated one.
        assertThat(remaining).isLessThanOrEqualTo(millis(1_500 - 210));
        proxy.heal();
        HoldAssertions.awaitLoss(handle, millis(1_500));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    /** The instance is cut off: another caller gets the lock when its lease has passed, and it knows by then. */
    @Test
    void anInstanceThatIsCutOffLosesItsLocks() {
        RedisLockTemplate locks = proxied();
        RedisLockTemplate other = patient();
        for (int i = 0; i < 3; i++) {
            LockHandle handle = locks.acquire(leased("unknown", 600));
            proxy.refuse();
            assertThat(proxy.cut()).isPositive();
            Stopwatch watch = Stopwatch.start();
            try (LockHandle next = other.acquire(OTHERS)) {
                assertThat(watch.elapsed()).isLessThan(millis(600).plus(Noise.now()));
                assertThat(handle.isHeld()).isFalse();
                assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
                proxy.heal();
                assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
                assertThat(next.isHeld()).isTrue();
            }
            await().ignoreExceptions().until(() -> {
                locks.acquire(REQUEST.noWait()).close();
                return true;
            });
        }
    }

    @Test
    void connectionsThatAreCutDoNotEndAHold() {
        RedisLockTemplate locks = proxied(Templates.PATIENT);
        try (LockHandle handle = locks.acquire(leased("unknown", 3_000))) {
            for (int i = 0; i < 2; i++) {
                int before = proxy.accepted();
                assertThat(proxy.cut()).isPositive();
                await().until(() -> proxy.accepted() >= before + 2);
                HoldAssertions.awaitRenewals(handle, 1);
            }
            assertThat(keys()).contains("lock:{unknown}");
        }
        assertThat(keys()).noneMatch(key -> key.endsWith("}"));
    }

    @Test
    void aHalfOpenConnectionIsBoundedAndHeals() {
        RedisLockTemplate locks = proxied();
        LockHandle handle = locks.acquire(leased("unknown", 900));
        proxy.blackHole();
        assertThat(HoldAssertions.awaitLoss(handle, millis(900))).isGreaterThan(millis(300));
        assertThat(timeOf(() -> locks.acquire(REQUEST.waitUpTo(millis(200)))))
                .isLessThan(millis(200).plus(TIMEOUT).plus(Noise.now()));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        proxy.heal();
        await().atMost(Noise.LATEST).ignoreExceptions().until(() -> {
            locks.acquire(REQUEST.noWait()).close();
            return true;
        });
        await().atMost(REQUEST.lease().multipliedBy(2).plus(Noise.LATEST)).until(() -> keys().isEmpty());
    }

    @Test
    void aServerWithoutMemoryRefusesNewLocksAndKeepsOldOnes() {
        RedisLockTemplate locks = patient();
        try (LockHandle handle = locks.acquire(leased("unknown", 3_000));
                LockHandle owned = locks.acquire(leased("owned", 3_000).owner("job"))) {
            call("CONFIG", "SET", "maxmemory", "1");
            assertThat(timeOf(() -> locks.acquire(LockRequest.of("new")))).isLessThan(Noise.now());
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> locks.acquire(LockRequest.of("new")))
                    .withMessageContaining("OOM");
            HoldAssertions.awaitRenewals(handle, 1);
            HoldAssertions.awaitRenewals(owned, 1);
        }
        assertThat(keys()).isEmpty();
    }

    @Test
    void aServerWithoutMemoryTakesOneOfSeveralHoldsBack() {
        RedisLockTemplate locks = patient();
        LockRequest request = leased("owned", 30_000).owner("job");
        LockHandle first = locks.acquire(request);
        LockHandle second = locks.acquire(request);
        LockHandle third = locks.acquire(request);
        call("CONFIG", "SET", "maxmemory", "1");

        first.close();
        assertThat(locks.release("owned", "job")).isEqualTo(ReleaseResult.STILL_HELD);
        assertThat(locks.release("owned", "job")).isEqualTo(ReleaseResult.RELEASED);

        assertThat(keys()).isEmpty();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(second::close);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(third::close);
    }

    private void assertFree(RedisLockTemplate other) {
        try {
            other.acquire(OTHERS.noWait()).close();
        } catch (LockNotAcquiredException e) {
            throw new AssertionError("It is held: " + other.inspect("unknown"), e);
        }
    }
}
