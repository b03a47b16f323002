/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockRequest;
import io.distributedlock.testing.LeakCheck;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * No thread parks under the monitor of a name, be it for a moment: before Java 24 a virtual thread that does so pins
 * its carrier, and if all carriers are pinned behind one that has lost its own, nothing goes on any more.
 */
class ParkingTests {

    private static StandaloneServer server;

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX, server.redis());

    private final Templates templates = new Templates();

    private final TestCallers callers = new TestCallers();

    @AfterEach
    void close() {
        callers.close();
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
    void noThreadParksUnderTheMonitorOfAName(@TempDir Path directory) throws Exception {
        RedisLockTemplate locks = templates.on(server.newConnectionFactory());
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger cycles = new AtomicInteger();
        Path file = directory.resolve("parked.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.ThreadPark").withThreshold(Duration.ZERO).withStackTrace();
            recording.start();
            List<TestCallers.Call<?>> calls = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                LockRequest own = LockRequest.of("own-" + i);
                calls.add(callers.call(() -> {
                    while (!stop.get()) {
                        locks.acquire(own).close();
                        cycles.incrementAndGet();
                    }
                    return stop;
                }));
            }
            await().atMost(Duration.ofMinutes(2)).until(() -> cycles.get() > 10_000);
            stop.set(true);
            calls.forEach(TestCallers.Call::get);
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> parked = RecordingFile.readAllEvents(file);
        assertThat(parked).as("those who wait for Redis").hasSizeGreaterThan(1_000);
        List<RecordedEvent> underMonitor =
                parked.stream().filter(ParkingTests::isUnderMonitor).toList();
        assertThat(underMonitor.stream().limit(3))
                .as("%d times", underMonitor.size())
                .isEmpty();
    }

    /** Transitions run under the monitor, and what they leave to be done runs afterwards. */
    private static boolean isUnderMonitor(RecordedEvent event) {
        if (event.getStackTrace() == null) {
            return false;
        }
        for (RecordedFrame frame : event.getStackTrace().getFrames()) {
            String type = frame.getMethod().getType().getName();
            if (type.endsWith(".engine.DeferredActions")) {
                return false;
            }
            if (type.endsWith(".engine.NamedLock")) {
                return true;
            }
        }
        return false;
    }
}
