/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distributedlock.LockAssert;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLocked;
import io.micrometer.context.ContextExecutorService;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What of a lock goes to other threads with Micrometer's context propagation, automatic in Reactor or by hand. */
class ContextPropagationTests {

    private static LockedApplication application;

    private static Scheduler scheduler;

    private static ExecutorService plain;

    private static ExecutorService propagating;

    private final Work work = application.bean(Work.class);

    @BeforeAll
    static void start() {
        Hooks.enableAutomaticContextPropagation();
        application = new LockedApplication(Work.class);
        scheduler = Schedulers.newSingle("one");
        plain = Executors.newSingleThreadExecutor();
        ContextSnapshotFactory snapshots = ContextSnapshotFactory.builder().build();
        propagating = ContextExecutorService.wrap(plain, snapshots::captureAll);
    }

    @AfterAll
    static void stop() {
        Hooks.disableAutomaticContextPropagation();
        scheduler.dispose();
        plain.shutdownNow();
        application.close();
    }

    @AfterEach
    void leavesNothing() throws Exception {
        application.awaitNoKeys();
        assertThat(LockHandle.current()).isEmpty();
        assertThat(onThread(plain, LockHandle::current)).isEmpty();
        CompletableFuture<Boolean> seen = new CompletableFuture<>();
        scheduler.schedule(() -> seen.complete(LockHandle.current().isPresent()));
        assertThat(seen).succeedsWithin(LockedApplication.LONG).isEqualTo(false);
    }

    private static <T> T onThread(ExecutorService executor, Callable<T> task) throws Exception {
        try {
            return executor.submit(task).get(60, TimeUnit.SECONDS);
        } catch (ExecutionException ex) {
            throw ex.getCause() instanceof Exception cause ? cause : ex;
        }
    }

    private static String currentName() {
        LockAssert.assertLocked();
        return LockHandle.current().orElseThrow().name();
    }

    @Test
    void laterOperatorsSeeTheLockOnTheirThreads() {
        Mono<String> mono =
                work.mono("k", () -> Mono.just("x").publishOn(scheduler).map(x -> currentName()));
        assertThat(mono.block(LockedApplication.LONG)).isEqualTo("work:k");
        Flux<String> flux = work.flux(
                "k",
                () -> Flux.range(0, 3)
                        .publishOn(scheduler)
                        .concatMap(i ->
                                Mono.just(i).publishOn(Schedulers.parallel()).map(x -> currentName())));
        assertThat(flux.distinct().collectList().block(LockedApplication.LONG)).containsExactly("work:k");
    }

    @Test
    void blockingCallsInLaterOperatorsEnterTheLock() {
        Mono<String> mono = work.mono(
                "k", () -> Mono.just("x").publishOn(Schedulers.boundedElastic()).map(x -> work.blocking("k")));
        assertThat(mono.block(LockedApplication.LONG)).isEqualTo("work:k");
    }

    /** They share an owner, but each thread is a caller of its own. */
    @Test
    void blockingCallsInParallelOperatorsExcludeEachOther() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Flux<String> flux = work.flux(
                "outer",
                () -> Flux.range(0, 200)
                        .parallel(4)
                        .runOn(Schedulers.boundedElastic())
                        .map(i -> work.run("inner", () -> {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            Thread.yield();
                            inside.decrementAndGet();
                            return "done";
                        }))
                        .sequential());
        assertThat(flux.count().block(LockedApplication.LONG)).isEqualTo(200);
        assertThat(most).hasValue(1);
    }

    @Test
    void anOperatorAfterTheLockedMethodDoesNotSeeTheLock() {
        Mono<Boolean> after = work.mono("k", () -> Mono.just("x").publishOn(scheduler))
                .map(x -> LockHandle.current().isPresent());
        assertThat(after.block(LockedApplication.LONG)).isFalse();
        Mono<Boolean> failed = work.mono(
                        "k",
                        () -> Mono.<String>error(new IllegalStateException()).publishOn(scheduler))
                .map(x -> true)
                .onErrorResume(
                        failure -> Mono.fromSupplier(() -> LockHandle.current().isPresent()));
        assertThat(failed.block(LockedApplication.LONG)).isFalse();
    }

    @Test
    void whatIsInsideOfTwoLocksSeesTheOuterOneAgainAfterTheInner() {
        Mono<String> mono = work.mono(
                "outer",
                () -> work.mono("inner", () -> Mono.just("x").publishOn(scheduler))
                        .map(x -> currentName()));
        assertThat(mono.block(LockedApplication.LONG)).isEqualTo("work:outer");
    }

    @Test
    void aChainThatABlockingMethodWaitsForSeesItsLock() {
        assertThat(work.run(
                        "k",
                        () -> Mono.just("x")
                                .publishOn(scheduler)
                                .map(x -> currentName())
                                .block(LockedApplication.LONG)))
                .isEqualTo("work:k");
        assertThat(work.run(
                        "k", () -> work.mono("k", () -> Mono.just("entered")).block(LockedApplication.LONG)))
                .isEqualTo("entered");
    }

    @Test
    void aTaskSeesTheLockOfItsSubmitterButDoesNotEnterIt() {
        work.run("k", () -> {
            try {
                assertThat(onThread(propagating, ContextPropagationTests::currentName))
                        .isEqualTo("work:k");
                assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> onThread(propagating, () -> work.blocking("k")));
                assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(() ->
                                onThread(propagating, () -> work.future("k").get(60, TimeUnit.SECONDS)))
                        .withCauseInstanceOf(LockNotAcquiredException.class);
                return onThread(propagating, () -> work.run("other", ContextPropagationTests::currentName));
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
        });
    }

    @Test
    void aTaskOfAnOperatorIsWorkOfTheSubscription() {
        Mono<String> mono = work.mono(
                "k",
                () -> Mono.just("x").publishOn(scheduler).map(x -> {
                    try {
                        return onThread(propagating, () -> work.blocking("k"));
                    } catch (Exception ex) {
                        throw new IllegalStateException(ex);
                    }
                }));
        assertThat(mono.block(LockedApplication.LONG)).isEqualTo("work:k");
    }

    @Test
    void aTaskThatOutlivesTheMethodFindsThatItsLockWasReleased() throws Exception {
        CompletableFuture<Void> returned = new CompletableFuture<>();
        AtomicInteger held = new AtomicInteger(-1);
        Future<?>[] task = new Future<?>[1];
        work.run("k", () -> {
            task[0] = propagating.submit(() -> {
                returned.get(60, TimeUnit.SECONDS);
                held.set(LockHandle.current().orElseThrow().isHeld() ? 1 : 0);
                LockAssert.assertLocked();
                return null;
            });
            return "done";
        });
        returned.complete(null);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> task[0].get(60, TimeUnit.SECONDS))
                .withCauseInstanceOf(IllegalStateException.class)
                .withMessageContaining("was released before");
        assertThat(held).hasValue(0);
    }

    @Test
    void aSnapshotThatIsRestoredInItsOwnThreadChangesNothing() {
        work.run("k", () -> {
            ContextSnapshot snapshot = ContextSnapshotFactory.builder().build().captureAll();
            try (ContextSnapshot.Scope scope = snapshot.setThreadLocals()) {
                assertThat(work.blocking("k")).isEqualTo("work:k");
                assertThat(work.future("k"))
                        .succeedsWithin(LockedApplication.LONG)
                        .isEqualTo("work:k");
            }
            return currentName();
        });
        assertThatIllegalStateException().isThrownBy(LockAssert::assertLocked);
    }

    static class Work {

        @DistributedLocked(name = "work", key = "#key")
        Mono<String> mono(String key, Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked(name = "work", key = "#key")
        Flux<String> flux(String key, Supplier<Flux<String>> body) {
            return body.get();
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0")
        String blocking(String key) {
            return currentName();
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "30s")
        String run(String key, Supplier<String> body) {
            return body.get();
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0")
        CompletableFuture<String> future(String key) {
            return CompletableFuture.completedFuture(currentName());
        }
    }
}
