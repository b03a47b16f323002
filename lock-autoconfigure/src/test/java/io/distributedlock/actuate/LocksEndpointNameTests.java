/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockActivity;
import io.distributedlock.LockOperations;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.ExposableEndpoint;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.Operation;
import org.springframework.boot.actuate.endpoint.OperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.ParameterValueMapper;
import org.springframework.boot.actuate.endpoint.invoke.convert.ConversionServiceParameterValueMapper;
import org.springframework.boot.actuate.endpoint.jmx.annotation.JmxEndpointDiscoverer;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpointDiscoverer;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.mock.env.MockEnvironment;

/** The lock that an operation uses, called as Actuator does for JMX and for the web: the named one and no other. */
class LocksEndpointNameTests {

    private static final ParameterValueMapper CONVERSION = new ConversionServiceParameterValueMapper();

    private final List<String> used = new ArrayList<>();

    private final StaticApplicationContext context = new StaticApplicationContext();

    @BeforeEach
    void registerEndpoint() {
        LockOperations locks = (LockOperations) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LockOperations.class}, (proxy, method, arguments) -> {
                    used.add((String) arguments[0]);
                    return method.getName().equals("inspect") ? Optional.empty() : true;
                });
        context.registerBean(
                LocksEndpoint.class,
                () -> new LocksEndpoint(
                        locks,
                        () -> new LockActivity("here", true, true, List.of(), List.of()),
                        new InstanceLabel(new MockEnvironment()),
                        event -> {}));
        context.refresh();
    }

    @AfterEach
    void close() {
        context.close();
    }

    /** Spring would split the text at commas, and trim it. */
    @ParameterizedTest
    @ValueSource(strings = {"acme,42", "acme/42", "a,,b", ",", " padded ", "[a]"})
    void aNameOverJmxIsTakenAsItIs(String name) {
        JmxEndpointDiscoverer jmx = new JmxEndpointDiscoverer(context, CONVERSION, List.of(), List.of(), List.of());
        operations(jmx.getEndpoints()).stream()
                .filter(operation -> List.of("lock", "forceRelease").contains(operation.getName()))
                .forEach(operation -> invoke(operation, Map.of("path", name)));

        assertThat(used).containsExactly(name, name);
    }

    @Test
    void theSegmentsOfAPathMakeOneName() {
        WebEndpointDiscoverer web = new WebEndpointDiscoverer(
                context, CONVERSION, EndpointMediaTypes.DEFAULT, List.of(), List.of(), List.of(), List.of(), List.of());
        List<WebOperation> named = operations(web.getEndpoints()).stream()
                .filter(operation -> operation.getRequestPredicate().getPath().equals("locks/{*path}"))
                .toList();
        assertThat(named)
                .extracting(Operation::getType)
                .containsExactlyInAnyOrder(OperationType.READ, OperationType.DELETE);
        named.forEach(operation -> invoke(operation, Map.of("path", new String[] {"acme", "4,2", " x"})));

        assertThat(used).containsExactly("acme/4,2/ x", "acme/4,2/ x");
    }

    private static <O extends Operation> List<O> operations(Collection<? extends ExposableEndpoint<O>> endpoints) {
        return List.copyOf(endpoints.iterator().next().getOperations());
    }

    private static void invoke(Operation operation, Map<String, Object> arguments) {
        operation.invoke(new InvocationContext(
                SecurityContext.NONE,
                arguments,
                OperationArgumentResolver.of(SecurityContext.class, () -> SecurityContext.NONE)));
    }
}
