/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.smallrye.mutiny.subscription.Cancellable;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Annotated methods that return the types of Mutiny. They are Reactor's to the lock, but carry no context. */
class MutinyMethodTests {

    private static LockedApplication application;

    private final Work work = application.bean(Work.class);

    private final AtomicReference<UniEmitter<? super String>> emitter = new AtomicReference<>();

    private final AtomicBoolean cancelled = new AtomicBoolean();

    /** Completes when the test completes it. */
    private final Uni<String> body =
            Uni.createFrom().<String>emitter(emitter::set).onCancellation().invoke(() -> cancelled.set(true));

    @BeforeAll
    static void start() {
        application = new LockedApplication(Work.class);
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

    private void awaitRunning() {
        await().atMost(LockedApplication.LONG).until(() -> emitter.get() != null);
        assertThat(application.isHeld("work:k")).isTrue();
    }

    private static <T> T valueOf(Uni<T> uni) {
        return uni.await().atMost(LockedApplication.LONG);
    }

    @Test
    void aUniHoldsTheLockUntilItHasCompletedAtEachSubscription() {
        Uni<String> uni = work.uni("k", () -> body);
        assertThat(application.isHeld("work:k")).isFalse();
        for (String value : new String[] {"one", "two"}) {
            emitter.set(null);
            CompletableFuture<String> result = uni.subscribeAsCompletionStage();
            awaitRunning();
            emitter.get().complete(value);
            assertThat(result).succeedsWithin(LockedApplication.LONG).isEqualTo(value);
            assertThat(application.isHeld("work:k")).isFalse();
        }
    }

    @Test
    void aMultiHoldsTheLockUntilItHasEnded() {
        AtomicInteger held = new AtomicInteger();
        Multi<Integer> multi =
                work.multi("k").onItem().invoke(item -> held.addAndGet(application.isHeld("work:k") ? 1 : 0));
        assertThat(valueOf(multi.collect().asList())).containsExactly(1, 2, 3);
        assertThat(held).hasValue(3);
        assertThat(valueOf(multi.select().first(2).collect().asList())).containsExactly(1, 2);
        application.awaitFree("work:k");
    }

    @Test
    void failuresAndEmptyResultsRelease() {
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        valueOf(work.uni("k", () -> Uni.createFrom().failure(new IllegalStateException("no")))))
                .withMessage("no");
        assertThat(valueOf(work.uni("k", () -> Uni.createFrom().nullItem()))).isNull();
        assertThatIllegalStateException()
                .isThrownBy(() -> valueOf(work.uni("k", () -> null)))
                .withMessageContaining("returned null");
    }

    @Test
    void cancellingReleasesAndCancelsTheMethodsUni() {
        Cancellable subscription = work.uni("k", () -> body).subscribe().with(value -> {});
        awaitRunning();
        subscription.cancel();
        application.awaitFree("work:k");
        assertThat(cancelled).isTrue();
    }

    @Test
    void cancellingWhileItWaitsLeavesTheQueue() {
        LockHandle other = application.hold("work:k");
        AtomicInteger runs = new AtomicInteger();
        Cancellable subscription = work.uni("k", () -> Uni.createFrom().item(() -> "" + runs.incrementAndGet()))
                .subscribe()
                .with(value -> {});
        CompletableFuture<String> next =
                work.uni("k", () -> Uni.createFrom().item("next")).subscribeAsCompletionStage();
        subscription.cancel();
        other.close();
        assertThat(next).succeedsWithin(LockedApplication.LONG).isEqualTo("next");
        assertThat(runs).hasValue(0);
    }

    @Test
    void failsIfTheLockIsBusyOrSkipsOrFallsBack() {
        try (LockHandle other = application.hold("work:k")) {
            assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> valueOf(work.atOnce("k")));
            assertThat(valueOf(work.skipped("k"))).isNull();
            assertThat(valueOf(work.skippedMulti("k").collect().asList())).isEmpty();
            assertThat(valueOf(work.withFallback("k"))).isEqualTo("instead");
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(valueOf(work.skipped("k"))).isEqualTo("done");
    }

    @Test
    void aLossFailsTheUniOnceTheMethodIsDone() {
        CompletableFuture<String> result = work.uni("k", () -> body).subscribeAsCompletionStage();
        awaitRunning();
        assertThat(application.locks().forceRelease("work:k")).isTrue();
        assertThat(result).isNotDone();
        emitter.get().complete("done");
        assertThat(result)
                .failsWithin(LockedApplication.LONG)
                .withThrowableThat()
                .withCauseInstanceOf(LockLostException.class);
    }

    @Test
    void aLossCancelsTheUniIfConfigured() {
        CompletableFuture<String> result = work.interrupted("k", body).subscribeAsCompletionStage();
        awaitRunning();
        assertThat(application.locks().forceRelease("work:k")).isTrue();
        assertThat(result)
                .failsWithin(LockedApplication.LONG)
                .withThrowableThat()
                .withCauseInstanceOf(LockLostException.class);
        assertThat(cancelled).isTrue();
    }

    @Test
    void aSubscriptionWithTheSourceEntersTheLock() {
        assertThat(valueOf(work.uni("k", () -> {
                    String name = LockHandle.current().orElseThrow().name();
                    return work.atOnce("k").onItem().transform(inner -> name + " " + inner);
                })))
                .isEqualTo("work:k done");
    }

    /** There is no context that would say so: Mutiny's is not Reactor's. */
    @Test
    void aSubscriptionOnAnotherThreadIsAnotherCaller() {
        Uni<String> uni = work.uni(
                "k",
                () -> Uni.createFrom()
                        .item("x")
                        .emitOn(Infrastructure.getDefaultExecutor())
                        .onItem()
                        .transformToUni(x -> work.atOnce("k")));
        assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> valueOf(uni));
    }

    static class Work {

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "60s")
        Uni<String> uni(String key, Supplier<Uni<String>> body) {
            return body.get();
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "60s")
        Multi<Integer> multi(String key) {
            return Multi.createFrom().items(1, 2, 3);
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0")
        Uni<String> atOnce(String key) {
            return Uni.createFrom().item("done");
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        Uni<String> skipped(String key) {
            return Uni.createFrom().item("done");
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        Multi<String> skippedMulti(String key) {
            return Multi.createFrom().item("done");
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0", fallback = "instead")
        Uni<String> withFallback(String key) {
            return Uni.createFrom().item("done");
        }

        Uni<String> instead(String key) {
            return Uni.createFrom().item("instead");
        }

        @DistributedLocked(name = "work", key = "#key", whenLost = WhenLost.INTERRUPT)
        Uni<String> interrupted(String key, Uni<String> body) {
            return body;
        }
    }
}
