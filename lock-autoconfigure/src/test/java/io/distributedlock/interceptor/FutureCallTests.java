/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.interceptor.PromisedLocks.Hold;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A call of a method that returns a future, in each order of its grant, its end, a cancellation and a loss. */
class FutureCallTests {

    private final PromisedLocks locks = new PromisedLocks();

    private final Work work = LockedProxies.by(locks).byClass(new Work());

    private final CompletableFuture<String> body = new CompletableFuture<>();

    @AfterEach
    void leavesNeitherAHandleNorAnInterrupt() {
        assertThat(LockHandle.current()).isEmpty();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aGrantAfterACancellationIsReleasedAndTheMethodNotCalled() {
        AtomicReference<String> called = new AtomicReference<>();
        CompletableFuture<String> result = work.run(() -> {
            called.set("called");
            return body;
        });
        result.cancel(true);
        Hold hold = locks.promise().grant();

        assertThat(called).hasNullValue();
        assertThat(hold.closed).isOne();
    }

    @Test
    void aCancellationEndsTheWait() {
        work.run(() -> body).cancel(true);

        assertThat(locks.promise().cancelled).isTrue();
    }

    @Test
    void aCancellationWhileTheMethodIsCalledCancelsItsFuture() {
        AtomicReference<CompletableFuture<String>> result = new AtomicReference<>();
        result.set(work.run(() -> {
            result.get().cancel(true);
            return body;
        }));
        Hold hold = locks.promise().grant();

        assertThat(body).isCancelled();
        assertThat(hold.closed).isOne();
    }

    @Test
    void aFutureThatThrowsWhenItIsCancelledReleases() {
        CompletableFuture<String> result = work.run(() -> new Uncancellable() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                throw new IllegalStateException("for the test");
            }
        });
        Hold hold = locks.promise().grant();
        result.cancel(true);

        assertThat(result).isCancelled();
        assertThat(hold.closed).isOne();
    }

    @Test
    void aFutureThatThrowsWhenALossCancelsItFailsWithTheLoss() {
        CompletableFuture<String> result = work.interrupted(() -> new Uncancellable() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                throw new IllegalStateException("for the test");
            }
        });
        locks.promise().grant().lose();

        assertThat(result)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(LockLostException.class);
    }

    /** Its work obviously goes on. */
    @Test
    void aFutureThatRefusesTheCancellationHoldsTheLockUntilItHasCompleted() {
        Uncancellable refusing = new Uncancellable();
        CompletableFuture<String> result = work.run(() -> refusing);
        Hold hold = locks.promise().grant();
        result.cancel(true);

        assertThat(hold.closed).isZero();
        refusing.complete("done");
        assertThat(hold.closed).isOne();
    }

    /** As that of {@code Mono.toFuture()}, which cancels its subscription after it has completed. */
    @Test
    void theReleaseComesAfterTheCancellation() {
        AtomicReference<Integer> during = new AtomicReference<>();
        CompletableFuture<String> result = work.run(() -> new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                boolean cancelled = super.cancel(mayInterruptIfRunning);
                during.set(locks.promise().grantedHold().closed);
                return cancelled;
            }
        });
        Hold hold = locks.promise().grant();
        result.cancel(true);

        assertThat(during).hasValue(0);
        assertThat(hold.closed).isOne();
    }

    /** Only a cancellation ends the work of the method. */
    @Test
    void aCallerThatCompletesItsFutureLeavesTheMethodToItsWork() {
        CompletableFuture<String> result = work.run(() -> body);
        Hold hold = locks.promise().grant();
        result.complete("enough");

        assertThat(body).isNotDone();
        assertThat(hold.closed).isZero();
        body.complete("done");
        assertThat(hold.closed).isOne();
    }

    /** The thread goes on with other work, such as that of the next caller. */
    @Test
    void theInterruptByALossEndsWithTheCallOfTheMethod() {
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        CompletableFuture<String> result = work.interrupted(() -> {
            locks.promise().grantedHold().lose();
            interrupted.set(Thread.currentThread().isInterrupted());
            return body;
        });
        locks.promise().grant();

        assertThat(interrupted).hasValue(true);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(result).isCompletedExceptionally();
    }

    @Test
    void aBusyLockBehindADependentStageIsStillBusy() {
        LockOperations decorated = new RecordingLocks() {
            @Override
            public CompletionStage<LockHandle> acquireAsync(LockRequest request) {
                return locks.acquireAsync(request).thenApply(handle -> handle);
            }
        };
        CompletableFuture<String> result =
                LockedProxies.by(decorated).byClass(new Work()).skipped();
        locks.promise().completeExceptionally(new LockNotAcquiredException("work", "busy", Duration.ZERO));

        assertThat(result).isCompletedWithValue(null);
    }

    @Test
    void theFailureOfAFallbackIsThatOfTheCall() {
        CompletableFuture<String> result = work.withFallback(body);
        locks.promise().completeExceptionally(new LockNotAcquiredException("work", "busy", Duration.ZERO));
        AtomicReference<Throwable> seen = new AtomicReference<>();
        result.whenComplete((value, failure) -> seen.set(failure));
        IllegalStateException failure = new IllegalStateException("in the fallback");
        body.completeExceptionally(new CompletionException(failure));

        assertThat(seen.get()).isSameAs(failure);
    }

    @Test
    void aCancellationCancelsTheFutureOfAFallback() {
        CompletableFuture<String> result = work.withFallback(body);
        locks.promise().completeExceptionally(new LockNotAcquiredException("work", "busy", Duration.ZERO));
        result.cancel(true);

        assertThat(body).isCancelled();
    }

    /** The conversion is optional for a stage of another library. */
    @Test
    void aStageThatIsNotConvertedToAFutureHoldsTheLockUntilItHasCompleted() {
        Unconverted stage = new Unconverted();
        CompletableFuture<String> result = work.run(() -> stage);
        Hold hold = locks.promise().grant();

        assertThat(hold.closed).isZero();
        stage.complete("done");
        assertThat(hold.closed).isOne();
        assertThat(result).isCompletedWithValue("done");
    }

    @Test
    void aStageThatIsNotConvertedToAFutureFailsTheCall() {
        Unconverted stage = new Unconverted();
        CompletableFuture<String> result = work.run(() -> stage);
        Hold hold = locks.promise().grant();
        AtomicReference<Throwable> seen = new AtomicReference<>();
        result.whenComplete((value, failure) -> seen.set(failure));
        IllegalStateException failure = new IllegalStateException("in the stage");
        stage.completeExceptionally(failure);

        assertThat(seen.get()).isSameAs(failure);
        assertThat(hold.closed).isOne();
    }

    @Test
    void theExceptionOfTheMethodIsNotUnwrapped() {
        ExecutionException own = new ExecutionException("own", new IllegalStateException("cause"));
        CompletableFuture<String> result = work.run(() -> CompletableFuture.failedFuture(own));
        locks.promise().grant();

        assertThatThrownBy(result::join).cause().isSameAs(own);
    }

    /** Code in another language throws checked exceptions anywhere. */
    @Test
    void aCheckedFailureOfTheRequestFailsTheFuture() {
        locks.failure = new Exception("checked");

        assertThatThrownBy(() -> work.run(() -> new CompletableFuture<>()).join())
                .cause()
                .isSameAs(locks.failure);
    }

    private static class Uncancellable extends CompletableFuture<String> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return false;
        }
    }

    private static final class Unconverted extends CompletableFuture<String> {

        @Override
        public CompletableFuture<String> toCompletableFuture() {
            throw new UnsupportedOperationException();
        }
    }

    static class Work {

        @DistributedLocked("'work'")
        CompletableFuture<String> run(Supplier<CompletableFuture<String>> body) {
            return body.get();
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.INTERRUPT)
        CompletableFuture<String> interrupted(Supplier<CompletableFuture<String>> body) {
            return body.get();
        }

        @DistributedLocked(key = "'work'", whenBusy = WhenBusy.SKIP)
        CompletableFuture<String> skipped() {
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLocked(key = "'work'", fallback = "instead")
        CompletableFuture<String> withFallback(CompletableFuture<String> other) {
            return CompletableFuture.completedFuture("done");
        }

        CompletableFuture<String> instead(CompletableFuture<String> other) {
            return other;
        }
    }
}
