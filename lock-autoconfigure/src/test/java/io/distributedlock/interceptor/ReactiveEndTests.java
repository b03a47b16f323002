/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.interceptor.PromisedLocks.Hold;
import io.distributedlock.reactive.ReactiveLocks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.springframework.http.ResponseEntity;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

/**
 * The end of a locked Mono: a result that is not delivered, what is current in the thread that reports it, and what a
 * loss interrupts.
 */
class ReactiveEndTests {

    private final PromisedLocks locks = new PromisedLocks();

    private final Work work = LockedProxies.by(locks).byClass(new Work());

    private final Sinks.Many<String> body = Sinks.many().unicast().onBackpressureBuffer();

    private final AtomicInteger interrupts = new AtomicInteger();

    @AfterEach
    void leavesNoHandle() {
        assertThat(LockHandle.current()).isEmpty();
    }

    /** The subscription that delivers the response would have released the lock with its body. */
    @Test
    void aResponseThatIsCancelledBeforeItIsRequestedReleases() {
        BaseSubscriber<Object> subscriber = withoutDemand();
        work.response(body::asFlux).subscribe(subscriber);
        Hold hold = locks.promise().grant();
        assertThat(hold.closed).isZero();
        subscriber.cancel();

        assertThat(hold.closed).isOne();
        assertThat(body.currentSubscriberCount()).isZero();
    }

    @Test
    void aResponseThatIsCancelledWhileItsPublisherIsSubscribedToReleases() {
        BaseSubscriber<Object> subscriber = withoutDemand();
        work.mono(() -> Mono.fromDirect(publisher -> {
                    publisher.onSubscribe(Operators.emptySubscription());
                    publisher.onNext(ResponseEntity.ok(body.asFlux()));
                    publisher.onComplete();
                    subscriber.cancel();
                }))
                .subscribe(subscriber);
        Hold hold = locks.promise().grant();

        assertThat(hold.closed).isOne();
    }

    @Test
    void aResponseWhosePublisherFailsAfterItIsNotDelivered() {
        List<Object> received = new ArrayList<>();
        IllegalStateException late = new IllegalStateException("late");
        work.mono(() -> Mono.fromDirect(Flux.concat(Mono.just(ResponseEntity.ok(body.asFlux())), Mono.error(late))))
                .subscribe(received::add, received::add);
        Hold hold = locks.promise().grant();

        assertThat(received).containsExactly(late);
        assertThat(hold.closed).isOne();
    }

    private static BaseSubscriber<Object> withoutDemand() {
        return new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {}
        };
    }

    /** The grant comes on a thread that is in no lock, and nothing propagates the outer one to it. */
    @Test
    void theEndIsNotReportedInsideOfTheScopeInWhichThePublisherIsSubscribedTo() {
        AtomicReference<Boolean> atTheEnd = new AtomicReference<>();
        work.mono(() -> work.mono(() -> Mono.just("inner"))
                        .doOnNext(value -> atTheEnd.set(LockHandle.current().isPresent())))
                .subscribe();
        locks.promise().grant();
        locks.promises.get(1).grant();

        assertThat(atTheEnd).hasValue(false);
    }

    /** As an operator of the method's publisher does with context propagation. */
    @Test
    void anEndOnAThreadThatShowsTheLockIsOutsideOfIt() {
        AtomicReference<ContextView> inside = new AtomicReference<>();
        AtomicReference<LockHandle> atTheEnd = new AtomicReference<>();
        work.mono(() -> work.mono(() -> Mono.deferContextual(context -> {
                            inside.set(context);
                            return body.asFlux().next();
                        }))
                        .doOnNext(value -> atTheEnd.set(LockHandle.current().orElseThrow())))
                .subscribe();
        Hold outer = locks.promise().grant();
        Hold inner = locks.promises.get(1).grant();
        try (ReactiveLocks.Shown shown = ReactiveLocks.show(inside.get())) {
            body.tryEmitNext("done");
            assertThat(LockHandle.current()).containsSame(inner);
        }

        assertThat(atTheEnd.get()).isSameAs(outer);
    }

    @Test
    void aLossInterruptsAMethodOrItsMonoThatBlocks() {
        List<Throwable> failures = new ArrayList<>();
        work.interruptedMono(() -> Mono.fromCallable(this::loseAndBlock)).subscribe(value -> {}, failures::add);
        locks.promise().grant();
        locks.promises.clear();
        work.interruptedMono(() -> Mono.just(loseAndBlock())).subscribe(value -> {}, failures::add);
        locks.promise().grant();

        assertThat(failures).hasSize(2).hasOnlyElementsOfType(LockLostException.class);
        assertThat(interrupts).hasValue(2);
        assertThat(Thread.interrupted()).isFalse();
    }

    private String loseAndBlock() {
        locks.promise().grantedHold().lose();
        try {
            return "blocked " + new CountDownLatch(1).await(5, TimeUnit.SECONDS);
        } catch (InterruptedException ex) {
            interrupts.incrementAndGet();
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void aValueThatIsNotDeliveredIsDiscarded() {
        List<String> discarded = new ArrayList<>();
        work.mono(() -> Mono.fromSupplier(() -> {
                    locks.promise().grantedHold().lose();
                    return "lost";
                }))
                .doOnDiscard(String.class, discarded::add)
                .subscribe(value -> {}, failure -> {});
        locks.promise().grant();
        locks.promises.clear();
        AtomicReference<Disposable> cancelled = new AtomicReference<>();
        cancelled.set(work.mono(() -> Mono.fromDirect(Flux.just("cancelled").concatWith(Mono.never())))
                .doOnDiscard(String.class, discarded::add)
                .subscribe());
        locks.promise().grant();
        cancelled.get().dispose();

        assertThat(discarded).containsExactly("lost", "cancelled");
    }

    /** The source may emit in the moment in which it is cancelled. */
    @Test
    void aValueThatComesAfterTheLossIsDiscarded() {
        List<String> discarded = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        AtomicReference<Subscriber<? super String>> source = new AtomicReference<>();
        work.interruptedMono(() -> Mono.fromDirect(subscriber -> {
                    subscriber.onSubscribe(Operators.emptySubscription());
                    source.set(subscriber);
                }))
                .doOnDiscard(String.class, discarded::add)
                .subscribe(value -> {}, failures::add);
        locks.promise().grant().lose();
        source.get().onNext("late");

        assertThat(failures).hasSize(1).hasOnlyElementsOfType(LockLostException.class);
        assertThat(discarded).containsExactly("late");
    }

    static class Work {

        @DistributedLocked(key = "'work'", whenLost = WhenLost.INTERRUPT)
        Mono<String> interruptedMono(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked("'work'")
        <T> Mono<T> mono(Supplier<Mono<T>> body) {
            return body.get();
        }

        @DistributedLocked("'work'")
        Mono<ResponseEntity<Flux<String>>> response(Supplier<Flux<String>> body) {
            return Mono.fromSupplier(() -> ResponseEntity.ok(body.get()));
        }
    }
}
