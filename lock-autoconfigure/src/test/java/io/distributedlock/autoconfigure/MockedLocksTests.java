/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import io.distributedlock.LockAssert;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.actuate.LocksEndpoint;
import io.distributedlock.actuate.LocksHealthIndicator;
import io.distributedlock.annotation.DistributedLocked;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import reactor.core.publisher.Mono;

/** A test of an application replaces the locks by a mock after all conditions were evaluated; it needs no Redis. */
@SpringJUnitConfig
@DirtiesContext
@TestPropertySource(
        properties = {
            "spring.data.redis.port=1",
            "management.endpoints.web.exposure.include=locks",
            "distributed-lock.warn.holding=300ms",
            "distributed-lock.deadlock.after=300ms"
        })
class MockedLocksTests {

    @MockitoBean
    private LockOperations locks;

    @Autowired
    private Work work;

    @Test
    void anAnnotatedMethodUsesTheMock() {
        LockHandle handle = mock(LockHandle.class);
        given(handle.isHeld()).willReturn(true);
        given(locks.acquire(any())).willReturn(handle);

        assertThat(work.run()).isEqualTo("work");
        verify(handle).close();
    }

    /** It has no name, and is not held. */
    @Test
    void aMockOfAHandleWithoutStubsIsNamedByTheAssertion() {
        given(locks.acquire(any())).willReturn(mock(LockHandle.class));

        assertThatIllegalStateException()
                .isThrownBy(work::runAsserted)
                .withMessageContaining("If it is a mock, stub its isHeld() to return true");
    }

    @Test
    void aMockThatReturnsNoHandleIsAnError() {
        assertThatIllegalStateException().isThrownBy(work::run).withMessageContaining("null");
    }

    @Test
    void aMockThatReturnsNoHandleIsAnErrorOfAFutureAndOfAPublisher() {
        given(locks.acquireAsync(any())).willReturn(CompletableFuture.completedFuture(null));

        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> work.future().join())
                .withMessageContaining("If it is a mock, stub acquireAsync");
        assertThatIllegalStateException()
                .isThrownBy(() -> work.mono().block(Duration.ofSeconds(30)))
                .withMessageContaining("If it is a mock, stub acquireAsync");
    }

    /** Its closeAsync() returns a completed stage, or null in older versions of Mockito. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMockOfAHandleIsEnoughForAFutureAPublisherAndSeveralLocks(boolean hasStage) {
        LockHandle handle = mock(LockHandle.class);
        given(handle.closeAsync()).willReturn(hasStage ? CompletableFuture.completedFuture(null) : null);
        given(locks.acquireAsync(any())).willReturn(CompletableFuture.completedFuture(handle));
        given(locks.acquire(any())).willReturn(handle);

        assertThat(work.future()).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("work");
        assertThat(work.mono().block(Duration.ofSeconds(30))).isEqualTo("work");
        assertThat(work.runWithTwo()).isEqualTo("work");
    }

    @Test
    void operatorsSeeNoLocks(
            @Autowired LocksHealthIndicator health,
            @Autowired LocksEndpoint endpoint,
            @Autowired MeterRegistry meters) {
        assertThat(health.health().getStatus()).isEqualTo(Status.UNKNOWN);
        assertThat(endpoint.locks(null, null, null, null)).isNotNull();
        assertThat(meters.get("distributed.lock.held").gauge().value()).isZero();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        DataRedisAutoConfiguration.class,
        DistributedLockAutoConfiguration.class,
        DistributedLockEndpointAutoConfiguration.class,
        DistributedLockHealthAutoConfiguration.class,
        DistributedLockMetricsAutoConfiguration.class
    })
    static class Application {

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @Bean
        Work work() {
            return new Work();
        }
    }

    static class Work {

        @DistributedLocked("'one'")
        @DistributedLocked("'other'")
        public String runWithTwo() {
            return "work";
        }

        @DistributedLocked("'mocked'")
        public String run() {
            return "work";
        }

        @DistributedLocked("'mocked'")
        public void runAsserted() {
            LockAssert.assertLocked();
        }

        @DistributedLocked("'mocked'")
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("work");
        }

        @DistributedLocked("'mocked'")
        public Mono<String> mono() {
            return Mono.just("work");
        }
    }
}
