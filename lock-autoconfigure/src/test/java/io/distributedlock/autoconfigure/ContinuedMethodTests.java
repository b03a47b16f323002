/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Annotated methods whose result goes on with the work: streams, and what Spring MVC fetches or writes later. */
@ExtendWith(OutputCaptureExtension.class)
class ContinuedMethodTests {

    private static final AtomicReference<SseEmitter> EMITTER = new AtomicReference<>();

    private static final AtomicReference<LockHandle> HANDLE = new AtomicReference<>();

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

    @Test
    void aStreamHoldsTheLockUntilItIsClosed() {
        try (Stream<Integer> stream = work.stream()) {
            assertThat(application.isHeld("work")).isTrue();
            assertThat(stream.toList()).containsExactly(1, 2, 3);
            assertThat(application.isHeld("work")).isTrue();
            assertThat(work.stream().toList()).isEmpty();
        }
        assertThat(application.isHeld("work")).isFalse();
    }

    @Test
    void aStreamThatIsClosedAfterALossReportsIt() {
        Stream<Integer> stream = work.stream();
        application.locks().forceRelease("work");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(stream::close);
    }

    @Test
    void aCallableHoldsTheLockUntilItHasRun() throws Exception {
        Callable<String> callable = work.callable();
        assertThat(application.isHeld("work")).isTrue();
        assertThat(callable.call()).isEqualTo("work");
        assertThat(application.isHeld("work")).isFalse();

        MvcResult result = mvc.perform(get("/callable")).andReturn();
        assertThat(mvc.perform(asyncDispatch(result)).andReturn().getResponse().getContentAsString())
                .isEqualTo("work");
    }

    @Test
    void aResponseHoldsTheLockUntilItIsWritten() throws Exception {
        for (String path : List.of("/body", "/response")) {
            MvcResult result = mvc.perform(get(path)).andReturn();
            assertThat(mvc.perform(asyncDispatch(result))
                            .andReturn()
                            .getResponse()
                            .getContentAsString())
                    .isEqualTo("work true");
            application.awaitFree("work");
        }
    }

    @Test
    void anEmitterHoldsTheLockUntilItIsComplete() throws Exception {
        MvcResult result = mvc.perform(get("/events")).andReturn();
        SseEmitter emitter = EMITTER.get();
        emitter.send("one");
        assertThat(application.isHeld("work")).isTrue();
        emitter.complete();
        mvc.perform(asyncDispatch(result));
        application.awaitFree("work");
    }

    @Test
    void theContinuationRunsOnce() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Callable<Integer> callable = work.later(HANDLE, runs::incrementAndGet);
        assertThat(callable.call()).isOne();
        assertThatIllegalStateException().isThrownBy(callable::call).withMessageContaining("'work'");
        StreamingResponseBody body = work.written(HANDLE, out -> runs.incrementAndGet());
        body.writeTo(OutputStream.nullOutputStream());
        assertThatIllegalStateException().isThrownBy(() -> body.writeTo(OutputStream.nullOutputStream()));
        assertThat(runs).hasValue(2);
    }

    @Test
    void theContinuationDoesNotRunAfterALoss() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Callable<Integer> callable = work.later(HANDLE, runs::incrementAndGet);
        lose();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(callable::call);
        StreamingResponseBody body = work.written(HANDLE, out -> runs.incrementAndGet());
        lose();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> body.writeTo(OutputStream.nullOutputStream()));
        assertThat(runs).hasValue(0);
        Callable<Integer> ignoring = work.ignoring(HANDLE, runs::incrementAndGet);
        lose();
        assertThat(ignoring.call()).isOne();
    }

    @Test
    void aLossInterruptsTheContinuationIfConfigured() {
        Callable<Integer> callable = work.interrupted(HANDLE, () -> {
            application.locks().forceRelease("work");
            assertThat(new CountDownLatch(1).await(60, TimeUnit.SECONDS)).isTrue();
            return 1;
        });
        assertThatExceptionOfType(LockLostException.class).isThrownBy(callable::call);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void aLossBeforeAResponseIsCompleteIsWrittenToTheLog(CapturedOutput output) throws Exception {
        MvcResult result = mvc.perform(get("/events")).andReturn();
        lose();
        EMITTER.get().complete();
        mvc.perform(asyncDispatch(result));
        await().atMost(LockedApplication.LONG)
                .untilAsserted(() -> assertThat(output.getAll()).contains("After the response had been written: "));
    }

    /** Takes the lock away, and goes on when its holder knows. */
    private static void lose() {
        LockHandle handle = HANDLE.get();
        application.locks().forceRelease("work");
        await().atMost(LockedApplication.LONG).until(() -> !handle.isHeld());
    }

    @RestController
    static class Work {

        @DistributedLocked("'work'")
        public Callable<Integer> later(AtomicReference<LockHandle> handle, Callable<Integer> body) {
            handle.set(LockHandle.current().orElseThrow());
            return body;
        }

        @DistributedLocked("'work'")
        public StreamingResponseBody written(AtomicReference<LockHandle> handle, StreamingResponseBody body) {
            handle.set(LockHandle.current().orElseThrow());
            return body;
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.IGNORE)
        public Callable<Integer> ignoring(AtomicReference<LockHandle> handle, Callable<Integer> body) {
            handle.set(LockHandle.current().orElseThrow());
            return body;
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.INTERRUPT)
        public Callable<Integer> interrupted(AtomicReference<LockHandle> handle, Callable<Integer> body) {
            handle.set(LockHandle.current().orElseThrow());
            return body;
        }

        @DistributedLocked(key = "'work'", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        public Stream<Integer> stream() {
            return Stream.of(1, 2, 3);
        }

        @GetMapping("/callable")
        @DistributedLocked("'work'")
        public Callable<String> callable() {
            return () -> LockHandle.current().orElseThrow().name();
        }

        @GetMapping("/body")
        @DistributedLocked("'work'")
        public StreamingResponseBody body() {
            return out -> {
                LockHandle handle = LockHandle.current().orElseThrow();
                out.write((handle.name() + " " + handle.isHeld()).getBytes());
            };
        }

        @GetMapping("/response")
        @DistributedLocked("'work'")
        public ResponseEntity<StreamingResponseBody> response() {
            return ResponseEntity.status(HttpStatus.ACCEPTED).body(body());
        }

        @GetMapping("/events")
        @DistributedLocked("'work'")
        public SseEmitter events() {
            HANDLE.set(LockHandle.current().orElseThrow());
            EMITTER.set(new SseEmitter(60_000L));
            return EMITTER.get();
        }
    }
}
