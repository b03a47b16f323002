/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockScope;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.interceptor.PromisedLocks.Hold;
import io.distributedlock.testing.Background;
import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A subscription to a locked publisher, in each order of its grant, its end, a cancellation and a loss. */
class ReactiveCallTests {

    private final PromisedLocks locks = new PromisedLocks();

    private final Work work = LockedProxies.by(locks).byClass(new Work());

    private final Sinks.Many<String> body = Sinks.many().unicast().onBackpressureBuffer();

    private final Signals signals = new Signals();

    @AfterEach
    void leavesNoHandle() {
        Hooks.resetOnErrorDropped();
        assertThat(LockHandle.current()).isEmpty();
    }

    @Test
    void aSubscriptionThatIsCancelledBeforeItsRequestDoesNotWait() {
        signals.demand = -1;
        work.flux(body::asFlux).subscribe(signals);

        assertThat(locks.promise().cancelled).isTrue();
    }

    @Test
    void aGrantAfterACancellationIsReleasedAndTheMethodNotCalled() {
        AtomicReference<String> called = new AtomicReference<>();
        work.flux(() -> {
                    called.set("called");
                    return body.asFlux();
                })
                .subscribe(signals);
        signals.cancel();
        assertThat(locks.promise().cancelled).isTrue();
        Hold hold = locks.promise().grant();

        assertThat(called).hasNullValue();
        assertThat(hold.closed).isOne();
        assertThat(signals.received).isEmpty();
    }

    @Test
    void aRefusalAfterACancellationIsNotPassedOn() {
        work.flux(body::asFlux).subscribe(signals);
        signals.cancel();
        locks.promise().completeExceptionally(new LockNotAcquiredException("work", "busy", Duration.ZERO));

        assertThat(signals.received).isEmpty();
    }

    /** Not before it has returned, since code of the method runs until then. */
    @Test
    void aCancellationWhileThePublisherIsSubscribedToReleasesOnce() {
        AtomicReference<Integer> during = new AtomicReference<>();
        work.flux(() -> Flux.from(subscriber -> {
                    signals.cancel();
                    body.asFlux().subscribe(subscriber);
                    subscriber.onComplete();
                    during.set(locks.promise().grantedHold().closed);
                }))
                .subscribe(signals);
        Hold hold = locks.promise().grant();

        assertThat(during).hasValue(0);
        assertThat(hold.closed).isOne();
        assertThat(body.currentSubscriberCount()).isZero();
        assertThat(signals.received).isEmpty();
    }

    /** The stage of the acquisition ignores what its dependents throw. */
    @Test
    void aFailureBeforeTheMethodIsCalledReleasesAndIsReported() {
        IllegalStateException failure = new IllegalStateException("no callbacks");
        Hold hold = new Hold() {
            @Override
            public void onLost(Runnable callback) {
                throw failure;
            }
        };
        work.interrupted(body::asFlux).subscribe(signals);
        locks.promise().complete(hold);

        assertThat(signals.failure).isSameAs(failure);
        assertThat(hold.closed).isOne();
        assertThat(body.currentSubscriberCount()).isZero();
    }

    @Test
    void aHoldIsReleasedIfTheObservationOfTheSubscriberFailsAfterTheRequest() {
        IllegalStateException failure = new IllegalStateException("for the test");
        Observation.Scope scope = mock(Observation.Scope.class);
        doThrow(failure).when(scope).close();
        Observation observation = mock(Observation.class);
        when(observation.openScope()).thenReturn(scope);
        work.flux(body::asFlux)
                .contextWrite(context -> context.put(ObservationThreadLocalAccessor.KEY, observation))
                .subscribe(signals);

        assertThat(signals.failure).isSameAs(failure);
        assertThat(locks.promise().cancelled).isTrue();
        assertThat(locks.promise().grant().closed).isOne();
        assertThat(signals.received).containsExactly("onError");
    }

    @Test
    void anErrorOfTheVirtualMachineReleasesAndIsReported() {
        OutOfMemoryError error = new OutOfMemoryError("for the test");
        work.flux(() -> {
                    throw error;
                })
                .subscribe(signals);
        Hold hold = locks.promise().grant();

        assertThat(signals.failure).isSameAs(error);
        assertThat(hold.closed).isOne();
    }

    @Test
    void aCancellationAfterTheEndDoesNotReleaseAgain() {
        work.flux(Flux::empty).subscribe(signals);
        Hold hold = locks.promise().grant();
        signals.cancel();

        assertThat(hold.closed).isOne();
        assertThat(signals.received).containsExactly("onComplete");
    }

    /** A decorator of the locks may return a stage that depends on theirs. */
    @Test
    void aBusyLockBehindADependentStageIsStillBusy() {
        work.replaced(body::asFlux).subscribe(signals);
        locks.promise()
                .completeExceptionally(
                        new CompletionException(new LockNotAcquiredException("work", "busy", Duration.ZERO)));

        assertThat(signals.received).containsExactly("instead", "onComplete");
    }

    @Test
    void aLossThatADependentStageReportsIsStillALoss() {
        LockLostException loss = new LockLostException("work", "lost", Duration.ZERO);
        work.flux(Flux::empty).subscribe(signals);
        locks.promise().complete(new Hold() {
            @Override
            public CompletionStage<Void> closeAsync() {
                return CompletableFuture.failedFuture(new CompletionException(loss));
            }
        });

        assertThat(signals.failure).isSameAs(loss);
    }

    @Test
    void aRequestForNothingIsNotPassedOn() {
        List<Long> requests = new ArrayList<>();
        signals.demand = 1;
        work.flux(() -> body.asFlux().doOnRequest(requests::add)).subscribe(signals);
        locks.promise().grant();
        signals.subscription.request(0);
        signals.subscription.request(-1);

        assertThat(requests).containsExactly(1L);
    }

    @Test
    void aSubscriberIsSubscribedBeforeALockThatIsGrantedAtOnce() {
        LockedProxies.by(new RecordingLocks())
                .byClass(new Work())
                .flux(Flux::empty)
                .subscribe(signals);

        assertThat(signals.received).containsExactly("onComplete");
    }

    @Test
    void anEndAfterACancellationReleasesOnce() {
        AtomicReference<CoreSubscriber<? super String>> upstream = new AtomicReference<>();
        work.flux(() -> new Flux<>() {
                    @Override
                    public void subscribe(CoreSubscriber<? super String> subscriber) {
                        upstream.set(subscriber);
                        subscriber.onSubscribe(deaf());
                    }
                })
                .subscribe(signals);
        Hold hold = locks.promise().grant();
        signals.cancel();
        upstream.get().onComplete();

        assertThat(hold.closed).isOne();
        assertThat(signals.received).isEmpty();
    }

    @Test
    void aFailureAfterTheEndIsDropped() {
        List<String> dropped = new ArrayList<>();
        Hooks.onErrorDropped(failure -> dropped.add(failure.getMessage()));
        work.flux(() -> Flux.from(subscriber -> {
                    subscriber.onSubscribe(deaf());
                    subscriber.onComplete();
                    subscriber.onError(new IllegalStateException("late"));
                }))
                .subscribe(signals);
        Hold hold = locks.promise().grant();

        assertThat(dropped).containsExactly("late");
        assertThat(hold.closed).isOne();
        assertThat(signals.received).containsExactly("onComplete");
    }

    /** As an overflow of the stack does that continues in the report of the first one. */
    @Test
    void aFailureInTheReportOfAFailureDoesNotHideTheEnd() {
        Hooks.onErrorDropped(dropped -> {
            throw new IllegalStateException("in the report", dropped);
        });
        work.flux(() -> Flux.from(subscriber -> {
                    body.asFlux().subscribe(subscriber);
                    subscriber.onComplete();
                    throw new IllegalStateException("after the end");
                }))
                .subscribe(signals);
        Hold hold = locks.promise().grant();

        assertThat(hold.closed).isOne();
        assertThat(signals.received).containsExactly("onComplete");
    }

    @Test
    void demandIsAccumulatedUntilThePublisherIsThere() {
        signals.demand = 1;
        work.flux(() -> Flux.just("a", "b", "c", "d")).subscribe(signals);
        signals.subscription.request(1);
        Hold hold = locks.promise().grant();
        assertThat(signals.received).containsExactly("a", "b");
        assertThat(hold.closed).isZero();

        signals.subscription.request(5);
        assertThat(signals.received).containsExactly("a", "b", "c", "d", "onComplete");
        assertThat(hold.closed).isOne();
    }

    @Test
    void aLossFailsTheSubscriptionAtItsEnd() {
        work.flux(body::asFlux).subscribe(signals);
        Hold hold = locks.promise().grant();
        hold.lose();
        body.tryEmitNext("late");
        assertThat(signals.received).containsExactly("late");
        body.tryEmitComplete();

        assertThat(signals.received).containsExactly("late", "onError");
        assertThat(signals.failure).isInstanceOf(LockLostException.class);
    }

    @Test
    void aLossThatInterruptsCancelsThePublisherAndFailsAtOnce() {
        work.interrupted(body::asFlux).subscribe(signals);
        Hold hold = locks.promise().grant();
        hold.lose();

        assertThat(body.currentSubscriberCount()).isZero();
        assertThat(signals.received).containsExactly("onError");
        assertThat(signals.failure).isInstanceOf(LockLostException.class);
        assertThat(hold.closed).isOne();
    }

    @Test
    void aLossThatInterruptsIsNotPassedOnWhileAValueIs() {
        AtomicReference<Hold> hold = new AtomicReference<>();
        signals.onValue = value -> Background.run(() -> hold.get().lose()).join();
        work.interrupted(body::asFlux).subscribe(signals);
        hold.set(locks.promise().grant());
        body.tryEmitNext("value");

        assertThat(signals.received).containsExactly("value", "onError");
    }

    @Test
    void theSubscriberIsOutsideOfTheLockAtTheEnd() {
        AtomicReference<Boolean> inside = new AtomicReference<>();
        AtomicReference<Boolean> atTheEnd = new AtomicReference<>();
        work.mono(() -> Mono.fromSupplier(() -> {
                    inside.set(LockHandle.current().isPresent());
                    return "done";
                }))
                .subscribe(value -> atTheEnd.set(LockHandle.current().isPresent()));
        locks.promise().grant();

        assertThat(inside).hasValue(true);
        assertThat(atTheEnd).hasValue(false);
    }

    @Test
    void theSubscriberIsOutsideOfTheLockForEachValue() {
        List<Boolean> atTheValues = new ArrayList<>();
        List<Boolean> inside = new ArrayList<>();
        signals.onValue = value -> atTheValues.add(LockHandle.current().isPresent());
        work.flux(() -> Flux.just("one", "two")
                        .doOnNext(value -> inside.add(LockHandle.current().isPresent())))
                .subscribe(signals);
        locks.promise().grant();

        assertThat(inside).containsExactly(true, true);
        assertThat(atTheValues).containsExactly(false, false);
    }

    /** Code in another language throws checked exceptions anywhere. */
    @Test
    void aCheckedFailureOfTheRequestFailsTheSubscription() {
        locks.failure = new Exception("checked");
        work.flux(body::asFlux).subscribe(signals);

        assertThat(signals.failure).isSameAs(locks.failure);
    }

    @Test
    void aMonoWhosePublisherFailsAfterItsValueFails() {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        work.mono(() -> Mono.fromDirect(Flux.concat(Mono.just("value"), Mono.error(new IllegalStateException("late")))))
                .subscribe(value -> {}, failure::set);
        locks.promise().grant();

        assertThat(failure.get()).hasMessage("late");
    }

    @Test
    void aMonoHasTheFirstValueOfItsPublisher() {
        AtomicReference<String> value = new AtomicReference<>();
        work.mono(() -> Mono.fromDirect(Flux.just("first", "second"))).subscribe(value::set);
        locks.promise().grant();

        assertThat(value).hasValue("first");
    }

    @Test
    void aMethodThatThrowsReleases() {
        work.flux(() -> {
                    throw new IllegalStateException("thrown");
                })
                .subscribe(signals);
        Hold hold = locks.promise().grant();

        assertThat(signals.failure).hasMessage("thrown");
        assertThat(hold.closed).isOne();
    }

    @Test
    void aFallbackEndsTheSubscription() {
        work.replaced(body::asFlux).subscribe(signals);
        locks.promise().completeExceptionally(new LockNotAcquiredException("work", "busy", Duration.ZERO));

        assertThat(signals.received).containsExactly("instead", "onComplete");
    }

    @Test
    void aCancellationDuringTheReleaseEndsTheSignals() {
        CompletableFuture<Void> release = new CompletableFuture<>();
        work.flux(body::asFlux).subscribe(signals);
        locks.promise().complete(new Hold() {
            @Override
            public CompletionStage<Void> closeAsync() {
                return release;
            }
        });
        body.tryEmitComplete();
        signals.cancel();
        release.complete(null);

        assertThat(signals.received).isEmpty();
    }

    @Test
    void aCancellationAfterTheEndButDuringTheSubscriptionEndsTheSignals() {
        work.flux(() -> Flux.from(subscriber -> {
                    subscriber.onSubscribe(deaf());
                    subscriber.onComplete();
                    signals.cancel();
                }))
                .subscribe(signals);
        Hold hold = locks.promise().grant();

        assertThat(hold.closed).isOne();
        assertThat(signals.received).isEmpty();
    }

    @Test
    void aMonoIsCancelledAsAFluxIs() {
        var subscription = work.mono(Mono::never).subscribe();
        Hold hold = locks.promise().grant();
        subscription.dispose();

        assertThat(hold.closed).isOne();
    }

    @Test
    void aPublisherWhoseCancellationFailsIsReleasedAllTheSame() {
        work.flux(() -> Flux.from(subscriber -> subscriber.onSubscribe(failing())))
                .subscribe(signals);
        Hold hold = locks.promise().grant();

        assertThatIllegalStateException().isThrownBy(signals::cancel);

        assertThat(hold.closed).isOne();
    }

    @Test
    void aLossThatInterruptsEndsASubscriptionWhoseCancellationFails() {
        work.interrupted(() -> Flux.from(subscriber -> subscriber.onSubscribe(failing())))
                .subscribe(signals);
        Hold hold = locks.promise().grant();

        assertThatIllegalStateException().isThrownBy(hold::lose);

        assertThat(signals.received).containsExactly("onError");
        assertThat(hold.closed).isOne();
    }

    @Test
    void anErrorOfTheVirtualMachineInTheFallbackIsReported() {
        NoClassDefFoundError error = new NoClassDefFoundError("for the test");
        work.replacedByTheSame(() -> {
                    throw error;
                })
                .subscribe(signals);
        locks.promise().completeExceptionally(new LockNotAcquiredException("work", "busy", Duration.ZERO));

        assertThat(signals.failure).isSameAs(error);
    }

    /** It takes the place of the method, on whatever thread the lock is refused. */
    @Test
    void aFallbackIsInsideTheLockAroundTheCall() {
        Hold around = new Hold();
        AtomicReference<LockHandle> seen = new AtomicReference<>();
        try (LockScope scope = LockScope.open(around)) {
            work.replacedByTheSame(() -> Flux.<String>empty()
                            .doOnComplete(() -> seen.set(LockHandle.current().orElse(null))))
                    .subscribe(signals);
        }
        Background.run(() -> locks.promise()
                        .completeExceptionally(new LockNotAcquiredException("work", "busy", Duration.ZERO)))
                .join();

        assertThat(seen).hasValue(around);
    }

    private static Subscription failing() {
        return new Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {
                throw new IllegalStateException("for the test");
            }
        };
    }

    private static Subscription deaf() {
        return new Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {}
        };
    }

    /** Writes down all that arrives, also after a cancellation. */
    private static final class Signals implements CoreSubscriber<String> {

        private final List<String> received = new ArrayList<>();

        private Subscription subscription;

        private Throwable failure;

        private Consumer<String> onValue = value -> {};

        /** Negative to cancel at once. */
        private long demand = Long.MAX_VALUE;

        void cancel() {
            subscription.cancel();
        }

        @Override
        public void onSubscribe(Subscription own) {
            subscription = own;
            if (demand < 0) {
                cancel();
            } else {
                own.request(demand);
            }
        }

        @Override
        public void onNext(String value) {
            onValue.accept(value);
            received.add(value);
        }

        @Override
        public void onError(Throwable thrown) {
            failure = thrown;
            received.add("onError");
        }

        @Override
        public void onComplete() {
            received.add(subscription == null ? "onComplete before onSubscribe" : "onComplete");
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

        @DistributedLocked(key = "'work'", fallback = "instead")
        Flux<String> replaced(Supplier<Flux<String>> body) {
            return body.get();
        }

        @DistributedLocked(key = "'work'", fallback = "theSame")
        Flux<String> replacedByTheSame(Supplier<Flux<String>> body) {
            return body.get();
        }

        private Flux<String> theSame(Supplier<Flux<String>> body) {
            return body.get();
        }

        private Flux<String> instead(Supplier<Flux<String>> body) {
            return Flux.just("instead");
        }

        @DistributedLocked("'work'")
        Mono<String> mono(Supplier<Mono<String>> body) {
            return body.get();
        }
    }
}
