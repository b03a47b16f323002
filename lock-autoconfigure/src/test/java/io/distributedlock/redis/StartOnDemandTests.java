/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class StartOnDemandTests {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final AtomicInteger starts = new AtomicInteger();

    private static CompletionStage<LockHandle> granted() {
        return CompletableFuture.completedFuture(null);
    }

    private static OutOfMemoryError noThread() {
        return new OutOfMemoryError("unable to create native thread");
    }

    @Test
    void aStartWithoutAThreadFailsThisCallAndNotTheNextOne() {
        AtomicInteger tries = new AtomicInteger();
        StartOnDemand onDemand = new StartOnDemand(task -> {
            if (tries.getAndIncrement() == 0) {
                throw noThread();
            }
            task.run();
        });

        assertThat(onDemand.thenAcquire(starts::incrementAndGet, StartOnDemandTests::granted))
                .failsWithin(LIMIT)
                .withThrowableThat()
                .withCauseInstanceOf(OutOfMemoryError.class);
        assertThat(onDemand.thenAcquire(starts::incrementAndGet, StartOnDemandTests::granted))
                .succeedsWithin(LIMIT);
        assertThat(starts).hasValue(1);
    }

    /** The first caller may be a request of a web application. */
    @Test
    void theThreadThatStartsInheritsNothing() {
        InheritableThreadLocal<String> value = new InheritableThreadLocal<>();
        value.set("of the request");
        AtomicReference<String> inherited = new AtomicReference<>();
        AtomicReference<ClassLoader> loader = new AtomicReference<>();
        StartOnDemand onDemand = new StartOnDemand();
        Runnable start = () -> {
            inherited.set(value.get());
            loader.set(Thread.currentThread().getContextClassLoader());
        };
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(new ClassLoader(before) {});
        try {
            assertThat(onDemand.thenAcquire(start, StartOnDemandTests::granted)).succeedsWithin(LIMIT);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            value.remove();
        }

        assertThat(inherited.get()).isNull();
        assertThat(loader.get()).isSameAs(StartOnDemand.class.getClassLoader());
    }

    @Test
    void anAcquisitionThatThrowsFailsItsCall() {
        StartOnDemand onDemand = new StartOnDemand();

        assertThat(onDemand.thenAcquire(starts::incrementAndGet, () -> {
                    throw noThread();
                }))
                .failsWithin(LIMIT)
                .withThrowableThat()
                .withCauseInstanceOf(OutOfMemoryError.class);
    }
}
