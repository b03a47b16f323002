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
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.reactive.ReactiveLocks;
import io.reactivex.rxjava3.core.Single;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.FlowAdapters;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.reactive.server.FluxExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** The body of a response that Spring MVC or WebFlux writes after the locked method has returned. */
class PublisherInResponseTests {

    private static final Duration LONG = Duration.ofSeconds(10);

    private static final AtomicReference<Sinks.Many<String>> BODY = new AtomicReference<>();

    private static LockedApplication application;

    private final Work work = application.bean(Work.class);

    private final MockMvc mvc = MockMvcBuilders.standaloneSetup(work).build();

    private final WebTestClient webFlux = WebTestClient.bindToController(work)
            .configureClient()
            .responseTimeout(LONG)
            .build();

    @BeforeAll
    static void start() {
        application = new LockedApplication(Work.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void newBody() {
        BODY.set(Sinks.many().unicast().onBackpressureBuffer());
    }

    @AfterEach
    void leavesNothing() {
        body().tryEmitComplete();
        await().atMost(LONG).until(() -> application.keys().isEmpty());
        assertThat(LockHandle.current()).isEmpty();
    }

    private static Sinks.Many<String> body() {
        return BODY.get();
    }

    private static void awaitSubscribed() {
        await().atMost(LONG).until(() -> body().currentSubscriberCount() == 1);
    }

    private static void lose(String name) {
        await().atMost(LONG).until(() -> application.locks().forceRelease(name));
        await().atMost(LONG).until(() -> !application.isHeld(name));
    }

    private String end(MvcResult begun) throws Exception {
        return mvc.perform(asyncDispatch(begun)).andReturn().getResponse().getContentAsString();
    }

    // ---- Spring MVC

    @Test
    void mvcHoldsTheLockUntilTheMonoInAResponseHasEnded() throws Exception {
        MvcResult begun = mvc.perform(get("/mono-in")).andReturn();
        assertThat(application.isHeld("work")).isTrue();
        body().tryEmitNext("done");
        assertThat(end(begun)).isEqualTo("done");
        assertThat(begun.getResponse().getStatus()).isEqualTo(202);
        application.awaitFree("work");
    }

    @Test
    void mvcHoldsTheLockUntilTheFluxInAResponseHasEnded() throws Exception {
        MvcResult begun =
                mvc.perform(get("/flux-in").accept(MediaType.TEXT_EVENT_STREAM)).andReturn();
        body().tryEmitNext("one");
        await().atMost(LONG)
                .until(() -> begun.getResponse().getContentAsString().contains("one"));
        assertThat(application.isHeld("work")).isTrue();
        body().tryEmitComplete();
        application.awaitFree("work");
    }

    @Test
    void mvcFailsAResponseWhoseLockWasLost() throws Exception {
        MvcResult begun = mvc.perform(get("/mono-in")).andReturn();
        lose("work");
        body().tryEmitNext("done");
        body().tryEmitComplete();
        assertThat(end(begun)).isEqualTo("lost work");
    }

    @Test
    void mvcHoldsTheLockOfAMonoUntilTheBodyOfItsResponseHasEnded() throws Exception {
        MvcResult begun = mvc.perform(get("/mono-around").accept(MediaType.TEXT_EVENT_STREAM))
                .andReturn();
        begun.getAsyncResult();
        MvcResult dispatched = mvc.perform(asyncDispatch(begun)).andReturn();
        awaitSubscribed();
        assertThat(application.isHeld("work")).isTrue();
        body().tryEmitNext("one");
        body().tryEmitComplete();
        application.awaitFree("work");
        await().atMost(LONG)
                .until(() -> dispatched.getResponse().getContentAsString().contains("one"));
    }

    @Test
    void mvcReleasesAtTheEndOfTheRequestIfTheResponseIsNotWritten() throws Exception {
        MockMvc other = MockMvcBuilders.standaloneSetup(new Delegating(work)).build();
        MvcResult written = other.perform(get("/not-written")).andReturn();
        assertThat(written.getResponse().getContentAsString()).isEqualTo("held true");
        await().atMost(LONG).until(() -> !application.isHeld("work"));
    }

    @Test
    void mvcHoldsTheLockIfTheRequestContinuesAfterTheFirstThread() throws Exception {
        Delegating controller = new Delegating(work);
        MockMvcBuilders.standaloneSetup(controller).build().perform(get("/later"));
        body().tryEmitNext("done");
        assertThat(controller.response.getBody().block(LONG)).isEqualTo("done");
        application.awaitFree("work");
    }

    // ---- WebFlux

    @Test
    void webFluxHoldsTheLockUntilTheBodyHasEnded() {
        body().tryEmitNext("one");
        FluxExchangeResult<String> result = webFlux.get()
                .uri("/mono-around")
                .accept(MediaType.TEXT_EVENT_STREAM)
                .exchange()
                .expectStatus()
                .isAccepted()
                .returnResult(String.class);
        CompletableFuture<String> last = result.getResponseBody().last().toFuture();
        awaitSubscribed();
        assertThat(application.isHeld("work")).isTrue();
        assertThat(last).isNotDone();
        body().tryEmitComplete();
        assertThat(last).succeedsWithin(LONG).isEqualTo("one");
        application.awaitFree("work");
    }

    @Test
    void webFluxReleasesIfTheClientDisconnects() {
        body().tryEmitNext("one");
        Disposable client = webFlux.get()
                .uri("/mono-around")
                .accept(MediaType.TEXT_EVENT_STREAM)
                .exchange()
                .returnResult(String.class)
                .getResponseBody()
                .subscribe();
        awaitSubscribed();
        assertThat(application.isHeld("work")).isTrue();
        client.dispose();
        application.awaitFree("work");
        assertThat(body().currentSubscriberCount()).isZero();
    }

    // ---- without a web framework

    @Test
    void theBodyIsInTheLock() {
        ResponseEntity<Flux<String>> response = work.inside().block(LONG);
        assertThat(response.getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
        assertThat(response.getHeaders().getFirst("Made-By")).isEqualTo("work");
        assertThat(application.isHeld("work")).isTrue();
        assertThat(response.getBody().collectList().block(LONG)).containsExactly("work true", "entered");
        assertThat(application.isHeld("work")).isFalse();
    }

    @ParameterizedTest
    @MethodSource("downstreamsThatCancelOnTheValue")
    void theBodyIsInTheLockAfterADownstreamThatCancelsOnTheValue(
            Function<Mono<ResponseEntity<Flux<String>>>, ResponseEntity<Flux<String>>> downstream) {
        ResponseEntity<Flux<String>> response = downstream.apply(work.inside());
        assertThat(application.isHeld("work")).isTrue();
        assertThat(response.getBody().collectList().block(LONG)).containsExactly("work true", "entered");
        assertThat(application.isHeld("work")).isFalse();
    }

    static Stream<Named<Function<Mono<ResponseEntity<Flux<String>>>, ResponseEntity<Flux<String>>>>>
            downstreamsThatCancelOnTheValue() {
        return Stream.of(
                Named.of("next", mono -> mono.flux().hide().next().block(LONG)),
                Named.of("blockFirst", mono -> mono.flux().hide().blockFirst(LONG)),
                Named.of("take", mono -> mono.flux().hide().take(1).blockLast(LONG)),
                Named.of(
                        "publishOn",
                        mono -> mono.flux()
                                .publishOn(Schedulers.single())
                                .take(1)
                                .blockLast(LONG)),
                Named.of("toFuture", mono -> mono.toFuture().join()),
                Named.of(
                        "Uni",
                        mono -> Uni.createFrom()
                                .publisher(FlowAdapters.toFlowPublisher(mono))
                                .await()
                                .atMost(LONG)));
    }

    @Test
    void aUniOfAResponseHoldsTheLockUntilItsBodyHasEnded() {
        ResponseEntity<Uni<String>> response = work.ofUni().await().atMost(LONG);
        assertThat(application.isHeld("work")).isTrue();
        assertThat(response.getBody().await().atMost(LONG)).isEqualTo("held true");
        application.awaitFree("work");
    }

    @Test
    void theBodyIsOfTheTypeThatTheMethodReturns() {
        ResponseEntity<Multi<String>> response = work.ofMulti().await().atMost(LONG);
        assertThat(application.isHeld("work")).isTrue();
        Multi<String> multi = response.getBody();
        assertThat(multi.collect().asList().await().atMost(LONG)).containsExactly("held true");
        application.awaitFree("work");
    }

    /** The declared type of the body does not count, if a publisher gives the response. */
    @Test
    void aResponseOfAnythingHoldsTheLockUntilThePublisherInItHasEnded() {
        Flux<?> flux = (Flux<?>) work.ofAnything().block(LONG).getBody();
        assertThat(application.isHeld("work")).isTrue();
        assertThat(flux.blockLast(LONG)).isEqualTo("held true");
        assertThat(application.isHeld("work")).isFalse();
    }

    @Test
    void theBodyRunsOnce() {
        ResponseEntity<Flux<String>> response = work.inside().block(LONG);
        response.getBody().blockLast(LONG);
        assertThatIllegalStateException()
                .isThrownBy(() -> response.getBody().blockLast(LONG))
                .withMessageContaining("Call the locked method again");
    }

    @Test
    void aFailureOfTheBodyReleasesAndPassesOn() {
        ResponseEntity<Flux<String>> response = work.monoAround().block(LONG);
        body().tryEmitError(new IllegalStateException("broken"));
        assertThatIllegalStateException()
                .isThrownBy(() -> response.getBody().blockLast(LONG))
                .withMessage("broken");
        assertThat(application.isHeld("work")).isFalse();
    }

    @Test
    void aBodyWhoseLockIsLostBeforeItBeginsDoesNotRun() {
        ResponseEntity<Flux<String>> response = work.monoAround().block(LONG);
        lose("work");
        AtomicReference<Throwable> failure = new AtomicReference<>();
        response.getBody().subscribe(value -> {}, failure::set);
        await().atMost(LONG).until(() -> failure.get() != null);
        assertThat(failure.get()).isInstanceOf(LockLostException.class);
        assertThat(body().currentSubscriberCount()).isZero();
    }

    @Test
    void aLossCancelsTheBodyIfConfigured() {
        ResponseEntity<Flux<String>> response = work.interrupted().block(LONG);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        response.getBody().subscribe(value -> {}, failure::set);
        awaitSubscribed();
        lose("work");
        await().atMost(LONG).until(() -> failure.get() != null);
        assertThat(failure.get()).isInstanceOf(LockLostException.class);
        assertThat(body().currentSubscriberCount()).isZero();
    }

    @Test
    void aResponseWithoutAPublisherEndsTheLockWithItself() {
        assertThat(work.plain().block(LONG).getBody()).isEqualTo("plain");
        assertThat(application.isHeld("work")).isFalse();
        assertThat(work.ofSingle().blockingGet().getBody().blockingGet()).isEqualTo("single");
        assertThat(application.isHeld("work")).isFalse();
    }

    @Test
    void aMethodThatFailsOrIsCancelledReleases() {
        assertThatIllegalStateException()
                .isThrownBy(() -> work.failing().block(LONG))
                .withMessage("no response");
        assertThat(application.isHeld("work")).isFalse();
        Disposable subscription = work.never().subscribe();
        await().atMost(LONG).until(() -> application.isHeld("work"));
        subscription.dispose();
        application.awaitFree("work");
    }

    @Test
    void aResponseWithoutASubscriberReleasesWhenItIsGarbage() {
        work.shortLease().block(LONG);
        await().atMost(LONG).until(() -> {
            System.gc();
            return !application.isHeld("work");
        });
    }

    @Test
    void aThreadThatMustNotBlockIsRefused() {
        Mono<String> onEventLoop = Mono.fromCallable(
                        () -> work.monoIn().getStatusCode().toString())
                .subscribeOn(Schedulers.parallel());
        assertThatIllegalStateException()
                .isThrownBy(() -> onEventLoop.block(LONG))
                .withMessageContaining("Return a Mono<ResponseEntity<...>>");
        assertThat(application.isHeld("work")).isFalse();
    }

    /** Calls the locked method of another bean, and does not return its response. */
    @RestController
    static class Delegating {

        private final Work work;

        private ResponseEntity<Mono<String>> response;

        Delegating(Work work) {
            this.work = work;
        }

        @GetMapping("/not-written")
        public String notWritten() {
            response = work.monoIn();
            return "held " + application.isHeld("work");
        }

        @GetMapping("/later")
        public DeferredResult<String> later() {
            response = work.monoIn();
            return new DeferredResult<>();
        }
    }

    @RestController
    static class Work {

        @ExceptionHandler
        @ResponseStatus(HttpStatus.CONFLICT)
        public String lost(LockLostException loss) {
            return "lost " + loss.lockName();
        }

        @ExceptionHandler
        @ResponseStatus(HttpStatus.CONFLICT)
        public String busy(LockNotAcquiredException busy) {
            return "busy " + busy.lockName();
        }

        @GetMapping("/mono-in")
        @DistributedLocked("'work'")
        public ResponseEntity<Mono<String>> monoIn() {
            return ResponseEntity.accepted().body(body().asFlux().next());
        }

        @GetMapping("/flux-in")
        @DistributedLocked("'work'")
        public ResponseEntity<Flux<String>> fluxIn() {
            return ResponseEntity.accepted().body(body().asFlux());
        }

        @GetMapping("/mono-around")
        @DistributedLocked("'work'")
        public Mono<ResponseEntity<Flux<String>>> monoAround() {
            return Mono.fromSupplier(() -> ResponseEntity.accepted().body(body().asFlux()));
        }

        @DistributedLocked("'work'")
        public Mono<ResponseEntity<Flux<String>>> inside() {
            Flux<String> body = Flux.deferContextual(context -> {
                LockHandle handle = ReactiveLocks.current(context).orElseThrow();
                return Flux.just(handle.name() + " " + handle.isHeld(), "entered");
            });
            return Mono.just(ResponseEntity.accepted().header("Made-By", "work").body(body));
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.INTERRUPT)
        public Mono<ResponseEntity<Flux<String>>> interrupted() {
            return Mono.just(ResponseEntity.ok(body().asFlux()));
        }

        @DistributedLocked("'work'")
        public Mono<ResponseEntity<String>> plain() {
            return Mono.just(ResponseEntity.ok("plain"));
        }

        @DistributedLocked("'work'")
        public Single<ResponseEntity<Single<String>>> ofSingle() {
            return Single.just(ResponseEntity.ok(Single.just("single")));
        }

        @DistributedLocked("'work'")
        public Uni<ResponseEntity<Uni<String>>> ofUni() {
            return Uni.createFrom()
                    .item(() -> ResponseEntity.ok(Uni.createFrom().item(Work::held)));
        }

        @DistributedLocked("'work'")
        public Uni<ResponseEntity<Multi<String>>> ofMulti() {
            return Uni.createFrom()
                    .item(() -> ResponseEntity.ok(Multi.createFrom().item(Work::held)));
        }

        @DistributedLocked("'work'")
        public Mono<ResponseEntity<?>> ofAnything() {
            return Mono.just(ResponseEntity.ok(Mono.fromSupplier(Work::held).flux()));
        }

        private static String held() {
            return "held " + application.isHeld("work");
        }

        @DistributedLocked("'work'")
        public Mono<ResponseEntity<Flux<String>>> failing() {
            return Mono.error(new IllegalStateException("no response"));
        }

        @DistributedLocked("'work'")
        public Mono<ResponseEntity<Flux<String>>> never() {
            return Mono.never();
        }

        @DistributedLocked(key = "'work'", lease = "1s")
        public Mono<ResponseEntity<Flux<String>>> shortLease() {
            return Mono.just(ResponseEntity.ok(Flux.never()));
        }
    }
}
