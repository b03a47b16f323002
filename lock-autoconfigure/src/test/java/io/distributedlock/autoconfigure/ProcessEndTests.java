/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.Background;
import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Locked methods, and processes, that end as they should not. See {@link ProcessEndChild} for the times that are set
 * there.
 */
@Tag(TestLength.FULL)
class ProcessEndTests {

    private static final Duration LEASE = Duration.ofSeconds(1);

    /** The grace, the farewell of one time-out, and what a JVM takes to end. */
    private static final Duration SHUTDOWN = Duration.ofMillis(500 + 300 + 1_500);

    private static final String KEY = "lock:{ending:1}";

    private EmbeddedRedis redis;

    private RespClient client;

    @BeforeEach
    void startRedis() {
        redis = EmbeddedRedis.start();
        client = redis.connect();
    }

    @AfterEach
    void stopRedis() {
        client.close();
        redis.close();
    }

    private ChildJvm start() {
        return ChildJvm.start(
                Map.of("JAVA_TOOL_OPTIONS", "-Xmx96m -Xss512k"), ProcessEndChild.class, Integer.toString(redis.port()));
    }

    private static void assertEndsInTime(ChildJvm child) {
        long begin = System.nanoTime();
        assertThat(child.awaitExit(SHUTDOWN.plus(Noise.LATEST))).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(SHUTDOWN.plus(Noise.now()));
    }

    private boolean isHeld() {
        return client.number("EXISTS", KEY) == 1;
    }

    /** What was thrown, what was suppressed, and how long the end of the method took. */
    private record End(String thrown, String suppressed, Duration took) {

        static End of(String answer) {
            List<String> words = List.of(answer.split(" ", -1));
            return new End(words.get(0), words.get(1), Duration.ofNanos(Long.parseLong(words.get(2)) * 1_000));
        }
    }

    /**
     * After an error that has hit a thread of Redis's client, or on a busy machine, the lock may be unavailable once.
     */
    private static End endOfABody(ChildJvm child, String how) {
        return await().until(
                        () -> End.of(child.ask("lane", how)),
                        end -> !end.thrown().equals("LockUnavailableException"));
    }

    @Test
    void whateverTheBodyThrowsIsThrownAndTheLockIsReleasedAtOnce() {
        try (ChildJvm child = start()) {
            assertThat(endOfABody(child, "throw-when-lost"))
                    .extracting(End::thrown, End::suppressed)
                    .containsExactly("IllegalStateException", "LockLostException");
            End silent = endOfABody(child, "throw-when-silent");
            assertThat(silent)
                    .extracting(End::thrown, End::suppressed)
                    .containsExactly("IllegalStateException", "LockReleaseUnconfirmedException");
            assertThat(silent.took()).isLessThan(Duration.ofMillis(300).plus(Noise.now()));
            await().atMost(LEASE.plus(Noise.LATEST)).until(() -> !isHeld());

            // Then, in this order: a class or lambda without stack or memory at its first use stays unusable.
            Map<String, String> errors = new LinkedHashMap<>();
            errors.put("throw", "IllegalStateException");
            errors.put("allocate", "OutOfMemoryError");
            errors.put("overflow", "StackOverflowError");
            errors.put("exhaust", "OutOfMemoryError");
            errors.forEach((how, thrown) -> {
                End end = End.of(child.ask("lane", how));
                if (how.equals("exhaust")) {
                    // Another thread may have been without memory in that moment; then the release is repeated.
                    await().atMost(LEASE.plus(Noise.LATEST)).until(() -> !isHeld());
                }
                assertThat(isHeld()).as(how).isFalse();
                assertThat(end.thrown()).isEqualTo(thrown);
                assertThat(end.suppressed()).as(how).isEqualTo("-");
                assertThat(end.took()).as(how).isLessThan(Duration.ofMillis(100).plus(Noise.now()));
            });
            for (int i = 0; i < TestLength.choose(5, 10); i++) {
                assertThat(End.of(child.ask("lane", "overflow-in-locks", i)).thrown())
                        .isEqualTo("StackOverflowError");
                await().atMost(LEASE.multipliedBy(2).plus(Noise.LATEST)).until(() -> !isHeld());
            }
            assertThat(End.of(child.ask("other", "throw")).thrown()).isEqualTo("IllegalStateException");
        }
    }

    @Test
    void anExitInsideOfTheBodyReleasesItsLock() {
        try (ChildJvm child = start()) {
            CompletableFuture<String> answer = child.send("lane", "exit");
            assertEndsInTime(child);
            assertThat(child.exitValue()).isEqualTo(3);
            assertThat(answer).isCompletedExceptionally();
            assertThat(isHeld()).isFalse();
            assertThat(client.keys("lock:*")).isEmpty();
        }
    }

    @Test
    void aHaltInsideOfTheBodyLeavesItsLockUntilTheLeaseEnds() {
        try (ChildJvm child = start()) {
            child.send("lane", "halt");
            assertEndsInTime(child);
            assertThat(child.exitValue()).isEqualTo(4);
            await().atMost(LEASE.plus(Noise.LATEST)).until(() -> !isHeld());
        }
    }

    /** One holds, one waits for it in the same process, one in another, and one asks while Redis is silent. */
    @Test
    void aTerminatedProcessGoesInTimeAndLeavesNothing() {
        CompletableFuture<ChildJvm> second = Background.supply(this::start);
        try (ChildJvm holder = start();
                ChildJvm waiter = second.join()) {
            holder.send("holds", "hold");
            await().until(this::isHeld);
            holder.send("waits", "hold");
            CompletableFuture<String> next = waiter.send("waits", "run");
            await().until(() -> "2".equals(client.text("HGET", KEY, "n")));

            long begin = System.nanoTime();
            holder.signal("TERM");
            assertThat(holder.awaitExit(SHUTDOWN.plus(Noise.LATEST))).isTrue();
            assertThat(End.of(ChildJvm.await(next, Noise.LATEST)).thrown()).isEqualTo("-");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(SHUTDOWN.plus(Noise.now()));
            // On a busy machine, a reply may have come too late for a caller, which has cancelled its id then.
            assertThat(client.keys("lock:*")).allMatch(key -> key.endsWith("cancelled"));

            client.call("CLIENT", "PAUSE", "600", "ALL");
            waiter.send("acquires", "hold");
            waiter.signal("TERM");
            assertEndsInTime(waiter);
            await().atMost(LEASE.multipliedBy(2).plus(Noise.LATEST))
                    .until(() -> client.keys("lock:*").isEmpty());
        }
    }
}
