/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLocked;
import io.reactivex.rxjava3.core.Flowable;
import io.smallrye.mutiny.Multi;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.reactivestreams.FlowAdapters;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Operators after a locked publisher of several values that emits in the thread that subscribes to it. */
class AfterFluxTests {

    private static final List<Boolean> INSIDE = new CopyOnWriteArrayList<>();

    @RegisterExtension
    private static final LockedApplication application = new LockedApplication(Work.class);

    private final Work work = application.bean(Work.class);

    private final AtomicInteger running = new AtomicInteger();

    @AfterEach
    void leavesNoHandle() {
        assertThat(LockHandle.current()).isEmpty();
        INSIDE.clear();
    }

    private Mono<Integer> alone(int value) {
        return work.update(Mono.fromSupplier(running::incrementAndGet)
                .delayElement(Duration.ofMillis(20))
                .map(most -> {
                    running.decrementAndGet();
                    return most;
                }));
    }

    @Test
    void updatesAfterAFluxExcludeEachOther() {
        assertThat(work.flux().flatMap(this::alone).collectList().block(LockedApplication.LONG))
                .hasSize(5)
                .containsOnly(1);
    }

    @Test
    void updatesAfterAFlowableOrMultiExcludeEachOther() {
        assertThat(Flux.from(work.flowable()).flatMap(this::alone).collectList().block(LockedApplication.LONG))
                .hasSize(5)
                .containsOnly(1);
        assertThat(Flux.from(FlowAdapters.toPublisher(work.multi()))
                        .flatMap(this::alone)
                        .collectList()
                        .block(LockedApplication.LONG))
                .hasSize(5)
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
        assertThat(INSIDE).hasSizeGreaterThanOrEqualTo(5).containsOnly(true);
        assertThat(outside).hasSize(5).containsOnly(false);
    }

    static class Work {

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        Flux<Integer> flux() {
            return Flux.range(0, 5);
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        Flowable<Integer> flowable() {
            return Flowable.range(0, 5);
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        Multi<Integer> multi() {
            return Multi.createFrom().range(0, 5);
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        Mono<Integer> update(Mono<Integer> body) {
            return body;
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s", reentrant = false)
        Mono<String> notReentrant() {
            return Mono.just("done");
        }

        /** Emits in the request, without a loop of its own. */
        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        Flux<Integer> generated() {
            return Flux.create(sink -> {
                AtomicInteger next = new AtomicInteger();
                sink.onRequest(n -> {
                    INSIDE.add(LockHandle.current().isPresent());
                    if (next.incrementAndGet() < 5) {
                        sink.next(next.get());
                    } else {
                        sink.next(5).complete();
                    }
                });
            });
        }
    }
}
