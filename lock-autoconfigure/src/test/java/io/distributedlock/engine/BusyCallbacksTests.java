/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostEvent;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.composite.LossReaction;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Code of the application that blocks in callbacks keeps no other event from being reported. */
class BusyCallbacksTests {

    /** Less than the time-out of a test, so that an assertion fails first. */
    private static final Duration SOON = Noise.patience();

    private static final int MANY = CallbackExecutor.THREADS;

    private final Set<Thread> before = Thread.getAllStackTraces().keySet();

    private final SharedLeases leases = new SharedLeases(NanoClock.SYSTEM);

    private final CountDownLatch proceed = new CountDownLatch(1);

    private final CountDownLatch blocked = new CountDownLatch(MANY);

    private final AtomicInteger events = new AtomicInteger();

    private final Consumer<LockEvent> listener = event -> {
        if (event instanceof LockLostEvent lost && lost.lockName().startsWith("busy")) {
            block();
        } else {
            events.incrementAndGet();
        }
    };

    private final LockEngine engine = TestEngine.of(new InMemoryLeaseStore(leases, "real", new TestNetwork()))
            .settings(withoutGrace())
            .events(listener)
            .start();

    private static EngineSettings withoutGrace() {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return new EngineSettings(
                defaults.lease(),
                Duration.ofSeconds(30),
                null,
                Duration.ofSeconds(2),
                32,
                Duration.ZERO,
                Duration.ZERO);
    }

    @AfterEach
    void noThreadIsLeft() {
        proceed.countDown();
        engine.close();
        await().atMost(SOON)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(
                                thread -> thread.getName().startsWith("distributed-lock") && !before.contains(thread)));
    }

    private boolean block() {
        blocked.countDown();
        try {
            return proceed.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        return engine.acquireAsync(request).toCompletableFuture();
    }

    /** The locks are granted later, so no continuation runs on the thread of the test. */
    private <T> List<CompletableFuture<T>> runUnderLocks(int count, Function<LockHandle, T> work) {
        List<String> names =
                IntStream.range(0, count).mapToObj(i -> "busy-" + i).toList();
        List<LockHandle> before =
                names.stream().map(name -> engine.acquire(LockRequest.of(name))).toList();
        List<CompletableFuture<T>> stages = names.stream()
                .map(name -> acquireAsync(LockRequest.of(name)).thenApply(handle -> {
                    try (handle) {
                        return work.apply(handle);
                    }
                }))
                .toList();
        before.forEach(LockHandle::close);
        return stages;
    }

    private void awaitBlocked() throws InterruptedException {
        assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
    }

    /** A future that knows nothing of the acquisition, as that of a publisher which is blocked on. */
    private long tokenOfWorkInside(LockHandle outer) {
        blocked.countDown();
        CompletableFuture<Long> told = new CompletableFuture<>();
        try {
            assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
        LockRequest inside = LockRequest.ofAll(List.of("inside-" + outer.name(), "more-" + outer.name()));
        new LockSet(engine)
                .acquireAsync(inside.logicalOwner(LockOwner.create().nested()))
                .whenComplete((handle, failure) -> {
                    if (handle == null) {
                        told.completeExceptionally(failure);
                    } else {
                        told.complete(handle.fencingToken());
                        handle.close();
                    }
                });
        return told.orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** As orTimeout does it. The grant has been decided, and no thread has been free to complete the stage with it. */
    @Test
    void aGrantWhoseStageTheApplicationHasCompletedIsReleased() throws Exception {
        List<CompletableFuture<Boolean>> busy = runUnderLocks(MANY, handle -> block());
        awaitBlocked();
        LockHandle holder = engine.acquire(LockRequest.of("granted"));
        CompletableFuture<LockHandle> stage =
                acquireAsync(LockRequest.of("granted").waitForever());
        holder.close();
        assertThat(stage.completeExceptionally(new TimeoutException())).isTrue();

        await().atMost(SOON)
                .until(() -> engine.tryAcquire(LockRequest.of("granted").noWait()), Optional::isPresent)
                .orElseThrow()
                .close();
        proceed.countDown();
        busy.forEach(each -> assertThat(each).succeedsWithin(SOON));
    }

    @Test
    void nestedAcquisitionsCompleteHoweverManyContinuationsWaitForThem() {
        for (CompletableFuture<Long> each : runUnderLocks(MANY, this::tokenOfWorkInside)) {
            assertThat(each).succeedsWithin(SOON);
        }
    }

    @Test
    void aLossIsReportedHoweverManyContinuationsAreBusy() throws Exception {
        List<CompletableFuture<Boolean>> busy = runUnderLocks(MANY + 10, handle -> block());
        awaitBlocked();
        CountDownLatch told = new CountDownLatch(1);
        LockHandle handle = engine.acquire(LockRequest.of("lost"));
        handle.onLost(told::countDown);

        engine.forceRelease("lost");

        assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
        await().atMost(SOON).until(() -> events.get() > 0);
        assertThat(busy).noneMatch(CompletableFuture::isDone);
        proceed.countDown();
        assertThat(CompletableFuture.allOf(busy.toArray(CompletableFuture[]::new)))
                .succeedsWithin(SOON);
    }

    /** An interrupt of a method, for example. */
    @Test
    void theLibraryReactsToALossHoweverManyCallbacksAreBusy() throws Exception {
        AtomicInteger busy = new AtomicInteger();
        List<LockHandle> handles = IntStream.range(0, MANY + 10)
                .mapToObj(i -> engine.acquire(LockRequest.of("busy-" + i)))
                .toList();
        handles.forEach(handle -> handle.onLost(() -> {
            busy.incrementAndGet();
            block();
        }));
        handles.forEach(handle -> engine.forceRelease(handle.name()));
        await().atMost(SOON).until(() -> busy.get() == MANY);
        CountDownLatch reactions = new CountDownLatch(2);
        LossReaction reaction = reactions::countDown;
        LockHandle one = engine.acquire(LockRequest.of("one"));
        LockHandle several = new LockSet(engine).acquire(LockRequest.ofAll(List.of("two", "three")));
        one.onLost(reaction);
        several.onLost(reaction);

        engine.forceRelease("one");
        engine.forceRelease("two");

        assertThat(reactions.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(busy).hasValue(MANY);
        proceed.countDown();
        several.closeAsync();
    }

    @Test
    void anAcquisitionCompletesHoweverManyListenersAndCallbacksAreBusy() throws Exception {
        List<LockHandle> handles = IntStream.range(0, MANY / 2)
                .mapToObj(i -> engine.acquire(LockRequest.of("busy-" + i)))
                .toList();
        handles.forEach(handle -> handle.onLost(this::block));
        handles.forEach(handle -> engine.forceRelease(handle.name()));
        awaitBlocked();

        CompletableFuture<String> thread = acquireAsync(LockRequest.of("free")).thenApply(handle -> {
            handle.close();
            return Thread.currentThread().getName();
        });

        assertThat(thread).succeedsWithin(SOON);
    }

    /** Each of them keeps a thread, and so do those that they wait for, until no thread is left. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void waitingInsideOfContinuationsEndsWithTheWait(boolean looksUpHolder) {
        if (looksUpHolder) {
            engine.setHolderNames((name, patient) ->
                    new CompletableFuture<String>().completeOnTimeout("other", 50, TimeUnit.MILLISECONDS));
        }
        LockHandle elsewhere = engine.acquire(LockRequest.of("inner"));
        LockRequest inner = LockRequest.of("inner").waitUpTo(Duration.ofMillis(200));
        AtomicInteger derived = new AtomicInteger();
        List<CompletableFuture<Throwable>> outer = runUnderLocks(MANY + 10, handle -> {
            CompletableFuture<LockHandle> nested = acquireAsync(inner);
            return (derived.getAndIncrement() % 2 == 0 ? nested : nested.thenApply(held -> held))
                    .handle((held, failure) -> StoreFailures.unwrap(failure))
                    .join();
        });

        assertThat(CompletableFuture.allOf(outer.toArray(CompletableFuture[]::new)))
                .succeedsWithin(SOON);
        assertThat(outer.stream().map(CompletableFuture::join))
                .allMatch(failure -> failure instanceof LockNotAcquiredException);
        elsewhere.close();
    }

    /** A future that another caller ends does not keep its waiter until the result. */
    @Test
    void waitingForAFutureEndsWithTheFuture() {
        LockHandle elsewhere = engine.acquire(LockRequest.of("a"));
        List<CompletableFuture<LockHandle>> waiting = Stream.of(
                        acquireAsync(LockRequest.of("a").waitForever()),
                        acquireAsync(LockRequest.of("a").waitForever()).thenApply(handle -> handle))
                .toList();

        waiting.forEach(future -> future.completeOnTimeout(elsewhere, 50, TimeUnit.MILLISECONDS));

        assertThat(waiting.stream().map(CompletableFuture::join)).containsOnly(elsewhere);
        elsewhere.close();
    }

    /** In each way in which a future can be ended from outside. */
    @Test
    void aFutureThatTheApplicationEndsLeavesTheQueue() {
        LockHandle elsewhere = engine.acquire(LockRequest.of("a"));
        List<Consumer<CompletableFuture<LockHandle>>> ways = List.of(
                future -> future.orTimeout(1, TimeUnit.MILLISECONDS),
                future -> future.completeOnTimeout(elsewhere, 1, TimeUnit.MILLISECONDS),
                future -> future.cancel(false),
                future -> future.complete(elsewhere),
                future -> future.completeExceptionally(new IllegalStateException("for the test")),
                future -> future.completeAsync(() -> elsewhere),
                future -> future.completeAsync(() -> elsewhere, Runnable::run),
                future -> future.completeAsync(() -> {
                    throw new IllegalStateException("for the test");
                }),
                future -> future.obtrudeValue(elsewhere),
                future -> future.obtrudeException(new IllegalStateException("for the test")));
        for (Consumer<CompletableFuture<LockHandle>> way : ways) {
            CompletableFuture<LockHandle> ended =
                    acquireAsync(LockRequest.of("a").waitForever());
            way.accept(ended);
            await().atMost(SOON).until(() -> ended.isDone() && waiting() == 0);
        }

        elsewhere.close();

        await().atMost(SOON).until(() -> engine.locks().size() == 0);
    }

    private int waiting() {
        return engine.activity("here", true, true).waiting().size();
    }
}
