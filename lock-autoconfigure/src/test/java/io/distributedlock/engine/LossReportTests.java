/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockRequest;
import io.distributedlock.composite.LossReaction;
import io.distributedlock.testing.Background;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the log says of a loss. */
@ExtendWith(OutputCaptureExtension.class)
class LossReportTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final CountDownLatch held = new CountDownLatch(1);

    private final CountDownLatch interrupted = new CountDownLatch(1);

    private final CountDownLatch end = new CountDownLatch(1);

    /** After it, the thread is in other code. */
    @Test
    void theStackOfAHolderAtItsMaxHoldIsFromBeforeItsInterrupt(CapturedOutput output) throws Exception {
        Instance one = world.instance("one");
        CompletableFuture<Void> holder = Background.run(() -> {
            var handle = one.engine.acquire(LockRequest.of("a").maxHold(Duration.ofSeconds(1)));
            Thread thread = Thread.currentThread();
            handle.onLost((LossReaction) () -> {
                thread.interrupt();
                await(interrupted);
            });
            work();
            interrupted.countDown();
            await(end);
        });
        assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();

        world.advanceSeconds(2);
        end.countDown();
        holder.get(60, TimeUnit.SECONDS);

        assertThat(output).containsSubsequence("Lock 'a' had reached its maximum hold time", "LossReportTests.work(");
    }

    private void work() {
        held.countDown();
        try {
            new CountDownLatch(1).await(60, TimeUnit.SECONDS);
        } catch (InterruptedException ex) {
            // By the loss.
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void aListenerOfTheEventThatFailsIsNamedOnceAndHasNoEffectOnOthers(CapturedOutput output) {
        AtomicInteger events = new AtomicInteger();
        LockEngine engine = TestEngine.of(new InMemoryLeaseStore(world.leases, "one", new TestNetwork()))
                .events(event -> {
                    events.incrementAndGet();
                    throw new IllegalStateException("no mail");
                })
                .at(world.clock);
        for (String name : new String[] {"a", "b"}) {
            engine.acquire(LockRequest.of(name));
            engine.forceRelease(name);
        }

        assertThat(events).hasValue(2);
        assertThat(output)
                .containsOnlyOnce("A listener of LockLostEvent has failed; further failures are logged for debugging")
                .containsOnlyOnce("java.lang.IllegalStateException: no mail")
                .doesNotContain("A callback of a distributed lock has failed");
        engine.close();
    }
}
