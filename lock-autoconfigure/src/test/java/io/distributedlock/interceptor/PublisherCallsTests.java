/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.interceptor.PromisedLocks.Hold;
import io.distributedlock.testing.Background;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.springframework.http.ResponseEntity;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A publisher runs in the calls that it gets: its subscription, requests and cancellations, which may be under way on
 * several threads. Its lock is released when the last one of them has returned, whatever ends the work.
 */
class PublisherCallsTests {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final PromisedLocks locks = new PromisedLocks();

    private final Work work = LockedProxies.by(locks).byClass(new Work());

    private final AtomicReference<Integer> closedBefore = new AtomicReference<>();

    @AfterEach
    void leavesNoHandle() {
        assertThat(LockHandle.current()).isEmpty();
    }

    @Test
    void aCancellationThatIsUnderWayWhenTheSubscriptionReturns() {
        BlockedCancellation subscription = new BlockedCancellation();
        AtomicReference<CompletableFuture<Void>> cancellation = new AtomicReference<>();
        BaseSubscriber<String> subscriber = subscriber(Long.MAX_VALUE);
        work.flux(() -> Flux.from(publisher -> {
                    publisher.onSubscribe(subscription);
                    cancellation.set(Background.run(subscriber::cancel));
                    await(subscription.begun);
                }))
                .subscribe(subscriber);
        Hold hold = locks.promise().grant();
        assertThat(hold.closed).isZero();

        subscription.mayEnd.countDown();
        assertThat(cancellation.get()).succeedsWithin(LIMIT);
        assertThat(hold.closed).isOne();
    }

    /** A publisher may emit in the request, on the thread of the subscriber. */
    @Test
    void aCancellationDuringARequest() {
        BaseSubscriber<String> subscriber = subscriber(0);
        work.flux(() -> Flux.just("value").doOnNext(value -> {
                    Background.run(subscriber::cancel).join();
                    remember();
                }))
                .subscribe(subscriber);
        Hold hold = locks.promise().grant();
        subscriber.request(1);

        assertThat(closedBefore).hasValue(0);
        assertThat(hold.closed).isOne();
    }

    /** The method's publisher was subscribed to between the subscriber's request and its delivery. */
    @Test
    void aRequestThatCameBeforeTheGrantIsInsideOfTheLock() {
        AtomicReference<Boolean> inside = new AtomicReference<>();
        AtomicReference<Subscriber<? super String>> publisher = new AtomicReference<>();
        BaseSubscriber<String> subscriber = subscriber(1);
        work.flux(() -> Flux.from((Publisher<String>) publisher::set)).subscribe(subscriber);
        Hold hold = locks.promise().grant();
        Background.run(() -> publisher.get().onSubscribe(requested(() -> {
                    inside.set(LockHandle.current().isPresent());
                    Background.run(subscriber::cancel).join();
                    remember();
                })))
                .join();

        assertThat(inside).hasValue(true);
        assertThat(closedBefore).hasValue(0);
        assertThat(hold.closed).isOne();
    }

    /** One of several locks is lost. The others exclude the other callers as long as the method runs. */
    @Test
    void aLossThatInterruptsDuringTheSubscription() {
        BaseSubscriber<String> subscriber = subscriber(Long.MAX_VALUE);
        work.interrupted(() -> {
                    Background.run(() -> locks.promise().grantedHold().lose()).join();
                    remember();
                    Thread.interrupted();
                    return Flux.never();
                })
                .subscribe(subscriber);
        Hold hold = locks.promise().grant();

        assertThat(closedBefore).hasValue(0);
        assertThat(hold.closed).isOne();
    }

    @Test
    void aLossThatInterruptsDuringARequest() {
        BaseSubscriber<String> subscriber = subscriber(0);
        work.interrupted(() -> Flux.just("value").doOnNext(value -> {
                    Background.run(() -> locks.promise().grantedHold().lose()).join();
                    remember();
                }))
                .subscribe(subscriber);
        Hold hold = locks.promise().grant();
        subscriber.request(1);

        assertThat(closedBefore).hasValue(0);
        assertThat(hold.closed).isOne();
    }

    @Test
    void aCancellationWhileALossCancelsThePublisher() {
        BlockedCancellation subscription = new BlockedCancellation();
        BaseSubscriber<String> subscriber = subscriber(Long.MAX_VALUE);
        work.interrupted(() -> Flux.from(publisher -> publisher.onSubscribe(subscription)))
                .subscribe(subscriber);
        Hold hold = locks.promise().grant();
        CompletableFuture<Void> loss = Background.run(hold::lose);
        await(subscription.begun);
        subscriber.cancel();
        assertThat(hold.closed).isZero();

        subscription.mayEnd.countDown();
        assertThat(loss).succeedsWithin(LIMIT);
        assertThat(hold.closed).isOne();
    }

    /** As with a publisher that submits its end to an executor, and has work to do after that. */
    @Test
    void anEndOnAnotherThreadDuringTheSubscription() {
        work.mono(() -> Mono.create(sink -> {
                    Background.run(sink::success).join();
                    remember();
                }))
                .subscribe();
        Hold hold = locks.promise().grant();

        assertThat(closedBefore).hasValue(0);
        assertThat(hold.closed).isOne();
    }

    @Test
    void aCancellationBetweenAResponseAndTheEndOfItsPublisher() {
        BaseSubscriber<ResponseEntity<Flux<String>>> subscriber = subscriber(Long.MAX_VALUE);
        work.mono(() -> Mono.fromDirect((Subscriber<? super ResponseEntity<Flux<String>>> publisher) -> {
                    publisher.onSubscribe(requested(() -> {
                        publisher.onNext(ResponseEntity.ok(Flux.just("body")));
                        Background.run(subscriber::cancel).join();
                        remember();
                    }));
                }))
                .subscribe(subscriber);
        Hold hold = locks.promise().grant();

        assertThat(closedBefore).hasValue(0);
        assertThat(hold.closed).isOne();
    }

    /** An application that frees the resources of what is not delivered may consume the body, which has no lock now. */
    @Test
    void theBodyOfAResponseThatIsDiscardedDoesNotRun() {
        List<Flux<String>> discarded = new ArrayList<>();
        List<String> ran = new ArrayList<>();
        Flux<String> body = Flux.defer(() -> {
            ran.add("body");
            return Flux.just("body");
        });
        work.mono(() -> Mono.fromDirect(Flux.just(ResponseEntity.ok(body)).concatWith(Mono.error(failure()))))
                .doOnDiscard(ResponseEntity.class, response -> discarded.add(bodyOf(response)))
                .subscribe(response -> {}, failure -> {});
        locks.promise().grant();
        locks.promises.clear();
        BaseSubscriber<ResponseEntity<Flux<String>>> subscriber = subscriber(Long.MAX_VALUE);
        work.mono(() -> Mono.fromDirect(Flux.just(ResponseEntity.ok(body)).concatWith(Mono.never())))
                .doOnDiscard(ResponseEntity.class, response -> discarded.add(bodyOf(response)))
                .subscribe(subscriber);
        locks.promise().grant();
        subscriber.cancel();

        assertThat(discarded)
                .hasSize(2)
                .allSatisfy(each -> assertThatIllegalStateException().isThrownBy(each::blockLast));
        assertThat(ran).isEmpty();
    }

    @SuppressWarnings("unchecked")
    private static Flux<String> bodyOf(ResponseEntity<?> response) {
        return (Flux<String>) response.getBody();
    }

    private static IllegalStateException failure() {
        return new IllegalStateException("for the test");
    }

    /** How often the hold has been closed while a call is under way. */
    private void remember() {
        closedBefore.set(locks.promise().grantedHold().closed);
    }

    private static void await(CountDownLatch event) {
        try {
            assertThat(event.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    private static <T> BaseSubscriber<T> subscriber(long demand) {
        return new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                if (demand > 0) {
                    subscription.request(demand);
                }
            }

            @Override
            protected void hookOnError(Throwable failure) {}
        };
    }

    private static Subscription requested(Runnable emission) {
        return new Subscription() {
            @Override
            public void request(long n) {
                emission.run();
            }

            @Override
            public void cancel() {}
        };
    }

    private static final class BlockedCancellation implements Subscription {

        private final CountDownLatch begun = new CountDownLatch(1);

        private final CountDownLatch mayEnd = new CountDownLatch(1);

        @Override
        public void request(long n) {}

        @Override
        public void cancel() {
            begun.countDown();
            await(mayEnd);
        }
    }

    static class Work {

        @DistributedLocked("'work'")
        Flux<String> flux(Supplier<Flux<String>> body) {
            return body.get();
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.INTERRUPT)
        Flux<String> interrupted(Supplier<Flux<String>> body) {
            return body.get();
        }

        @DistributedLocked("'work'")
        <T> Mono<T> mono(Supplier<Mono<T>> body) {
            return body.get();
        }
    }
}
