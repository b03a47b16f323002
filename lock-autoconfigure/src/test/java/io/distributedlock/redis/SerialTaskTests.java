/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.Background;
import io.distributedlock.testing.Noise;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SerialTaskTests {

    private final CountDownLatch begun = new CountDownLatch(1);

    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private final AtomicInteger running = new AtomicInteger();

    private final AtomicInteger most = new AtomicInteger();

    private final AtomicInteger runs = new AtomicInteger();

    private final SerialTask task = new SerialTask(this::run);

    private void run() {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        runs.incrementAndGet();
        begun.countDown();
        try {
            mayEnd.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        running.decrementAndGet();
    }

    @Test
    void requestsDuringARunLeadToOneMoreRunAndDoNotWait() throws Exception {
        CompletableFuture<Void> first = Background.run(task);
        assertThat(begun.await(Noise.LATEST.toMillis(), TimeUnit.MILLISECONDS)).isTrue();

        CompletableFuture<Void> second = Background.run(task);
        CompletableFuture<Void> third = Background.run(task);
        assertThat(second).succeedsWithin(Noise.LATEST);
        assertThat(third).succeedsWithin(Noise.LATEST);
        mayEnd.countDown();

        assertThat(first).succeedsWithin(Noise.LATEST);
        assertThat(runs).hasValue(2);
        assertThat(most).hasValue(1);
        task.run();
        assertThat(runs).hasValue(3);
    }
}
