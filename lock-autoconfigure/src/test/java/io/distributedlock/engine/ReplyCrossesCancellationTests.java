/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockRequest;
import org.junit.jupiter.api.Test;

/** The last waiter leaves when the reply that grants the lock has arrived, but has not been processed yet. */
class ReplyCrossesCancellationTests {

    private final OneReplyStore store = new OneReplyStore();

    @Test
    void theLockThatTheReplyGrantedIsReleased() throws InterruptedException {
        try (LockEngine engine = TestEngine.of(store).start()) {
            Waiter waiter = new Waiter(
                    engine.context(),
                    ResolvedRequest.of(LockRequest.of("crossed"), EngineSettings.DEFAULTS),
                    this,
                    null);
            engine.locks().enqueue(waiter);
            NamedLock lock = waiter.lock();
            Thread answering;
            synchronized (lock) {
                answering = new Thread(() -> store.answer.complete(new LeaseStore.AcquireReply.Granted(7, 0)));
                answering.start();
                await().until(() -> answering.getState() == Thread.State.BLOCKED);
                lock.endWait(waiter, new AcquireResult.Cancelled());
            }
            answering.join();
            await().untilAsserted(() -> assertThat(store.released).containsExactly(store.acquisition));
        }
    }
}
