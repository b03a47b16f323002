/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockActivity;
import io.distributedlock.LockActivity.Waiting;
import io.distributedlock.LockEvent;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockOrigin;
import io.distributedlock.testing.Noise;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The application stops while the watch requests the holders of locks that are waited for. */
class SlowLockWatchStopTests {

    private static final Duration LIMIT = Duration.ofMillis(300);

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();

    private final List<String> inspected = new CopyOnWriteArrayList<>();

    private final CountDownLatch requested = new CountDownLatch(1);

    private final AtomicReference<Thread> thread = new AtomicReference<>();

    /** Without a reply, and interrupted like a request to Redis. */
    private Optional<Object> inspect(String name) {
        inspected.add(name);
        thread.set(Thread.currentThread());
        requested.countDown();
        try {
            new CountDownLatch(1).await(Noise.LATEST.toSeconds(), TimeUnit.SECONDS);
            return Optional.empty();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(name, "interrupted while waiting for a reply", ex);
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aCheckThatIsInterruptedReportsNoUnknownHolders(CapturedOutput log) throws InterruptedException {
        LockOperations locks = (LockOperations) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {LockOperations.class},
                (proxy, method, arguments) -> inspect((String) arguments[0]));
        List<Waiting> waiting = IntStream.range(0, 5)
                .mapToObj(i -> new Waiting(
                        "order:" + i, "exec-" + i, LIMIT.multipliedBy(2), null, null, LockOrigin.NONE, null))
                .toList();
        SlowLockWatch watch = new SlowLockWatch(
                () -> new LockActivity("here", true, true, List.of(), waiting),
                locks,
                events::add,
                LIMIT,
                Duration.ZERO);
        watch.start();
        try {
            assertThat(requested.await(Noise.LATEST.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        } finally {
            watch.stop();
        }
        await().atMost(Noise.LATEST).until(() -> !thread.get().isAlive());

        assertThat(inspected).hasSize(1);
        assertThat(events).isEmpty();
        assertThat(log).doesNotContain("has been waited for");
    }
}
