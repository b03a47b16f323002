/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.annotation.DistributedLocked;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** Locked futures and publishers whose bodies all block on other locked methods at the same time. */
class BlockedBodiesTests {

    /** As many as there are threads for bodies. */
    private static final int MANY = 256;

    private static LockedApplication application;

    private final Outer outer = application.bean(Outer.class);

    private final Inner inner = application.bean(Inner.class);

    @BeforeAll
    static void start() {
        application = new LockedApplication(Configured.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @AfterEach
    void leavesNothing() {
        application.awaitNoKeys();
    }

    /** Each body goes on when all of them run, so that no thread is free. */
    private void runAtOnce(Function<Integer, Integer> body) {
        CountDownLatch running = new CountDownLatch(MANY);
        Thread caller = Thread.currentThread();
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            all.add(outer.future(i, each -> {
                running.countDown();
                // A lock that was granted before the call returns has its body run by the caller.
                if (Thread.currentThread() != caller) {
                    await(running);
                }
                return body.apply(each);
            }));
        }
        for (int i = 0; i < MANY; i++) {
            assertThat(all.get(i)).succeedsWithin(LockedApplication.LONG).isEqualTo(i);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void mayWaitForPublishers() {
        runAtOnce(i -> inner.mono(i).map(each -> each).block(LockedApplication.LONG));
    }

    @Test
    void mayWaitForSeveralLocksAndTheirFutures() {
        runAtOnce(i -> inner.several(i, MANY + i).thenApply(each -> each).join());
    }

    @Configuration(proxyBeanMethods = false)
    static class Configured {

        @Bean
        Outer outer() {
            return new Outer();
        }

        @Bean
        Inner inner() {
            return new Inner();
        }
    }

    static class Outer {

        @DistributedLocked(name = "outer", key = "#i", waitUpTo = "60s")
        public CompletableFuture<Integer> future(int i, Function<Integer, Integer> body) {
            return CompletableFuture.completedFuture(body.apply(i));
        }
    }

    static class Inner {

        @DistributedLocked(name = "inner", key = "#i", waitUpTo = "60s")
        public Mono<Integer> mono(int i) {
            return Mono.just(i);
        }

        @DistributedLocked(name = "inner", key = "{#i, #j}", waitUpTo = "60s")
        public CompletableFuture<Integer> several(int i, int j) {
            return CompletableFuture.completedFuture(i);
        }
    }
}
