/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockAssert;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** Annotated methods that return a future. */
class FutureMethodTests {

    private static LockedApplication application;

    private final Work work = application.bean(Work.class);

    private final CompletableFuture<String> body = new CompletableFuture<>();

    @BeforeAll
    static void start() {
        application = new LockedApplication(Configured.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @AfterEach
    void leavesNothing() {
        application.awaitNoKeys();
        assertThat(LockHandle.current()).isEmpty();
    }

    private static ThrowableAssertAlternative<?> assertFails(
            CompletableFuture<?> future, Class<? extends Throwable> type) {
        return assertThat(future)
                .failsWithin(LockedApplication.LONG)
                .withThrowableThat()
                .havingRootCause()
                .isInstanceOf(type);
    }

    private static void assertSucceeds(CompletableFuture<String> future) {
        assertThat(future).succeedsWithin(LockedApplication.LONG).isEqualTo("done");
    }

    @Test
    void holdsTheLockUntilTheFutureHasCompleted() {
        CompletableFuture<String> result = work.run("k", () -> body);
        await().atMost(LockedApplication.LONG).until(() -> application.isHeld("work:k"));
        assertThat(result).isNotDone();
        body.complete("done");
        assertSucceeds(result);
        assertThat(application.isHeld("work:k")).isFalse();
    }

    @Test
    void waitsWithoutBlockingTheCallerAndRunsOnAThreadForTheApplication() {
        AtomicReference<String> thread = new AtomicReference<>();
        LockHandle other = application.hold("work:k");
        CompletableFuture<String> result = work.run("k", () -> {
            LockAssert.assertLocked();
            thread.set(Thread.currentThread().getName());
            return CompletableFuture.completedFuture("done");
        });
        assertThat(result).isNotDone();
        assertThat(thread).hasNullValue();
        other.close();
        assertSucceeds(result);
        assertThat(thread.get()).startsWith("distributed-lock").doesNotContain("timer");
    }

    /** So a method that blocks then blocks its caller. */
    @Test
    void aGrantThatIsThereBeforeTheCallReturnsRunsTheMethodInTheCallingThread() {
        work.around("k", () -> {
            AtomicReference<Thread> thread = new AtomicReference<>();
            CompletableFuture<String> result = work.run("k", () -> {
                thread.set(Thread.currentThread());
                return CompletableFuture.completedFuture("done");
            });
            assertThat(thread.get()).isSameAs(Thread.currentThread());
            assertThat(result).isCompletedWithValue("done");
            return "done";
        });
    }

    @Test
    void releasesHoweverTheMethodFails() {
        assertFails(
                        work.run("k", () -> CompletableFuture.failedFuture(new IllegalStateException("later"))),
                        IllegalStateException.class)
                .withMessage("later");
        assertFails(
                        work.run("k", () -> {
                            throw new IllegalStateException("at once");
                        }),
                        IllegalStateException.class)
                .withMessage("at once");
        assertFails(work.run("k", () -> null), IllegalStateException.class).withMessageContaining("returned null");
    }

    @Test
    void aWrongKeyComesThroughTheFuture() {
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<String> result = work.run(null, () -> {
            runs.incrementAndGet();
            return body;
        });
        assertFails(result, IllegalArgumentException.class);
        assertThat(runs).hasValue(0);
    }

    @Test
    void failsTheFutureIfTheLockIsBusyOrSkips() {
        try (LockHandle other = application.hold("work:k")) {
            assertFails(work.atOnce("k"), LockNotAcquiredException.class);
            assertThat(work.skipped("k").toCompletableFuture())
                    .succeedsWithin(LockedApplication.LONG)
                    .isNull();
            assertThat(work.skippedOptional("k"))
                    .succeedsWithin(LockedApplication.LONG)
                    .isEqualTo(Optional.empty());
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void theFallbackIsCalledInsteadAndTheHandleIsFilledIn() {
        try (LockHandle other = application.hold("work:k")) {
            assertThat(work.withFallback("k", null))
                    .succeedsWithin(LockedApplication.LONG)
                    .isEqualTo("busy");
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(work.withFallback("k", null))
                .succeedsWithin(LockedApplication.LONG)
                .isEqualTo("work:k");
    }

    @Test
    void cancellingWhileItWaitsLeavesTheQueue() {
        LockHandle other = application.hold("work:k");
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<String> result = work.run("k", () -> {
            runs.incrementAndGet();
            return body;
        });
        assertThat(result.cancel(true)).isTrue();
        CompletableFuture<String> next = work.run("k", () -> CompletableFuture.completedFuture("done"));
        other.close();
        assertSucceeds(next);
        assertThat(runs).hasValue(0);
    }

    @Test
    void cancellingWhileItRunsCancelsTheMethodsFuture() {
        AtomicBoolean called = new AtomicBoolean();
        CompletableFuture<String> result = work.run("k", () -> {
            called.set(true);
            return body;
        });
        await().atMost(LockedApplication.LONG).untilTrue(called);
        assertThat(application.isHeld("work:k")).isTrue();
        assertThat(result.cancel(true)).isTrue();
        application.awaitFree("work:k");
        assertThat(body).isCancelled();
    }

    @Test
    void aLossFailsTheFutureOnceTheMethodIsDone() {
        CompletableFuture<String> result = work.run("k", () -> body);
        await().atMost(LockedApplication.LONG).until(() -> application.locks().forceRelease("work:k"));
        body.complete("done");
        assertFails(result, LockLostException.class);
    }

    @Test
    void aLossCancelsTheMethodsFutureIfConfigured() {
        CompletableFuture<String> result = work.interrupted("k", body);
        await().atMost(LockedApplication.LONG).until(() -> application.locks().forceRelease("work:k"));
        assertFails(result, LockLostException.class);
        assertThat(body).isCancelled();
    }

    @Test
    void aLossIsIgnoredIfConfigured() {
        CompletableFuture<String> result = work.ignoring("k", body);
        await().atMost(LockedApplication.LONG).until(() -> application.locks().forceRelease("work:k"));
        body.complete("done");
        assertSucceeds(result);
    }

    /** No thread holds it, and the exception may reach no log. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void theLineOfALossNamesTheMethod(CapturedOutput output) {
        CompletableFuture<String> result = work.ignoring("k", body);
        await().atMost(LockedApplication.LONG).until(() -> application.locks().forceRelease("work:k"));

        await().atMost(LockedApplication.LONG)
                .untilAsserted(() -> assertThat(output.getAll())
                        .containsPattern("Lock 'work:k' was lost .*, held by an asynchronous caller in .*Work#ignoring"
                                + "\\(String, CompletableFuture\\)\\)"));
        body.complete("done");
        assertSucceeds(result);
    }

    @Test
    void aLossThatIsIgnoredIsNotAddedToTheFailureOfTheFuture() {
        CompletableFuture<String> result = work.ignoring("k", body);
        await().atMost(LockedApplication.LONG).until(() -> application.locks().forceRelease("work:k"));
        body.completeExceptionally(new IllegalStateException("of the body"));

        assertFails(result, IllegalStateException.class)
                .matches(failure -> failure.getSuppressed().length == 0, "has no suppressed exception");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aLossThatIsIgnoredIsOneLine(CapturedOutput output) {
        CompletableFuture<String> result = work.ignoring("k", body);
        await().atMost(LockedApplication.LONG).until(() -> application.locks().forceRelease("work:k"));
        await().atMost(LockedApplication.LONG).until(() -> output.getAll().contains("was lost"));
        body.complete("done");
        assertSucceeds(result);

        assertThat(output.getAll().lines().filter(line -> line.contains("WARN") && line.contains("'work:k'")))
                .singleElement()
                .asString()
                .contains("was lost after ", "held by ");
    }

    /** A key may be any text from users. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aKeyWithALineBreakAddsNoLineToTheLogOrAMessage(CapturedOutput output) {
        String key = "a\nWARN of another";
        CompletableFuture<String> result = work.ignoring(key, body);
        await().atMost(LockedApplication.LONG).until(() -> application.locks().forceRelease("work:" + key));
        body.complete("done");
        assertSucceeds(result);

        // Losses are logged by a thread of their own.
        await().atMost(LockedApplication.LONG)
                .until(() -> output.getAll().contains("Lock 'work:a\\u000AWARN of another' was lost after "));
        assertThat(output.getAll()).doesNotContainPattern("(?m)^WARN of another");
        assertFails(work.run(key, () -> null), IllegalStateException.class)
                .withMessageContaining("'work:a\\u000AWARN of another' returned null");
    }

    @Test
    void nestedCallsEnterTheSameLock() {
        assertSucceeds(work.run("k", () -> {
            long token = LockHandle.current().orElseThrow().fencingToken();
            assertThat(work.blocking("k")).isEqualTo(token);
            return work.run("k", () -> {
                assertThat(LockHandle.current().orElseThrow().fencingToken()).isEqualTo(token);
                return CompletableFuture.completedFuture("done");
            });
        }));
        assertThat(work.around(
                        "k",
                        () -> work.run("k", () -> CompletableFuture.completedFuture("done"))
                                .join()))
                .isEqualTo("done");
    }

    /** As many as there are threads for bodies: none is left for the methods that they wait for. */
    @Test
    void bodiesThatWaitForOtherLockedMethodsStartThemIfNoThreadIsLeft() {
        int bodies = 256;
        CountDownLatch inside = new CountDownLatch(bodies);
        List<LockHandle> before = IntStream.range(0, bodies)
                .mapToObj(i -> application.hold("work:outer-" + i))
                .toList();
        List<CompletableFuture<String>> results = IntStream.range(0, bodies)
                .mapToObj(i -> work.run("outer-" + i, () -> {
                    inside.countDown();
                    awaitAll(inside);
                    CompletableFuture<String> inner =
                            work.run("inner-" + i, () -> CompletableFuture.completedFuture("done"));
                    return CompletableFuture.completedFuture(
                            (i % 2 == 0 ? inner : inner.thenApply(value -> value)).join());
                }))
                .toList();
        before.forEach(LockHandle::close);
        results.forEach(FutureMethodTests::assertSucceeds);
    }

    private static void awaitAll(CountDownLatch inside) {
        try {
            assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void anAsynchronousMethodIsLockedUntilItsFutureHasCompleted() {
        CompletableFuture<String> result = work.async("k", body);
        await().atMost(LockedApplication.LONG).until(() -> application.isHeld("work:k"));
        body.complete("done");
        assertSucceeds(result);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Configured {

        @Bean
        Work work() {
            return new Work();
        }
    }

    static class Work {

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "60s")
        CompletableFuture<String> run(String key, Supplier<CompletableFuture<String>> body) {
            return body.get();
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0")
        CompletableFuture<String> atOnce(String key) {
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        CompletionStage<String> skipped(String key) {
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        CompletableFuture<Optional<String>> skippedOptional(String key) {
            return CompletableFuture.completedFuture(Optional.of("done"));
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0", fallback = "other")
        CompletableFuture<String> withFallback(String key, LockHandle handle) {
            return CompletableFuture.completedFuture(handle.name());
        }

        CompletableFuture<String> other(String key, LockHandle handle) {
            return CompletableFuture.completedFuture("busy");
        }

        @DistributedLocked(name = "work", key = "#key", whenLost = WhenLost.INTERRUPT)
        CompletableFuture<String> interrupted(String key, CompletableFuture<String> body) {
            return body;
        }

        @DistributedLocked(name = "work", key = "#key", whenLost = WhenLost.IGNORE)
        CompletableFuture<String> ignoring(String key, CompletableFuture<String> body) {
            return body;
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0")
        long blocking(String key) {
            return LockHandle.current().orElseThrow().fencingToken();
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0")
        String around(String key, Supplier<String> inner) {
            return inner.get();
        }

        @Async
        @DistributedLocked(name = "work", key = "#key")
        public CompletableFuture<String> async(String key, CompletableFuture<String> body) {
            return body;
        }
    }
}
