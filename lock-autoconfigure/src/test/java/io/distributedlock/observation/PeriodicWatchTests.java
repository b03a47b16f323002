/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.logging.FailingLog;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class PeriodicWatchTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final AtomicReference<Thread> thread = new AtomicReference<>();

    /** A look may find Redis down or a listener broken, and the next one still finds what is stuck. */
    @Test
    void itGoesOnAfterAFailureAndItsThreadEndsWithIt() throws InterruptedException {
        CountDownLatch looks = new CountDownLatch(3);
        PeriodicWatch watch = new PeriodicWatch(
                "watch-under-test",
                () -> {
                    thread.set(Thread.currentThread());
                    looks.countDown();
                    throw new IllegalStateException("each time");
                },
                Duration.ofMillis(60));
        watch.start();
        try {
            assertThat(looks.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(watch.isRunning()).isTrue();
        } finally {
            watch.stop();
        }
        assertThat(watch.isRunning()).isFalse();
        await().atMost(LONG).until(() -> !thread.get().isAlive());
    }

    @Test
    void itGoesOnAlthoughTheLoggerFails() throws InterruptedException {
        CountDownLatch looks = new CountDownLatch(3);
        PeriodicWatch watch = new PeriodicWatch(
                "watch-under-test",
                () -> {
                    looks.countDown();
                    throw new IllegalStateException("each time");
                },
                Duration.ofMillis(60));
        try (FailingLog log = FailingLog.of(PeriodicWatch.class)) {
            assertThat(log.isStarted()).isTrue();
            watch.start();
            assertThat(looks.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            watch.stop();
        }
    }

    @Test
    void withoutAnyLimitThereIsNoThread() {
        PeriodicWatch watch = new PeriodicWatch("watch-under-test", () -> {}, Duration.ZERO, Duration.ZERO);
        watch.start();

        assertThat(watch.isRunning()).isFalse();
    }
}
