/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockAssert;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLocked;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.After;
import org.aspectj.lang.annotation.AfterReturning;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Aspects of the application, which are inside of the lock by default, on whatever thread the method runs. */
class AspectInsideTests {

    @RegisterExtension
    private static final LockedApplication application = new LockedApplication(Configured.class);

    private static final List<String> events = new CopyOnWriteArrayList<>();

    private final Work work = application.bean(Work.class);

    @BeforeEach
    void forget() {
        events.clear();
    }

    private static void assertAdvised(String method) {
        assertThat(events)
                .containsExactly(
                        "around " + method + " a",
                        "before " + method + " a a",
                        "run",
                        "returned " + method,
                        "after " + method + " a",
                        "proceeded " + method);
    }

    @Test
    void aBlockingMethodIsAdvised() {
        assertThat(work.blocking("a", null)).isEqualTo("aspect:a");
        assertAdvised("blocking");
    }

    @Test
    void aFutureThatWaitsForItsLockIsAdvised() {
        CompletableFuture<String> waiting;
        try (LockHandle other = application.hold("aspect:a")) {
            waiting = work.future("a", null);
            assertThat(waiting).isNotDone();
        }
        assertThat(waiting).succeedsWithin(LockedApplication.LONG).isEqualTo("aspect:a");
        assertAdvised("future");
    }

    @Test
    void eachSubscriptionIsAdvised() {
        Mono<String> mono = work.mono("a", null);
        for (int i = 0; i < 2; i++) {
            events.clear();
            assertThat(mono.subscribeOn(Schedulers.parallel()).block(LockedApplication.LONG))
                    .isEqualTo("aspect:a");
            assertAdvised("mono");
        }
    }

    @Test
    void aFluxIsAdvised() {
        assertThat(work.flux("a", null).collectList().block(LockedApplication.LONG))
                .containsExactly("aspect:a");
        assertAdvised("flux");
    }

    @Aspect
    static class Logging {

        private static final String WORK = "execution(* io.distributedlock.autoconfigure.AspectInsideTests.Work.*(..))";

        @Around(WORK + " && args(key, ..)")
        public Object around(ProceedingJoinPoint call, String key) throws Throwable {
            LockAssert.assertLocked();
            String method = call.getSignature().getName();
            events.add("around " + method + " " + key);
            Object result = call.proceed();
            events.add("proceeded " + method);
            return result;
        }

        @Before(WORK + " && args(key, ..)")
        public void before(JoinPoint call, String key) {
            events.add("before " + call.getSignature().getName() + " " + call.getArgs()[0] + " " + key);
        }

        @AfterReturning(WORK)
        public void returned(JoinPoint call) {
            events.add("returned " + call.getSignature().getName());
        }

        @After(WORK + " && args(key, ..)")
        public void after(JoinPoint call, Object key) {
            events.add("after " + call.getSignature().getName() + " " + key);
        }
    }

    static class Work {

        private static String run(@Nullable LockHandle handle) {
            events.add("run");
            return handle.name();
        }

        @DistributedLocked(key = "'aspect:' + #key")
        public String blocking(String key, @Nullable LockHandle handle) {
            return run(handle);
        }

        @DistributedLocked(key = "'aspect:' + #key")
        public CompletableFuture<String> future(String key, @Nullable LockHandle handle) {
            return CompletableFuture.completedFuture(run(handle));
        }

        @DistributedLocked(key = "'aspect:' + #key")
        public Mono<String> mono(String key, @Nullable LockHandle handle) {
            return Mono.just(run(handle));
        }

        @DistributedLocked(key = "'aspect:' + #key")
        public Flux<String> flux(String key, @Nullable LockHandle handle) {
            return Flux.just(run(handle));
        }
    }

    @Configuration
    static class Configured {

        @Bean
        Work work() {
            return new Work();
        }

        @Bean
        Logging logging() {
            return new Logging();
        }
    }
}
