/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMonitor;
import io.distributedlock.annotation.DistributedLocked;
import io.reactivex.rxjava3.core.Flowable;
import io.smallrye.mutiny.Multi;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Operators after a locked publisher of several values that emits in the thread that subscribes to it. */
class AfterFluxTests {

    private static final int VALUES = 5;

    private static final List<Boolean> INSIDE = new CopyOnWriteArrayList<>();

    @RegisterExtension
    private static final LockedApplication application = new LockedApplication(Work.class);

    private final Work work = application.bean(Work.class);

    private final AtomicInteger running = new AtomicInteger();

    private final AtomicInteger left = new AtomicInteger();

    @AfterEach
    void leavesNoHandle() {
        assertThat(LockHandle.current()).isEmpty();
        INSIDE.clear();
    }

    /** An update for each value. Returns how many updates were running at the beginning of each. */
    private List<Integer> updatesAfter(Publisher<Integer> values) {
        left.set(VALUES);
        return Flux.from(values).flatMap(value -> update()).collectList().block(LockedApplication.LONG);
    }

    /** The update ends when each other update that is left waits for the lock, or runs, which is a failure. */
    private Mono<Integer> update() {
        return work.update(Mono.fromSupplier(running::incrementAndGet)
                .publishOn(Schedulers.boundedElastic())
                .map(most -> {
                    await().atMost(LockedApplication.LONG)
                            .pollInterval(Duration.ofMillis(1))
                            .until(() -> running.get() + waiting() == left.get());
                    left.decrementAndGet();
                    running.decrementAndGet();
                    return most;
                }));
    }

    private static int waiting() {
        return application.bean(LockMonitor.class).activity().waiting().size();
    }

    @Test
    void updatesAfterAFluxExcludeEachOther() {
        assertThat(updatesAfter(work.flux())).hasSize(VALUES).containsOnly(1);
    }

    @Test
    void updatesAfterAFlowableOrMultiExcludeEachOther() {
        assertThat(updatesAfter(work.flowable())).hasSize(VALUES).containsOnly(1);
        assertThat(updatesAfter(FlowAdapters.toPublisher(work.multi())))
                .hasSize(VALUES)
                .containsOnly(1);
    }

    @Test
    void aCallAfterAFluxThatRefusesReentryWaitsForTheRelease() {
        assertThat(work.flux().next().flatMap(value -> work.notReentrant()).block(LockedApplication.LONG))
                .isEqualTo("done");
    }

    /** One at a time, so that each value but the first is emitted in a request from outside of the lock. */
    @Test
    void operatorsOfTheMethodAreInsideAndThoseAfterItAreOutside() {
        List<Boolean> outside = work.generated()
                .map(value -> LockHandle.current().isPresent())
                .limitRate(1)
                .collectList()
                .block(LockedApplication.LONG);
        assertThat(INSIDE).hasSizeGreaterThanOrEqualTo(VALUES).containsOnly(true);
        assertThat(outside).hasSize(VALUES).containsOnly(false);
    }

    /** The threads of the scheduler, which request all values but the first, are in no lock. */
    @Test
    void operatorsOfAMethodInsideOfAnotherLockAreInsideOnWhateverThreadRequests() {
        List<Integer> all = work.around(() -> work.generated().publishOn(Schedulers.boundedElastic(), 1))
                .collectList()
                .block(LockedApplication.LONG);
        assertThat(all).hasSize(VALUES);
        assertThat(INSIDE).hasSizeGreaterThanOrEqualTo(VALUES).containsOnly(true);
    }

    static class Work {

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        Flux<Integer> flux() {
            return Flux.range(0, VALUES);
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        Flowable<Integer> flowable() {
            return Flowable.range(0, VALUES);
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        Multi<Integer> multi() {
            return Multi.createFrom().range(0, VALUES);
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        Mono<Integer> update(Mono<Integer> body) {
            return body;
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s", reentrant = false)
        Mono<String> notReentrant() {
            return Mono.just("done");
        }

        @DistributedLocked("'around'")
        Flux<Integer> around(Supplier<Flux<Integer>> body) {
            return body.get();
        }

        /** Emits in the request, without a loop of its own. */
        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        Flux<Integer> generated() {
            return Flux.create(sink -> {
                AtomicInteger next = new AtomicInteger();
                sink.onRequest(n -> {
                    INSIDE.add(LockHandle.current()
                            .filter(handle -> handle.name().equals("work"))
                            .isPresent());
                    if (next.incrementAndGet() < VALUES) {
                        sink.next(next.get());
                    } else {
                        sink.next(VALUES).complete();
                    }
                });
            });
        }
    }
}
