/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.logging.FailingLog;
import io.distributedlock.testing.Background;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** An appender or a filter of the application's log that throws an exception changes nothing about the locks. */
class FailingLogTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    /** The line is between the grant and its delivery to the thread, and the timer repeats a step that has failed. */
    @Test
    void aThreadKeepsTheLockThatItWasGranted() throws Exception {
        AsyncAttempt first = one.acquire("a");
        CompletableFuture<LockHandle> thread =
                Background.supply(() -> one.engine.acquire(LockRequest.of("a").waitForever()));
        await().until(() -> one.engine.locks().waiters("a") == 1);
        AsyncAttempt next = one.acquire("a");
        AtomicBoolean failed = new AtomicBoolean();
        try (FailingLog log = FailingLog.of(LockEngine.class, () -> failOnce(failed))) {
            first.abandon();
            assertThat(log.isStarted()).isTrue();
        }
        LockHandle granted = thread.get(60, TimeUnit.SECONDS);

        one.engine.runTimers();

        assertThat(granted.isHeld()).isTrue();
        assertThat(next.isPending()).isTrue();
        granted.closeAsync();
        next.close();
    }

    private static void failOnce(AtomicBoolean failed) {
        if (failed.compareAndSet(false, true)) {
            throw new StackOverflowError("for the test");
        }
    }

    @Test
    void aCloseSucceedsAndItsEndIsReported() {
        AsyncAttempt closing = one.acquire("a");
        AsyncAttempt closingAsync = one.acquire("b");
        CompletionStage<Void> closed;
        try (FailingLog log = FailingLog.of(LockEngine.class)) {
            assertThatNoException().isThrownBy(closing::close);
            closed = closingAsync.handle().closeAsync();
            assertThat(log.isStarted()).isTrue();
        }

        assertThat(closed.toCompletableFuture()).isCompleted();
    }

    @Test
    void anAbandonedHoldIsReportedOnceByAnAppenderThatWorks() {
        AtomicInteger lines = new AtomicInteger();
        Appenders appenders = new Appenders(lines);
        try (appenders) {
            LockLog log = new LockLog(world.clock);
            AsyncAttempt held = one.acquire("a");
            Hold hold = ((DefaultLockHandle) held.handle()).hold();
            one.engine.context().doLater(() -> log.abandoned(hold));
            for (int i = 0; i < 5; i++) {
                world.advanceMillis(200);
            }
            held.close();
        }

        assertThat(lines).hasValue(1);
    }

    /** Two appenders, of which the second throws. */
    private static final class Appenders implements AutoCloseable {

        private final Logger logger = (Logger) LoggerFactory.getLogger(LockEngine.class);

        private final AppenderBase<ILoggingEvent> working;

        private final AppenderBase<ILoggingEvent> failing;

        Appenders(AtomicInteger lines) {
            working = new AppenderBase<>() {
                @Override
                protected void append(ILoggingEvent event) {
                    if (event.getMessage().contains("was never closed")) {
                        lines.incrementAndGet();
                    }
                }
            };
            failing = new AppenderBase<>() {
                @Override
                protected void append(ILoggingEvent event) {
                    throw new OutOfMemoryError("for the test");
                }
            };
            working.start();
            failing.start();
            logger.addAppender(working);
            logger.addAppender(failing);
        }

        @Override
        public void close() {
            logger.detachAppender(working);
            logger.detachAppender(failing);
        }
    }

    @Test
    void anEngineStopsAndItsHoldsAreLost() {
        AtomicBoolean lost = new AtomicBoolean();
        EngineSettings settings = ShutdownTests.withGrace(Duration.ofMillis(1));
        LockEngine engine = TestEngine.of(new InMemoryLeaseStore(world.leases, "two", new TestNetwork()))
                .settings(settings)
                .at(world.clock);
        LockHandle held = engine.acquire(LockRequest.of("a"));
        held.onLost(() -> lost.set(true));
        try (FailingLog log = FailingLog.of(LockEngine.class)) {
            assertThatNoException().isThrownBy(engine::close);
            assertThat(log.isStarted()).isTrue();
        }

        assertThat(lost).isTrue();
        assertThat(world.leases.inspect("a")).isEmpty();
    }
}
