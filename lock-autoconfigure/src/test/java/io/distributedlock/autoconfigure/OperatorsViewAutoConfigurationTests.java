/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockActivity;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.actuate.LocksEndpoint;
import io.distributedlock.actuate.LocksHealthIndicator;
import io.distributedlock.interceptor.RecordingLocks;
import io.distributedlock.observation.LockGauges;
import io.distributedlock.testing.EmbeddedRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** When there is an endpoint and a health indicator, and when not. */
class OperatorsViewAutoConfigurationTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final String EXPOSED = "management.endpoints.web.exposure.include=locks";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class,
                    DistributedLockEndpointAutoConfiguration.class,
                    DistributedLockHealthAutoConfiguration.class))
            .withPropertyValues("spring.data.redis.port=1", "distributed-lock.command-timeout=200ms");

    @Test
    void theEndpointIsThereIfItIsExposed() {
        runner.withPropertyValues(EXPOSED).run(context -> assertThat(context).hasSingleBean(LocksEndpoint.class));
        runner.run(context -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
    }

    /** It was an error of the server. */
    @Test
    void whatCanBeNoLockNameIsAMistakeOfTheRequest() {
        runner.withPropertyValues(EXPOSED).run(context -> {
            LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
            for (String name : List.of("", " ", "x".repeat(LockRequest.MAX_NAME_LENGTH + 1))) {
                assertRefused(() -> endpoint.locks(name, null, null, null));
                assertRefused(() -> endpoint.lock(name));
                assertRefused(() -> endpoint.forceRelease(SecurityContext.NONE, name));
                assertRefused(() -> endpoint.forceReleaseNamed(SecurityContext.NONE, name));
            }
        });
    }

    private static void assertRefused(ThrowingCallable request) {
        assertThatExceptionOfType(InvalidEndpointRequestException.class)
                .isThrownBy(request)
                .satisfies(refusal -> assertThat(refusal.getReason()).isEqualTo("No lock name"));
    }

    @Test
    void aLockIsNotAvailableWhileRedisIsAway() {
        runner.withPropertyValues(EXPOSED).run(context -> {
            LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
            for (Object response : List.of(
                    endpoint.lock(new String[] {"order", "42"}),
                    endpoint.locks("order/42", null, null, null),
                    endpoint.forceRelease(SecurityContext.NONE, new String[] {"order", "42"}),
                    endpoint.forceReleaseNamed(SecurityContext.NONE, "order/42"))) {
                assertThat(response)
                        .asInstanceOf(type(WebEndpointResponse.class))
                        .satisfies(refusal -> {
                            assertThat(refusal.getStatus()).isEqualTo(503);
                            assertThat(refusal.getBody()).asString().contains("order/42", "not connected to Redis");
                        });
            }
            assertThat(endpoint.locks(null, null, null, null)).isNotInstanceOf(WebEndpointResponse.class);
            assertThat(endpoint.locks(null, "fleet", null, null)).isNotInstanceOf(WebEndpointResponse.class);
        });
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aForcedReleaseTakesALockAwayFromAllItsReaders(CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            ApplicationContextRunner connected =
                    runner.withPropertyValues(EXPOSED, "spring.data.redis.port=" + redis.port(), TestRedis.PATIENT);
            connected.run(one -> connected.run(two -> {
                List<LockHandle> readers = List.of(reader(one), reader(one), reader(two));
                CountDownLatch lost = new CountDownLatch(3);
                readers.forEach(each -> each.onLost(lost::countDown));
                LocksEndpoint endpoint = one.getBean(LocksEndpoint.class);

                assertThat(endpoint.forceRelease(SecurityContext.NONE, "read").getStatus())
                        .isEqualTo(204);
                await().atMost(LONG).until(() -> readers.stream().noneMatch(LockHandle::isHeld));
                assertThat(endpoint.forceRelease(SecurityContext.NONE, "read").getStatus())
                        .isEqualTo(404);
                await().atMost(LONG).until(() -> lost.getCount() == 0);
                readers.forEach(each -> assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(each::close)
                        .withMessageContaining("taken away by a forced release"));
                assertThat(output)
                        .containsOnlyOnce("Lock 'read': taken away from its holder by a request to the locks endpoint")
                        .containsOnlyOnce("Lock 'read': free, so not taken away by a request to the locks endpoint");
            }));
        }
    }

    /** It would look like a lock of an instance that hangs. */
    @Test
    void aLockThatAnotherInstanceRetainsHasAnInstanceThatRepliesAndNoCaller() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            ApplicationContextRunner connected = runner.withPropertyValues(
                    EXPOSED,
                    "spring.data.redis.port=" + redis.port(),
                    TestRedis.PATIENT,
                    "distributed-lock.retention=60s");
            connected.run(one -> connected.run(two -> {
                one.getBean(LockOperations.class)
                        .acquire(LockRequest.of("retained"))
                        .close();
                LocksEndpoint endpoint = two.getBean(LocksEndpoint.class);

                await().atMost(Duration.ofSeconds(15))
                        .untilAsserted(() -> assertThat(endpoint.lock("retained"))
                                .asString()
                                .contains("held=true", "caller=null", "answered=true"));
            }));
        }
    }

    private static LockHandle reader(ApplicationContext context) {
        return context.getBean(LockOperations.class)
                .acquireAsync(LockRequest.of("read").mode(LockMode.SHARED))
                .toCompletableFuture()
                .join();
    }

    /** Jackson reads the responses by reflection, and the operations declare only that they return an object. */
    @Test
    void theResponsesAreReadableInANativeImage() {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, LocksEndpoint.class);
        for (String response : List.of("LocksDescriptor", "FleetDescriptor", "LockDescriptor$Holder")) {
            assertThat(hints)
                    .matches(RuntimeHintsPredicates.reflection()
                            .onType(TypeReference.of("io.distributedlock.actuate." + response)));
        }
    }

    @Test
    void theHealthIsDownWhileRedisIsAwayAndUpWithIt() {
        runner.run(context -> assertThat(
                        health(context.getBean(LocksHealthIndicator.class)).getStatus())
                .isEqualTo(Status.DOWN));
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            runner.withPropertyValues("spring.data.redis.port=" + redis.port(), TestRedis.PATIENT)
                    .run(context -> {
                        LocksHealthIndicator indicator = context.getBean(LocksHealthIndicator.class);
                        Health up = await().atMost(LONG)
                                .until(
                                        () -> health(indicator),
                                        health -> health.getStatus().equals(Status.UP));
                        assertThat(up.getDetails())
                                .containsEntry("connected", true)
                                .containsEntry("subscribed", true)
                                .containsEntry("held", 0);
                    });
        }
    }

    private static Health health(LocksHealthIndicator indicator) {
        return indicator.health();
    }

    @Test
    void whatIsHeldAndWaitedForIsCounted() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            runner.withPropertyValues("spring.data.redis.port=" + redis.port(), TestRedis.PATIENT)
                    .withConfiguration(AutoConfigurations.of(DistributedLockMetricsAutoConfiguration.class))
                    .withBean(SimpleMeterRegistry.class)
                    .run(context -> {
                        LockOperations locks = context.getBean(LockOperations.class);
                        MeterRegistry registry = context.getBean(MeterRegistry.class);
                        LockHandle held = locks.acquire(LockRequest.of("a"));
                        CompletableFuture<LockHandle> waiter = locks.acquireAsync(
                                        LockRequest.of("a").waitForever())
                                .toCompletableFuture();

                        assertThat(gauge(registry, "distributed.lock.held")).isOne();
                        assertThat(gauge(registry, "distributed.lock.waiting")).isOne();
                        held.close();
                        waiter.join().close();
                        assertThat(gauge(registry, "distributed.lock.held")).isZero();
                        assertThat(gauge(registry, "distributed.lock.waiting")).isZero();
                    });
        }
    }

    private static double gauge(MeterRegistry registry, String name) {
        return registry.get(name).gauge().value();
    }

    /** Nothing depends on them, so nothing else would create them. */
    @Test
    void theGaugesExistAlsoIfBeansAreLazy() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        runner.withConfiguration(AutoConfigurations.of(DistributedLockMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, () -> registry)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context ->
                        assertThat(gauge(registry, "distributed.lock.held")).isZero());
    }

    @Test
    void severalTemplatesAreNotShownAsOne() {
        runner.withPropertyValues(EXPOSED)
                .withConfiguration(AutoConfigurations.of(DistributedLockMetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withBean(
                        "first", LockMonitor.class, () -> () -> new LockActivity("", true, true, List.of(), List.of()))
                .withBean(
                        "second", LockMonitor.class, () -> () -> new LockActivity("", true, true, List.of(), List.of()))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(LocksEndpoint.class)
                        .doesNotHaveBean(LocksHealthIndicator.class)
                        .doesNotHaveBean(LockGauges.class));
    }

    @Test
    void theHealthCanBeSwitchedOff() {
        runner.withPropertyValues("management.health.locks.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(LocksHealthIndicator.class));
    }

    @Test
    void thereIsNothingForLocksOfTheApplication() {
        runner.withPropertyValues(EXPOSED)
                .withBean(RecordingLocks.class)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(LocksEndpoint.class)
                        .doesNotHaveBean(LocksHealthIndicator.class));
    }

    @Test
    void thereIsNothingWithoutActuator() {
        runner.withPropertyValues(EXPOSED)
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.actuate", "org.springframework.boot.health", "io.micrometer"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("locksEndpoint")
                        .doesNotHaveBean("locksHealthIndicator"));
    }

    @Test
    void thereIsNothingIfLocksAreSwitchedOff() {
        runner.withPropertyValues(EXPOSED, "distributed-lock.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(LocksEndpoint.class)
                        .doesNotHaveBean(LocksHealthIndicator.class));
    }
}
