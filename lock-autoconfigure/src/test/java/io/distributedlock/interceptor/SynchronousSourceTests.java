/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.interceptor.PromisedLocks.Hold;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** A locked publisher that emits its values while it is subscribed to, in the thread of the grant. */
class SynchronousSourceTests {

    private static final int MOST = 1000;

    private final PromisedLocks locks = new PromisedLocks();

    private final Work work = LockedProxies.by(locks).byClass(new Work());

    private final List<Integer> emitted = new ArrayList<>();

    private Flux<Integer> source(IntConsumer onValue) {
        return Flux.range(1, MOST).doOnNext(value -> {
            emitted.add(value);
            onValue.accept(value);
        });
    }

    private Flux<Integer> source() {
        return source(value -> {});
    }

    @Test
    void aCancellationStopsItAtOnce() {
        List<Integer> received = new ArrayList<>();
        work.flux(source()).takeUntil(value -> value == 3).subscribe(received::add);
        Hold hold = locks.promise().grant();

        assertThat(received).containsExactly(1, 2, 3);
        assertThat(emitted).containsExactly(1, 2, 3);
        assertThat(hold.closed).isOne();
    }

    @Test
    void aSubscriberThatFailsStopsItAtOnce() {
        List<Throwable> failures = new ArrayList<>();
        IllegalStateException failure = new IllegalStateException("in the subscriber");
        work.flux(source())
                .subscribe(
                        value -> {
                            throw failure;
                        },
                        failures::add);
        Hold hold = locks.promise().grant();

        assertThat(failures).containsExactly(failure);
        assertThat(emitted).containsExactly(1);
        assertThat(hold.closed).isOne();
    }

    @Test
    void aLossStopsItAtOnceIfConfigured() {
        List<Integer> received = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        work.interrupted(source(value -> {
                    if (value == 3) {
                        locks.promise().grantedHold().lose();
                    }
                }))
                .subscribe(received::add, failures::add);
        locks.promise().grant();

        assertThat(emitted).containsExactly(1, 2, 3);
        assertThat(received).startsWith(1, 2).hasSizeLessThanOrEqualTo(3);
        assertThat(failures).singleElement().isInstanceOf(LockLostException.class);
    }

    @Test
    void itGetsTheDemandOfBeforeAndAfterTheGrant() {
        List<Integer> received = new ArrayList<>();
        BaseSubscriber<Integer> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                request(1);
                request(2);
            }

            @Override
            protected void hookOnNext(Integer value) {
                received.add(value);
                if (value == 2) {
                    request(1);
                }
            }
        };
        work.flux(source()).subscribe(subscriber);
        Hold hold = locks.promise().grant();
        assertThat(received).containsExactly(1, 2, 3, 4);
        subscriber.request(1);
        assertThat(received).containsExactly(1, 2, 3, 4, 5);
        assertThat(emitted).containsExactly(1, 2, 3, 4, 5);

        subscriber.cancel();
        assertThat(hold.closed).isOne();
    }

    static class Work {

        @DistributedLocked("'work'")
        Flux<Integer> flux(Flux<Integer> body) {
            return body;
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.INTERRUPT)
        Flux<Integer> interrupted(Flux<Integer> body) {
            return body;
        }
    }
}
