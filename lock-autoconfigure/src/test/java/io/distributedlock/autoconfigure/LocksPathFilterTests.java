/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.actuate.LocksEndpoint;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** Which requests to a reactive application are rejected since Spring Boot would change the name of the lock. */
class LocksPathFilterTests {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=locks";

    private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(
            EndpointAutoConfiguration.class,
            WebEndpointAutoConfiguration.class,
            DistributedLockEndpointAutoConfiguration.class);

    private final ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
            .withConfiguration(CONFIGURATIONS)
            .withBean(LockMonitor.class, LocksPathFilterTests::locks)
            .withPropertyValues(EXPOSED);

    private static LockMonitor locks() {
        return (LockMonitor) Proxy.newProxyInstance(
                LocksPathFilterTests.class.getClassLoader(),
                new Class<?>[] {LockOperations.class, LockMonitor.class},
                (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException();
                });
    }

    /** @param handledBy the context that has received the request */
    private static boolean isRejected(ApplicationContext application, ApplicationContext handledBy, String path) {
        AtomicBoolean passed = new AtomicBoolean();
        ServerWebExchange exchange =
                new ServerWebExchangeDecorator(MockServerWebExchange.from(
                        MockServerHttpRequest.get("/").build())) {
                    @Override
                    public ApplicationContext getApplicationContext() {
                        return handledBy;
                    }

                    @Override
                    public ServerHttpRequest getRequest() {
                        return MockServerHttpRequest.method(HttpMethod.DELETE, URI.create("http://localhost" + path))
                                .build();
                    }
                };
        Mono<Void> end = application.getBean(WebFilter.class).filter(exchange, passedOn -> {
            passed.set(true);
            return Mono.empty();
        });
        HttpStatus status = end.thenReturn(HttpStatus.OK)
                .onErrorResume(
                        ResponseStatusException.class,
                        ex -> Mono.just(HttpStatus.valueOf(ex.getStatusCode().value())))
                .block();
        assertThat(status).isEqualTo(passed.get() ? HttpStatus.OK : HttpStatus.BAD_REQUEST);
        return !passed.get();
    }

    @ParameterizedTest
    @ValueSource(strings = {"locks/a//b", "locks//a", "locks/a/", "locks/https://shop/x", "%6Cocks/a//b"})
    void aPathWithAnEmptySegmentIsRejected(String path) {
        reactive.run(context ->
                assertThat(isRejected(context, context, "/actuator/" + path)).isTrue());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/actuator/locks", "/actuator/locks/a/b", "/actuator/locks/a%2F%2Fb", "/locks/a//b", "/a/", "/"})
    void anyOtherPathIsNot(String path) {
        reactive.run(context -> assertThat(isRejected(context, context, path)).isFalse());
    }

    @Test
    void theEndpointMayHaveAnotherPath() {
        reactive.withPropertyValues(
                        "management.endpoints.web.base-path=/manage", "management.endpoints.web.path-mapping.locks=l")
                .run(context -> {
                    assertThat(isRejected(context, context, "/manage/l/a//b")).isTrue();
                    assertThat(isRejected(context, context, "/actuator/locks/a//b"))
                            .isFalse();
                });
    }

    /** The filters of the application also apply to the requests at the port for management. */
    @Test
    void withAPortForManagementRequestsToTheApplicationAreNotRejected() {
        reactive.withPropertyValues("server.port=8080", "management.server.port=8081")
                .run(context -> {
                    // The context itself, not the one for assertions.
                    ApplicationContext application = context.getSourceApplicationContext();
                    try (GenericApplicationContext management = new GenericApplicationContext(application)) {
                        assertThat(isRejected(application, management, "/actuator/locks/a//b"))
                                .isTrue();
                        assertThat(isRejected(application, application, "/actuator/locks/a//b"))
                                .isFalse();
                    }
                });
    }

    @Test
    void withoutTheEndpointThereIsNoFilter() {
        reactive.withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> assertThat(context).doesNotHaveBean(WebFilter.class));
        new ApplicationContextRunner()
                .withConfiguration(CONFIGURATIONS)
                .withClassLoader(new FilteredClassLoader("org.springframework.web", "reactor"))
                .withBean(LockMonitor.class, LocksPathFilterTests::locks)
                .withPropertyValues(EXPOSED)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(LocksEndpoint.class));
    }
}
