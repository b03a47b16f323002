package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
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
class ContinuedMethodTests {

    private static final AtomicReference<SseEmitter> EMITTER = new AtomicReference<>();

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
    void aStreamThatIsClosedAfterALossSaysSo() {
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

    @RestController
    static class Work {

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
            EMITTER.set(new SseEmitter(60_000L));
            return EMITTER.get();
        }
    }
}
