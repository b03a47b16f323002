/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockActivity;
import io.distributedlock.LockHandle;
import io.distributedlock.LockMonitor;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.RandomMoments;
import io.distributedlock.testing.Seeds;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Calls that are cancelled at a thousand random moments: before, while or after the lock is granted, the method runs,
 * or the lock is released. Each fourth moment there are two calls, so that one of them waits for the other.
 */
class CancelledCallTests {

    private static final int MOMENTS = 1_000;

    private static final int LATEST_NANOS = 600_000;

    private static LockedApplication application;

    private static List<String> channels = List.of();

    private final Work work = application.bean(Work.class);

    private final Random random = new Random(Seeds.of("cancelledCall.seed"));

    @BeforeAll
    static void start() {
        application = new LockedApplication(Configured.class);
        application.hold("first").close();
        await().atMost(LockedApplication.LONG)
                .until(() -> application.bean(LockMonitor.class).activity().subscribed());
        channels = application.channels();
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @AfterEach
    void leavesNeitherKeysNorWaitersNorSubscriptions() {
        await().atMost(LockedApplication.LONG).untilAsserted(() -> {
            LockActivity activity = application.bean(LockMonitor.class).activity();
            assertThat(activity.waiting()).isEmpty();
            assertThat(activity.held()).isEmpty();
        });
        application.awaitNoKeys();
        assertThat(channels).isNotEmpty();
        assertThat(application.channels()).containsExactlyInAnyOrderElementsOf(channels);
        assertThat(LockHandle.current()).isEmpty();
        await().atMost(LockedApplication.LONG).until(() -> Inside.NOW.get() == 0);
    }

    private boolean isDoneBeforeARandomMoment(CompletableFuture<?> call) {
        return RandomMoments.isDoneWithin(random.nextInt(LATEST_NANOS), call);
    }

    @Test
    void futures() {
        int hits = 0;
        for (int moment = 0; moment < MOMENTS; moment++) {
            CompletableFuture<String> call = work.future("k");
            CompletableFuture<String> other = moment % 4 == 0 ? work.future("k") : null;
            if (!isDoneBeforeARandomMoment(call) && call.cancel(true)) {
                hits++;
            }
            if (other != null) {
                assertThat(other).succeedsWithin(LockedApplication.LONG).isEqualTo("done");
            }
        }
        assertThat(hits).as("cancellations that came before the end").isPositive();
        assertThat(work.future("k")).succeedsWithin(LockedApplication.LONG).isEqualTo("done");
    }

    @Test
    void publishersOfOneValue() {
        Mono<String> mono = work.mono("k");
        for (int moment = 0; moment < MOMENTS; moment++) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            Disposable call = mono.doFinally(signal -> end.complete(null)).subscribe();
            cancel(call, end, moment % 4 == 0 ? mono.toFuture() : null);
        }
        assertThat(mono.block(LockedApplication.LONG)).isEqualTo("done");
        assertThat(Inside.MOST).as("subscriptions at once").hasValue(1);
    }

    @Test
    void publishersOfManyValues() {
        Flux<Integer> flux = work.flux("k");
        for (int moment = 0; moment < MOMENTS; moment++) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            Disposable call = flux.doFinally(signal -> end.complete(null)).subscribe();
            cancel(call, end, moment % 4 == 0 ? flux.collectList().toFuture() : null);
        }
        assertThat(flux.collectList().block(LockedApplication.LONG)).containsExactly(1, 2, 3);
        assertThat(Inside.MOST).as("subscriptions at once").hasValue(1);
    }

    private void cancel(Disposable subscription, CompletableFuture<?> end, CompletableFuture<?> other) {
        if (!isDoneBeforeARandomMoment(end)) {
            subscription.dispose();
        }
        if (other != null) {
            assertThat(other).succeedsWithin(LockedApplication.LONG);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Configured {

        @Bean
        Work work() {
            return new Work();
        }
    }

    static class Work {

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "60s")
        public CompletableFuture<String> future(String key) {
            return Background.supply(() -> "done");
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "60s")
        public Mono<String> mono(String key) {
            Inside inside = new Inside();
            return Mono.just("done")
                    .publishOn(Schedulers.parallel())
                    .doFirst(inside::begin)
                    .doOnTerminate(inside::end)
                    .doOnCancel(inside::end);
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "60s")
        public Flux<Integer> flux(String key) {
            Inside inside = new Inside();
            return Flux.range(1, 3)
                    .publishOn(Schedulers.parallel())
                    .doFirst(inside::begin)
                    .doOnTerminate(inside::end)
                    .doOnCancel(inside::end);
        }
    }

    /** A subscription, which may be cancelled while it ends: both wait until it is counted. */
    private static final class Inside {

        static final AtomicInteger NOW = new AtomicInteger();

        static final AtomicInteger MOST = new AtomicInteger();

        private boolean open;

        synchronized void begin() {
            open = true;
            MOST.accumulateAndGet(NOW.incrementAndGet(), Math::max);
        }

        synchronized void end() {
            if (open) {
                open = false;
                NOW.decrementAndGet();
            }
        }
    }
}
