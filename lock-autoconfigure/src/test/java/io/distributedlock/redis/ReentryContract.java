/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.CommandLog;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same caller again, and what it costs. */
abstract class ReentryContract extends AbstractLockContract {

    private static final LockRequest REQUEST = LockRequest.of("reentered");

    ReentryContract(LockServer server) {
        super(server);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void holdsUntilTheLastOneIsClosedAndCanBeAcquiredAgain(int depth) {
        long token = 0;
        for (int round = 0; round < 3; round++) {
            Deque<LockHandle> handles = new ArrayDeque<>();
            for (int i = 0; i < depth; i++) {
                handles.push(first.acquire(REQUEST.noWait()));
            }
            assertThat(handles.peek().fencingToken()).isGreaterThan(token);
            token = handles.peek().fencingToken();
            assertThat(handles).extracting(LockHandle::fencingToken).containsOnly(token);
            while (!handles.isEmpty()) {
                assertThat(isBusy(first, "reentered")).isTrue();
                assertThat(isBusy(second, "reentered")).isTrue();
                assertThat(handles).allMatch(LockHandle::isHeld);
                handles.pop().close();
            }
            assertThat(isBusy(second, "reentered")).isFalse();
            assertThat(isBusy(first, "reentered")).isFalse();
        }
    }

    @Test
    void closesInAnyOrder() {
        LockHandle outer = first.acquire(REQUEST);
        LockHandle inner = first.acquire(REQUEST);
        outer.close();
        assertThat(outer.isHeld()).isFalse();
        assertThat(inner.isHeld()).isTrue();
        assertThat(isBusy(second, "reentered")).isTrue();
        inner.close();
        assertThat(isBusy(second, "reentered")).isFalse();
    }

    @Test
    void closingOneHandleTwiceReleasesOneHold() {
        LockHandle outer = first.acquire(REQUEST);
        LockHandle inner = first.acquire(REQUEST);
        inner.close();
        inner.close();
        assertThat(outer.isHeld()).isTrue();
        assertThat(isBusy(second, "reentered")).isTrue();
        outer.close();
    }

    /** A re-entry after a first full cycle once was not renewed in a well-known library. */
    @Test
    void renewsTheLeaseAfterEarlierReentries() {
        HoldAssertions.assertUnlessStalled(millis(150), this::assertRenewedAfterEarlierReentries);
    }

    private void assertRenewedAfterEarlierReentries() {
        LockRequest shortly = REQUEST.lease(millis(900));
        for (int round = 0; round < 2; round++) {
            try (LockHandle outer = first.acquire(shortly);
                    LockHandle inner = first.acquire(shortly)) {
                inner.close();
                assertThat(outer.isHeld()).isTrue();
            }
        }
        try (LockHandle handle = first.acquire(shortly)) {
            HoldAssertions.assertHeldFor(
                    handle, millis(1_500), () -> assertThat(onlyTtl()).isPositive());
            assertThat(isBusy(second, "reentered")).isTrue();
        }
    }

    @Test
    void costsNoCommand() {
        try (LockHandle outer = first.acquire(REQUEST)) {
            try (CommandLog log = logOf(onlyKey())) {
                for (int i = 0; i < 100; i++) {
                    first.acquire(REQUEST).close();
                    assertThat(first.tryAcquire(REQUEST.noWait()))
                            .get()
                            .satisfies(LockHandle::close)
                            .extracting(LockHandle::fencingToken)
                            .isEqualTo(outer.fencingToken());
                }
                assertThat(commandsOfLocks(log)).isEmpty();
            }
        }
    }

    @Test
    void isRefusedAtOnceWhenTheRequestForbidsIt() {
        try (LockHandle outer = first.acquire(REQUEST)) {
            LockRequest once = REQUEST.reentrant(false);
            Stopwatch watch = Stopwatch.start();
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> first.acquire(once.waitForever()))
                    .satisfies(e -> {
                        assertThat(e.lockName()).isEqualTo("reentered");
                        assertThat(e.waited()).isLessThan(Noise.now());
                    });
            assertThat(first.tryAcquire(once.waitUpTo(Duration.ofSeconds(20)))).isEmpty();
            assertThat(watch.elapsed()).isLessThan(Noise.now());
            assertThat(outer.isHeld()).isTrue();
        }
        first.acquire(REQUEST.reentrant(false)).close();
    }

    @Test
    void isNotForOtherThreads() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            assertThat(handle.isHeld()).isTrue();
            assertThat(callers.call(() -> first.tryAcquire(REQUEST.noWait())).get())
                    .isEmpty();
        }
    }

    @Test
    void isNotForTheSameThreadInAnotherInstance() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            assertThat(handle.isHeld()).isTrue();
            assertThat(second.tryAcquire(REQUEST.noWait())).isEmpty();
        }
    }

    @Test
    void isNotForAsynchronousCallers() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            assertThat(handle.isHeld()).isTrue();
            assertThat(first.acquireAsync(REQUEST.noWait()))
                    .failsWithin(Noise.LATEST)
                    .withThrowableThat()
                    .withCauseInstanceOf(LockNotAcquiredException.class);
        }
        LockHandle asynchronous = TestCallers.get(first.acquireAsync(REQUEST).toCompletableFuture());
        assertThat(first.tryAcquire(REQUEST.noWait())).isEmpty();
        asynchronous.close();
    }
}
