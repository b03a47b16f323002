/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.LeakCheck;
import io.distributedlock.testing.Noise;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Virtual threads give their carrier away while they wait. */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadTests {

    private static StandaloneServer server;

    private static final int THREADS = 10_000;

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final LockRequest REQUEST = LockRequest.of("virtual").waitForever();

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX, server.redis());

    private final Templates templates = new Templates();

    private RedisLockTemplate locks;

    private RedisLockTemplate other;

    @BeforeEach
    void open() {
        locks = templates.on(server.newConnectionFactory());
        other = templates.on(server.newConnectionFactory());
    }

    @AfterEach
    void close() {
        templates.close();
    }

    @BeforeAll
    static void start() {
        server = new StandaloneServer();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void tenThousandWaitWithoutPinningTheirCarriers(@TempDir Path directory) throws Exception {
        runAll(100, 20);
        try (Recording recording = new Recording()) {
            recording
                    .enable("jdk.VirtualThreadPinned")
                    .withThreshold(Duration.ZERO)
                    .withStackTrace();
            recording.start();
            runAll(THREADS, 0);
            recording.stop();
            Path file = directory.resolve("pinned.jfr");
            recording.dump(file);
            assertThat(pinnedByUs(file)).isEmpty();
        }
    }

    /**
     * All wait for one lock; a few are interrupted; and each has a lock of its own as well, so that nothing is idle.
     */
    private void runAll(int threads, int warmUps) throws Exception {
        LockHandle handle = other.acquire(REQUEST);
        AtomicInteger served = new AtomicInteger();
        AtomicInteger interrupted = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(threads);
        CountDownLatch ended = new CountDownLatch(threads);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            LockRequest own = LockRequest.of("own-" + i % 500);
            all.add(startVirtual(() -> {
                for (int n = 0; n <= warmUps; n++) {
                    locks.acquire(own.waitForever()).close();
                }
                begun.countDown();
                try (LockHandle granted = locks.acquire(REQUEST)) {
                    served.addAndGet(granted.isHeld() ? 1 : 0);
                } catch (LockInterruptedException e) {
                    interrupted.incrementAndGet();
                } finally {
                    ended.countDown();
                }
            }));
        }
        AbstractLockContract.awaitLatch(begun, LIMIT);
        await().until(() -> all.stream()
                .allMatch(thread ->
                        thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING));
        for (int i = 0; i < threads; i += 100) {
            all.get(i).interrupt();
        }
        await().atMost(LIMIT).until(() -> interrupted.get() == threads / 100);
        Stopwatch watch = Stopwatch.start();
        handle.close();
        AbstractLockContract.awaitLatch(ended, LIMIT);
        System.out.println("VirtualThreadTests: " + served + " served in " + watch.elapsed());
        assertThat(served).hasValue(threads - threads / 100);
        Stopwatch over = Stopwatch.start();
        await().until(() -> server.keys(Templates.PREFIX).isEmpty());
        assertThat(over.elapsed()).isLessThan(millis(500).plus(Noise.now()));
    }

    /** As Thread.startVirtualThread does, which Java 17 does not know. */
    private static Thread startVirtual(Runnable task) throws ReflectiveOperationException {
        return (Thread)
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
    }

    /** Where a carrier was pinned with this library anywhere on the stack. */
    private static List<String> pinnedByUs(Path file) throws IOException {
        List<RecordedEvent> pinned = RecordingFile.readAllEvents(file);
        System.out.println("VirtualThreadTests: pinned " + pinned.size() + " times");
        return pinned.stream()
                .filter(event -> event.getStackTrace() == null
                        || event.getStackTrace().getFrames().stream()
                                .anyMatch(frame ->
                                        frame.getMethod().getType().getName().startsWith("io.distributedlock.")))
                .map(RecordedEvent::toString)
                .toList();
    }
}
