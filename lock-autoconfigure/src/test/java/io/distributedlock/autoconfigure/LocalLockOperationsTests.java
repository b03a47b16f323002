/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** What is invalid with locks is invalid without them: a test without Redis must find it. */
class LocalLockOperationsTests {

    private final LocalLockOperations locks =
            new LocalLockOperations(Duration.ofSeconds(30), Duration.ofMinutes(1), true);

    @Test
    void anInvalidNameIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> locks.inspect(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> locks.forceRelease(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> locks.release(" ", "owner"));
        assertThatIllegalArgumentException().isThrownBy(() -> locks.release("order:1", " "));
    }

    @Test
    void aHandleShowsItsNamesOnOneLine() {
        try (LockHandle one = locks.acquire(LockRequest.of("a\nb"));
                LockHandle several = locks.acquire(LockRequest.ofAll(List.of("c\nd", "e")))) {
            assertThat(one.toString()).contains("a\\u000Ab").doesNotContain("\n");
            assertThat(several.toString()).contains("c\\u000Ad").doesNotContain("\n");
        }
    }

    @Test
    void anInvalidLeaseIsRefused() {
        try (LockHandle handle = locks.acquire(LockRequest.of("order:1"))) {
            assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(Duration.ZERO));
        }
    }

    @Test
    void aMinimumThatIsLongerThanTheDefaultMaximumIsRefused() {
        LockRequest tooLong = LockRequest.of("job").minHold(Duration.ofMinutes(2));

        assertThatIllegalArgumentException().isThrownBy(() -> locks.acquire(tooLong));
        assertThatIllegalArgumentException().isThrownBy(() -> locks.tryAcquire(tooLong));
        assertThat(locks.acquireAsync(tooLong))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalArgumentException.class);
        locks.acquire(tooLong.maxHold(Duration.ofMinutes(2))).close();
        locks.acquire(tooLong.renew(false)).close();
        locks.acquire(tooLong.minHold(Duration.ofMinutes(1))).close();
    }

    @Test
    @SuppressWarnings("NullAway")
    void aMissingRequestFailsTheStage() {
        assertThat(locks.acquireAsync(null))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(NullPointerException.class);
    }

    @Test
    void theTokenOfSeveralLocksIsTheHighest() {
        try (LockHandle handle = locks.acquire(LockRequest.ofAll(List.of("a", "b", "c")))) {
            assertThat(handle.fencingTokens()).hasSize(3);
            assertThat(handle.fencingToken())
                    .isEqualTo(Collections.max(handle.fencingTokens().values()));
        }
    }

    /** So a test without locks finds code that handles interrupts wrongly. */
    @Test
    void aCallerThatIsInterruptedGetsNoLock() throws Exception {
        LockRequest request = LockRequest.of("order:1");
        Lock lock = locks.asLock(request);
        interrupted(() -> assertThatExceptionOfType(LockInterruptedException.class)
                .isThrownBy(() -> locks.acquire(request))
                .satisfies(
                        ex -> assertThat(Thread.currentThread().isInterrupted()).isTrue()));
        interrupted(() ->
                assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> locks.tryAcquire(request)));
        interrupted(() -> assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly));
        interrupted(() -> assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS)));
    }

    @Test
    void anInterruptIsNotForLocksThatCannotBeInterrupted() throws Exception {
        Lock lock = locks.asLock(LockRequest.of("order:1"));
        interrupted(() -> {
            lock.lock();
            assertThat(lock.tryLock()).isTrue();
            assertThat(locks.acquireAsync(LockRequest.of("order:1")))
                    .succeedsWithin(Duration.ZERO)
                    .satisfies(handle -> assertThat(handle.isHeld()).isTrue());
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        });
    }

    private static void interrupted(ThrowingRunnable assertion) throws Exception {
        Thread.currentThread().interrupt();
        try {
            assertion.run();
        } finally {
            Thread.interrupted();
        }
    }

    private interface ThrowingRunnable {

        void run() throws Exception;
    }
}
