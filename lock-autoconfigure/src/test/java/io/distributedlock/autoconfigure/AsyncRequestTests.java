/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.interceptor.RecordingLocks;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.context.request.async.WebAsyncUtils;

/** Locked methods of controllers whose result Spring MVC waits for in an asynchronous request. */
class AsyncRequestTests {

    private static final AtomicReference<DeferredResult<String>> DEFERRED = new AtomicReference<>();

    private static final AtomicReference<LockHandle> HANDLE = new AtomicReference<>();

    private static final AtomicInteger COMPLETIONS = new AtomicInteger();

    private static LockedApplication application;

    private final Work work = application.bean(Work.class);

    private final MockMvc mvc = MockMvcBuilders.standaloneSetup(work).build();

    @BeforeAll
    static void start() {
        application = new LockedApplication(Work.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @AfterEach
    void leavesNothing() {
        application.awaitNoKeys();
        assertThat(LockHandle.current()).isEmpty();
    }

    private MvcResult begin(String path) throws Exception {
        return mvc.perform(get(path)).andReturn();
    }

    private String end(MvcResult begun) throws Exception {
        return mvc.perform(asyncDispatch(begun)).andReturn().getResponse().getContentAsString();
    }

    private static void lose(LockHandle handle) {
        application.locks().forceRelease("work");
        await().atMost(LockedApplication.LONG).until(() -> !handle.isHeld());
    }

    @Test
    void aDeferredResultHoldsTheLockUntilItsRequestHasEnded() throws Exception {
        COMPLETIONS.set(0);
        MvcResult begun = begin("/deferred");
        assertThat(application.isHeld("work")).isTrue();
        DEFERRED.get().setResult("done");
        assertThat(end(begun)).isEqualTo("done");
        application.awaitFree("work");
        await().atMost(LockedApplication.LONG).until(() -> COMPLETIONS.get() == 1);
    }

    @Test
    void aDeferredResultWhoseLockWasLostFails() throws Exception {
        MvcResult begun = begin("/deferred");
        lose(HANDLE.get());
        DEFERRED.get().setResult("done");
        assertThat(WebAsyncUtils.getAsyncManager(begun.getRequest()).getConcurrentResult())
                .isInstanceOf(LockLostException.class);
    }

    @Test
    void aDeferredResultIsSetByTheLossIfConfigured() throws Exception {
        MvcResult begun = begin("/interruptedDeferred");
        application.locks().forceRelease("work");
        await().atMost(LockedApplication.LONG)
                .until(WebAsyncUtils.getAsyncManager(begun.getRequest())::hasConcurrentResult);
        assertThat(end(begun)).isEqualTo("lost work");
        assertThat(DEFERRED.get().setResult("done")).isFalse();
    }

    @Test
    void aDeferredResultOutsideOfARequestIsRefused() {
        assertThatIllegalStateException().isThrownBy(work::deferred).withMessageContaining("handles no request");
    }

    @Test
    void workOutsideOfARequestIsNotBegun() {
        RecordingLocks locks = new RecordingLocks();
        ProxyFactory factory = new ProxyFactory(new Outside());
        factory.setProxyTargetClass(true);
        factory.addAdvisor(new DistributedLockAdvisor(new DefaultListableBeanFactory(), () -> locks, 0));
        Outside outside = (Outside) factory.getProxy();

        assertThatIllegalStateException().isThrownBy(outside::deferred).withMessageContaining("handles no request");
        assertThatIllegalStateException().isThrownBy(outside::task).withMessageContaining("handles no request");
        assertThat(locks.events()).isEmpty();
    }

    static class Outside {

        @DistributedLocked("'work'")
        DeferredResult<String> deferred() {
            throw new AssertionError("called outside of a request");
        }

        @DistributedLocked("'work'")
        WebAsyncTask<String> task() {
            throw new AssertionError("called outside of a request");
        }
    }

    @Test
    void aTaskHoldsTheLockUntilItHasRun() throws Exception {
        MvcResult begun = begin("/task");
        assertThat(end(begun)).isEqualTo("work true");
        application.awaitFree("work");
    }

    @Test
    void aTaskWhoseLockIsLostFails() throws Exception {
        MvcResult begun = begin("/losing");
        assertThat(end(begun)).startsWith("lost ");
    }

    @Test
    void aTaskIsInterruptedByTheLossIfConfigured() throws Exception {
        MvcResult begun = begin("/interrupted");
        assertThat(end(begun)).startsWith("lost ");
    }

    @Test
    void aFutureInAResponseHoldsTheLockUntilItHasCompleted() throws Exception {
        CompletableFuture<String> body = new CompletableFuture<>();
        ResponseEntity<CompletableFuture<String>> response = work.response(body);
        assertThat(response.getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
        CompletableFuture<String> held = response.getBody();
        assertThat(application.isHeld("work")).isTrue();
        body.complete("done");
        assertThat(held).succeedsWithin(LockedApplication.LONG).isEqualTo("done");
        assertThat(application.isHeld("work")).isFalse();

        CompletableFuture<String> cancelled = new CompletableFuture<>();
        work.response(cancelled).getBody().cancel(true);
        assertThat(cancelled).isCancelled();
        application.awaitFree("work");

        CompletableFuture<String> lost = new CompletableFuture<>();
        CompletableFuture<String> failing = work.response(lost).getBody();
        lose(HANDLE.get());
        lost.complete("done");
        assertThat(failing)
                .failsWithin(LockedApplication.LONG)
                .withThrowableThat()
                .withCauseInstanceOf(LockLostException.class);
    }

    @RestController
    static class Work {

        @ExceptionHandler
        @ResponseStatus(HttpStatus.CONFLICT)
        public String lost(LockLostException loss) {
            return "lost " + loss.lockName();
        }

        @GetMapping("/deferred")
        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        public DeferredResult<String> deferred() {
            HANDLE.set(LockHandle.current().orElseThrow());
            DeferredResult<String> result = new DeferredResult<>(60_000L);
            result.onCompletion(COMPLETIONS::incrementAndGet);
            DEFERRED.set(result);
            return result;
        }

        @GetMapping("/interruptedDeferred")
        @DistributedLocked(key = "'work'", waitUpTo = "60s", whenLost = WhenLost.INTERRUPT)
        public DeferredResult<String> interruptedDeferred() {
            DeferredResult<String> result = new DeferredResult<>(60_000L);
            DEFERRED.set(result);
            return result;
        }

        @GetMapping("/task")
        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        public WebAsyncTask<String> task() {
            return new WebAsyncTask<>(60_000L, () -> {
                LockHandle handle = LockHandle.current().orElseThrow();
                return handle.name() + " " + application.isHeld("work");
            });
        }

        @GetMapping("/losing")
        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        public WebAsyncTask<String> losing() {
            return new WebAsyncTask<>(60_000L, () -> {
                lose(LockHandle.current().orElseThrow());
                return "done";
            });
        }

        @GetMapping("/interrupted")
        @DistributedLocked(key = "'work'", waitUpTo = "60s", whenLost = WhenLost.INTERRUPT)
        public WebAsyncTask<String> interrupted() {
            return new WebAsyncTask<>(60_000L, () -> {
                application.locks().forceRelease("work");
                return "" + new CountDownLatch(1).await(60, TimeUnit.SECONDS);
            });
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        public ResponseEntity<CompletableFuture<String>> response(CompletableFuture<String> body) {
            HANDLE.set(LockHandle.current().orElseThrow());
            return ResponseEntity.accepted().body(body);
        }
    }
}
