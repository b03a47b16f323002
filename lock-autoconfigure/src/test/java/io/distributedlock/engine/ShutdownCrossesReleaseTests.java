/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The engine is closed in the moment between the end of a hold and the sending of its release. */
class ShutdownCrossesReleaseTests {

    private static final EngineSettings NO_GRACE = new EngineSettings(
            Duration.ofSeconds(30), Duration.ofSeconds(10), null, Noise.patience(), 32, Duration.ZERO, Duration.ZERO);

    private final ManualClock clock = ManualClock.startingAt(0);

    private final OneReplyStore store = new OneReplyStore();

    private final CountDownLatch ended = new CountDownLatch(1);

    private final CountDownLatch proceed = new CountDownLatch(1);

    /** Else the connections go before the release, and the lock stays taken for a whole lease. */
    @Test
    void theEngineWaitsForTheRelease() throws InterruptedException {
        LockEngine engine = TestEngine.of(store)
                .settings(NO_GRACE)
                .callbacks(callback -> awaitProceed())
                .at(clock);
        LockHandle handle = acquire(engine);
        handle.onLost(() -> {});
        clock.advanceMillis(200);
        Thread ending = new Thread(() -> noticeLoss(handle));
        ending.start();
        ended.await();
        List<Long> releasedBeforeItsEnd = new ArrayList<>();
        Thread closing = new Thread(() -> {
            engine.close();
            releasedBeforeItsEnd.addAll(store.released);
        });
        closing.start();
        await().until(() -> !closing.isAlive() || waitsForHolds(closing));
        assertThat(store.released).isEmpty();
        proceed.countDown();
        ending.join();
        closing.join();
        assertThat(releasedBeforeItsEnd).containsExactly(store.acquisition);
    }

    private static boolean waitsForHolds(Thread closing) {
        return closing.getState() == Thread.State.TIMED_WAITING
                && Stream.of(closing.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("drain"));
    }

    private LockHandle acquire(LockEngine engine) {
        LockRequest request =
                LockRequest.of("crossed").lease(Duration.ofMillis(200)).renew(false);
        Waiter waiter = new Waiter(engine.context(), ResolvedRequest.of(request, NO_GRACE), this, null);
        engine.locks().enqueue(waiter);
        store.answer.complete(new LeaseStore.AcquireReply.Granted(7, 0));
        return ((AcquireResult.Granted) waiter.result.join()).handle();
    }

    private static void noticeLoss(LockHandle handle) {
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(handle::throwIfLost)
                .satisfies(e -> assertThat(e.lockName()).isEqualTo("crossed"));
    }

    /** Runs where the loss is reported: the hold has ended by then, and its release is about to be sent. */
    private void awaitProceed() {
        ended.countDown();
        try {
            proceed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
