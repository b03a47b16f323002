/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A caller that receives its grant only after the lease has passed. Time moves between the grant and the caller. */
class LateDeliveryTests {

    private final ManualClock clock = ManualClock.startingAt(0);

    private final SharedLeases leases = new SharedLeases(clock);

    private final Deque<Runnable> callbacks = new ArrayDeque<>();

    private final TestNetwork network = new TestNetwork();

    /** How many of the next commands are followed by a pause that is longer than the lease. */
    private int slow;

    private final LockEngine one = TestEngine.of(new InMemoryLeaseStore(leases, "one", slowed()))
            .callbacks(callbacks::add)
            .at(clock);

    private final LockEngine two = TestEngine.of(new InMemoryLeaseStore(leases, "two", new TestNetwork()))
            .at(clock);

    /** The answer has come when the pause begins, so the caller is granted the lock and does not know it yet. */
    private Network slowed() {
        DirectNetwork direct = new DirectNetwork();
        return new Network() {
            @Override
            public void send(SimulatedCall<?> call) {
                direct.send(call);
                if (slow > 0) {
                    slow--;
                    clock.advanceMillis(31_000);
                }
            }

            @Override
            public void deliver(StoreMessage message, Runnable arrival) {
                direct.deliver(message, arrival);
            }

            @Override
            public boolean isSubscribed() {
                return true;
            }

            @Override
            public CompletableFuture<Void> ready() {
                return direct.ready();
            }
        };
    }

    @AfterEach
    void nothingIsLeft() {
        one.runTimers();
        assertThat(one.locks().size()).isZero();
        assertThat(two.locks().size()).isZero();
        assertThat(leases.leftovers()).isEmpty();
    }

    private static LockRequest request(Duration wait) {
        return LockRequest.of("a").waitUpTo(wait);
    }

    @Test
    void aBlockedCallerContinuesToWait() {
        slow = 1;
        try (LockHandle handle = one.acquire(request(Duration.ofMinutes(1)))) {
            assertThat(handle.isHeld()).isTrue();
            assertThat(handle.remainingLease()).isGreaterThan(Duration.ofSeconds(29));
        }
    }

    @Test
    void aBlockedCallerWhoseWaitIsOverFails() {
        slow = 1;
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> one.acquire(request(Duration.ofSeconds(10))))
                .withMessageContaining("before the caller got it");
    }

    @Test
    void aSingleTryFails() {
        slow = 1;
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> one.tryAcquire(LockRequest.of("a").noWait()));
    }

    @Test
    void aStageDoesNotCompleteWithAHoldThatIsOver() {
        CompletableFuture<LockHandle> stage =
                one.acquireAsync(request(Duration.ofMinutes(2))).toCompletableFuture();
        clock.advanceMillis(31_000);
        LockHandle elsewhere = two.acquire(LockRequest.of("a"));

        runCallbacks();
        assertThat(stage).isNotDone();
        elsewhere.close();
        runCallbacks();

        LockHandle handle = stage.join();
        assertThat(handle.isHeld()).isTrue();
        handle.close();
    }

    @Test
    void aStageWhoseWaitIsOverFails() {
        CompletableFuture<LockHandle> stage =
                one.acquireAsync(request(Duration.ofSeconds(10))).toCompletableFuture();
        clock.advanceMillis(31_000);

        runCallbacks();

        assertThat(stage).isCompletedExceptionally();
        assertThat(stage.handle((handle, failure) -> failure).join()).isInstanceOf(LockUnavailableException.class);
    }

    @Test
    void aStageThatIsCancelledMeanwhileWaitsForNothing() {
        CompletableFuture<LockHandle> stage =
                one.acquireAsync(request(Duration.ofMinutes(2))).toCompletableFuture();
        clock.advanceMillis(31_000);
        stage.cancel(false);

        runCallbacks();

        assertThat(one.locks().size()).isZero();
    }

    @Test
    void aPassedHoldIsNotDeliveredLateEither() {
        LockHandle first = one.acquire(LockRequest.of("a"));
        CompletableFuture<LockHandle> stage =
                one.acquireAsync(request(Duration.ofMinutes(2))).toCompletableFuture();
        clock.advanceMillis(10);
        first.close();
        clock.advanceMillis(31_000);

        runCallbacks();

        LockHandle handle = stage.join();
        assertThat(handle.isHeld()).isTrue();
        handle.close();
    }

    private void runCallbacks() {
        for (Runnable next = callbacks.poll(); next != null; next = callbacks.poll()) {
            next.run();
        }
    }
}
