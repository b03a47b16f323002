/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.observation.DefaultLockObservationConvention;
import io.distributedlock.observation.LockObservationContext;
import io.distributedlock.observation.LockObservationConvention;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.EmbeddedRedis;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** Waits and holds as observations in the caller's trace, for each kind of method, with a real Redis. */
class ObservedMethodTests {

    private static EmbeddedRedis redis;

    private final ObservationRegistry registry = ObservationRegistry.create();

    private final Recorder recorder = new Recorder();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class,
                    DistributedLockObservationAutoConfiguration.class))
            .withPropertyValues("spring.data.redis.port=" + redis.port(), TestRedis.PATIENT)
            .withBean(ObservationRegistry.class, () -> registry)
            .withBean(Shop.class);

    ObservedMethodTests() {
        registry.observationConfig().observationHandler(recorder);
    }

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    /** Writes down each lock observation when it stops, with the name of the observation around it. */
    private static final class Recorder implements ObservationHandler<Observation.Context> {

        final List<String> stopped = new CopyOnWriteArrayList<>();

        @Override
        public void onStop(Observation.Context context) {
            if (context instanceof LockObservationContext) {
                ObservationView around = context.getParentObservation();
                stopped.add((around == null ? "none" : around.getContextView().getName()) + " > "
                        + context.getContextualName() + " "
                        + context.getLowCardinalityKeyValues().stream()
                                .map(KeyValue::getValue)
                                .collect(Collectors.joining(",")));
            }
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    static class Shop {

        @DistributedLocked(name = "order", key = "'1'")
        public void pay(Runnable work) {
            work.run();
        }

        @DistributedLocked(name = "future", key = "'1'")
        public CompletableFuture<String> later() {
            return Background.supply(() -> "done");
        }

        @DistributedLocked(name = "reactive", key = "'1'")
        public Mono<String> reactive() {
            return Mono.just("done");
        }

        @DistributedLocked(name = "skipped", key = "'1'", whenBusy = WhenBusy.SKIP, waitUpTo = "0")
        public void skip() {}
    }

    private static final String WAITED = "request > lock wait %1$s %1$s,acquired,free,waiting";

    private static final String HELD = "request > lock hold %1$s %1$s,released,none,holding";

    @Test
    void waitingAndHoldingAreChildrenOfTheCallersObservation() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            Observation request = Observation.start("request", registry);
            request.scoped(() -> shop.pay(() -> shop.pay(() -> {})));

            assertThat(recorder.stopped).containsExactly(WAITED.formatted("order"), HELD.formatted("order"));
            assertThat(registry.getCurrentObservation()).isNull();
        });
    }

    @Test
    void thoseOfAFutureToo() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            CompletableFuture<String> future =
                    Observation.start("request", registry).scoped(() -> shop.later());
            future.join();

            assertThat(recorder.stopped).containsExactly(WAITED.formatted("future"), HELD.formatted("future"));
        });
    }

    @Test
    void thoseOfAPublisherBelongToItsSubscriber() {
        runner.run(context -> {
            Observation request = Observation.start("request", registry);
            context.getBean(Shop.class)
                    .reactive()
                    .contextWrite(values -> values.put("micrometer.observation", request))
                    .block();

            assertThat(recorder.stopped).containsExactly(WAITED.formatted("reactive"), HELD.formatted("reactive"));
            assertThat(registry.getCurrentObservation()).isNull();
        });
    }

    @Test
    void aCallThatIsSkipped() {
        runner.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            try (LockHandle other = locks.acquireAsync(LockRequest.of("skipped:1"))
                    .toCompletableFuture()
                    .join()) {
                assertThat(other.isHeld()).isTrue();
                context.getBean(Shop.class).skip();
            }

            assertThat(recorder.stopped).contains("none > lock wait skipped skipped,skipped,none,waiting");
        });
    }

    @Test
    void aConventionOfTheApplicationNamesThem() {
        runner.withBean(LockObservationConvention.class, () -> new DefaultLockObservationConvention() {
                    @Override
                    public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
                        return KeyValues.of("shop", "teapots");
                    }
                })
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    shop.pay(() -> {});
                    shop.later().join();
                    shop.reactive().block();
                    assertThat(recorder.stopped)
                            .containsExactly(
                                    "none > lock wait order teapots",
                                    "none > lock hold order teapots",
                                    "none > lock wait future teapots",
                                    "none > lock hold future teapots",
                                    "none > lock wait reactive teapots",
                                    "none > lock hold reactive teapots");
                });
    }

    @Test
    void theMonitorHasTheTraceOfTheHolder() {
        runner.run(context -> {
            MDC.put("traceId", "4bf92f3577b34da6");
            try {
                context.getBean(Shop.class)
                        .pay(() -> assertThat(context.getBean(LockMonitor.class)
                                        .activity()
                                        .held())
                                .singleElement()
                                .satisfies(held -> assertThat(held.traceId()).isEqualTo("4bf92f3577b34da6")));
            } finally {
                MDC.remove("traceId");
            }
        });
    }
}
