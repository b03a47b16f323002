/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distributedlock.LockKeyGenerator;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import reactor.core.publisher.Mono;

/** Only the method's own lock is busy: neither one that its key generator needs, nor one that failed otherwise. */
class BusyOtherLockTests {

    private final LockNotAcquiredException busy = new LockNotAcquiredException("other", "busy", Duration.ZERO);

    private final PromisedLocks locks = new PromisedLocks();

    private Work work(LockOperations operations) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        LockKeyGenerator generator = (target, method, arguments) -> {
            throw busy;
        };
        beans.registerSingleton("generator", generator);
        return new LockedProxies(operations, beans).byClass(new Work());
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "future", "stream", "mono", "substituted"})
    void aLockThatTheKeyGeneratorDoesNotGetFailsTheCall(String method) {
        Throwable failure = catchThrowable(() -> call(work(locks), method));

        assertThat(failure instanceof CompletionException ? failure.getCause() : failure)
                .isSameAs(busy);
        assertThat(locks.requests).isEmpty();
    }

    private static Object call(Work work, String method) {
        return switch (method) {
            case "blocking" -> work.blocking();
            case "future" -> work.future().join();
            case "stream" -> work.stream().toList();
            case "mono" -> work.mono().block();
            default -> work.substituted().join();
        };
    }

    /** A decorator may throw what the library reports by the stage. */
    @Test
    void aDecoratorThatThrowsForABusyLockSkipsEachKindOfMethod() {
        LockOperations throwing = (LockOperations) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LockOperations.class}, (proxy, method, arguments) -> {
                    throw busy;
                });

        assertThat(work(throwing).skippedFuture()).isCompletedWithValue(null);
        assertThat(work(throwing).skippedMono().blockOptional()).isEmpty();
    }

    static class Work {

        @DistributedLocked(keyGenerator = "generator", whenBusy = WhenBusy.SKIP)
        String blocking() {
            return "ran";
        }

        @DistributedLocked(keyGenerator = "generator", whenBusy = WhenBusy.SKIP)
        CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("ran");
        }

        @DistributedLocked(keyGenerator = "generator", fallback = "other")
        CompletableFuture<String> substituted() {
            return CompletableFuture.completedFuture("ran");
        }

        CompletableFuture<String> other() {
            return CompletableFuture.completedFuture("fallback");
        }

        @DistributedLocked(keyGenerator = "generator", whenBusy = WhenBusy.SKIP)
        Stream<String> stream() {
            return Stream.of("ran");
        }

        @DistributedLocked(keyGenerator = "generator", whenBusy = WhenBusy.SKIP)
        Mono<String> mono() {
            return Mono.just("ran");
        }

        @DistributedLocked(key = "'own'", whenBusy = WhenBusy.SKIP)
        CompletableFuture<String> skippedFuture() {
            return CompletableFuture.completedFuture("ran");
        }

        @DistributedLocked(key = "'own'", whenBusy = WhenBusy.SKIP)
        Mono<String> skippedMono() {
            return Mono.just("ran");
        }
    }
}
