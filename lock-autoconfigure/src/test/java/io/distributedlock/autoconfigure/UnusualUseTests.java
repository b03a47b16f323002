/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Locked methods in unusual use: shared publishers, cleanup, limits of holds that fail or never end, generic types. */
class UnusualUseTests {

    @RegisterExtension
    private static final LockedApplication application = new LockedApplication(Configured.class);

    private final Work work = application.bean(Work.class);

    private static String lock() {
        return LockHandle.current().map(LockHandle::name).orElse("none");
    }

    @Test
    void theCleanupOfAResourceRunsUnderTheLock() {
        List<String> seen = new CopyOnWriteArrayList<>();
        assertThat(work.using(seen).collectList().block(LockedApplication.LONG)).containsExactly(1, 2, 3);
        assertThat(seen).containsExactly("cleanup true");
        seen.clear();
        assertThat(work.using(seen)
                        .window(2)
                        .concatMap(Flux::collectList)
                        .collectList()
                        .block(LockedApplication.LONG))
                .containsExactly(List.of(1, 2), List.of(3));
        assertThat(seen).containsExactly("cleanup true");
    }

    @Test
    void subscribersOfACachedMonoShareOneCall() {
        AtomicInteger calls = new AtomicInteger();
        Mono<Integer> cached = work.counted(calls, 0).cache();
        assertThat(Mono.zip(cached, cached, Integer::sum).block(LockedApplication.LONG))
                .isEqualTo(2);
        assertThat(calls).hasValue(1);
    }

    @Test
    void aRetryIsACallOfItsOwn() {
        AtomicInteger calls = new AtomicInteger();
        assertThat(work.counted(calls, 2).retry(2).block(LockedApplication.LONG))
                .isEqualTo(3);
    }

    @Test
    void simultaneousSubscriptionsRunOneAfterTheOther() {
        AtomicInteger calls = new AtomicInteger();
        Mono<Integer> mono = work.counted(calls, 0);
        assertThat(Flux.merge(mono, mono, mono).collectList().block(LockedApplication.LONG))
                .containsExactly(1, 2, 3);
    }

    @Test
    void aFalseConditionLeavesPublishersFuturesAndStreamsWithoutALock() {
        assertThat(work.monoIf(false).block(LockedApplication.LONG)).isEqualTo("none");
        assertThat(work.futureIf(false).join()).isEqualTo("none");
        assertThat(work.streamIf(false).toList()).containsExactly("none");
        assertThat(work.monoIf(true).block(LockedApplication.LONG)).isEqualTo("if");
    }

    @Test
    void aStreamMayBeClosedTwiceAndReadInParallel() {
        Stream<Integer> stream = work.stream().parallel().map(i -> i + 1);
        assertThat(stream.mapToInt(i -> i).sum()).isEqualTo(500_500);
        assertThat(application.isHeld("stream")).isTrue();
        stream.close();
        stream.close();
        assertThat(application.isHeld("stream")).isFalse();
    }

    @Test
    void eachParameterForAHandleIsFilledInButNoArray() {
        assertThat(work.handles(null, null)).containsExactly("handles", "handles", "null");
        assertThat(work.handles(null, null, (LockHandle) null)).containsExactly("handles", "handles", "1 of null");
    }

    @Test
    void aMinimumAppliesToAMethodThatFails() {
        assertThatIllegalStateException().isThrownBy(work::failing);
        assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(work::failing);
        assertThat(application.locks().forceRelease("failing")).isTrue();
        assertThat(work.failingFuture())
                .failsWithin(LockedApplication.LONG)
                .withThrowableThat()
                .withRootCauseInstanceOf(IllegalStateException.class);
        assertThat(work.failingFuture())
                .failsWithin(LockedApplication.LONG)
                .withThrowableThat()
                .withRootCauseInstanceOf(LockNotAcquiredException.class);
        assertThat(application.locks().forceRelease("failing")).isTrue();
    }

    @Test
    void aFutureThatNeverCompletesLosesItsLockAtTheMaximum() {
        CompletableFuture<String> never = new CompletableFuture<>();
        CompletableFuture<String> lock = new CompletableFuture<>();
        CompletableFuture<String> result = work.limited(lock, never);
        assertThat(lock).succeedsWithin(LockedApplication.LONG).isEqualTo("limited");
        application.awaitFree("limited");
        assertThat(result).isNotDone();
        never.complete("late");
        assertThat(result)
                .failsWithin(LockedApplication.LONG)
                .withThrowableThat()
                .withCauseInstanceOf(LockLostException.class);
    }

    @Test
    void aFutureThatNeverCompletesIsCancelledAtTheMaximumIfConfigured() {
        CompletableFuture<String> never = new CompletableFuture<>();
        assertThat(work.stopped(never))
                .failsWithin(LockedApplication.LONG)
                .withThrowableThat()
                .withCauseInstanceOf(LockLostException.class);
        assertThat(never).isCancelled();
    }

    @Test
    void aMethodOfAGenericTypeIsLockedHoweverItIsCalled() {
        Handler<String> handler = application.bean(TextHandler.class);
        assertThat(handler.handle("a")).isEqualTo("text:a");
        assertThat(application.bean(TextHandler.class).handle("b")).isEqualTo("text:b");
        assertThat(handler.byDefault("c")).isEqualTo("default:c");
        assertThat(application.bean(TextHandler.class).inherited("d")).isEqualTo("abstract:d");
    }

    @Test
    void aBeanMethodIsLockedWhileItCreatesItsBean() {
        assertThat(application.bean(Created.class).under()).isEqualTo("created");
    }

    record Created(String under) {}

    interface Handler<T> {

        String handle(T value);

        @DistributedLocked(name = "default", key = "#value")
        default String byDefault(T value) {
            return lock();
        }
    }

    abstract static class AbstractHandler<T> implements Handler<T> {

        @DistributedLocked(name = "abstract", key = "#value")
        public String inherited(T value) {
            return lock();
        }
    }

    static class TextHandler extends AbstractHandler<String> {

        @Override
        @DistributedLocked(name = "text", key = "#value")
        public String handle(String value) {
            return lock();
        }
    }

    static class Work {

        @DistributedLocked("'using'")
        Flux<Integer> using(List<String> seen) {
            return Flux.usingWhen(
                    Mono.just(3),
                    count -> Flux.range(1, count),
                    count -> Mono.fromRunnable(() -> seen.add("cleanup " + application.isHeld("using"))));
        }

        @DistributedLocked("'counted'")
        Mono<Integer> counted(AtomicInteger calls, int failures) {
            return Mono.fromSupplier(() -> {
                int call = calls.incrementAndGet();
                if (call <= failures) {
                    throw new IllegalStateException("call " + call);
                }
                return call;
            });
        }

        @DistributedLocked(key = "'if'", condition = "#locked")
        Mono<String> monoIf(boolean locked) {
            return Mono.just(lock());
        }

        @DistributedLocked(key = "'if'", condition = "#locked")
        CompletableFuture<String> futureIf(boolean locked) {
            return CompletableFuture.completedFuture(lock());
        }

        @DistributedLocked(key = "'if'", condition = "#locked")
        Stream<String> streamIf(boolean locked) {
            return Stream.of(lock());
        }

        @DistributedLocked("'stream'")
        Stream<Integer> stream() {
            return IntStream.range(0, 1000).boxed();
        }

        @DistributedLocked("'handles'")
        List<String> handles(@Nullable LockHandle one, @Nullable LockHandle other, LockHandle @Nullable ... more) {
            String rest = more == null || more.length == 0 ? "null" : more.length + " of " + more[0];
            return List.of(one.name(), other.name(), rest);
        }

        @DistributedLocked(key = "'failing'", minHold = "1h", waitUpTo = "0")
        void failing() {
            throw new IllegalStateException("failed");
        }

        @DistributedLocked(key = "'failing'", minHold = "1h", waitUpTo = "0")
        CompletableFuture<String> failingFuture() {
            return CompletableFuture.failedFuture(new IllegalStateException("failed"));
        }

        @DistributedLocked(key = "'limited'", maxHold = "300ms")
        CompletableFuture<String> limited(CompletableFuture<String> lock, CompletableFuture<String> body) {
            lock.complete(lock());
            return body;
        }

        @DistributedLocked(key = "'limited'", maxHold = "300ms", whenLost = WhenLost.INTERRUPT)
        CompletableFuture<String> stopped(CompletableFuture<String> body) {
            return body;
        }
    }

    @Configuration
    static class Configured {

        @Bean
        Work work() {
            return new Work();
        }

        @Bean
        TextHandler handler() {
            return new TextHandler();
        }

        @Bean
        @DistributedLocked(key = "'created'", whenBusy = WhenBusy.THROW)
        Created created() {
            return new Created(lock());
        }
    }
}
