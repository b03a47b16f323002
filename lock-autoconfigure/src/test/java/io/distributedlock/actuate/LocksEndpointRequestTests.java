/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.distributedlock.LockActivity;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockUnavailableException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpStatus;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The names that a request to the endpoint may have, and how the log shows them. */
class LocksEndpointRequestTests {

    private final List<String> used = new ArrayList<>();

    private Consumer<Object> listener = event -> {};

    private @Nullable RuntimeException failure;

    private final LocksEndpoint endpoint = new LocksEndpoint(
            (LockOperations) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {LockOperations.class}, (proxy, method, arguments) -> {
                        used.add((String) arguments[0]);
                        if (failure != null) {
                            throw failure;
                        }
                        return method.getName().equals("inspect") ? Optional.empty() : true;
                    }),
            () -> new LockActivity("here", true, true, List.of(), List.of()),
            new InstanceLabel(new MockEnvironment()),
            event -> listener.accept(event));

    /** Passes the path as Actuator does: without what Spring MVC has removed from it. */
    @RestController
    private final class Requests {

        @GetMapping("/locks/{*path}")
        void get(@PathVariable String path) {
            endpoint.lock(path.substring(1));
        }

        @DeleteMapping("/locks/{*path}")
        void delete(@PathVariable String path) {
            endpoint.forceRelease(SecurityContext.NONE, path.substring(1));
        }

        @ExceptionHandler(InvalidEndpointRequestException.class)
        @ResponseStatus(HttpStatus.BAD_REQUEST)
        void refuse() {}
    }

    private int status(MockHttpServletRequestBuilder request) throws Exception {
        MockMvc mvc = MockMvcBuilders.standaloneSetup(new Requests()).build();
        return mvc.perform(request).andReturn().getResponse().getStatus();
    }

    @ParameterizedTest
    @ValueSource(strings = {"order;v=2", "order;", "shop;v=2/order", "shop//order", "shop/order/"})
    void aPathThatSpringMvcChangesNamesNoLock(String path) throws Exception {
        assertThat(status(get(URI.create("/locks/" + path)))).isEqualTo(400);
        assertThat(status(delete(URI.create("/locks/" + path)))).isEqualTo(400);
        assertThat(used).isEmpty();
    }

    @Test
    void anEncodedSemicolonIsPartOfTheName() throws Exception {
        assertThat(status(get(URI.create("/locks/order%3Bv=2")))).isEqualTo(200);
        assertThat(status(delete(URI.create("/locks/shop/order%3Bv=2")))).isEqualTo(200);
        assertThat(used).containsExactly("order;v=2", "shop/order;v=2");
    }

    private static SecurityContext requestOf(@Nullable String name) {
        Principal user = () -> name;
        return new SecurityContext() {
            @Override
            public Principal getPrincipal() {
                return user;
            }

            @Override
            public boolean isUserInRole(String role) {
                return false;
            }
        };
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void theLogShowsNamesOnOneLineAndWithoutFormattingCharacters(CapturedOutput output) {
        endpoint.forceRelease(requestOf("eve\u202Emoc"), "order\u202E\n42");

        assertThat(output)
                .contains("Lock 'order\\u202E\\u000A42': taken away", "of user 'eve\\u202Emoc'")
                .doesNotContain("\u202E");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aListenerOfTheAuditEventThatFailsDoesNotChangeTheResponse(CapturedOutput output) {
        listener = event -> {
            throw new IllegalStateException("no table for audits");
        };

        assertThat(endpoint.forceRelease(SecurityContext.NONE, "order").getStatus())
                .isEqualTo(204);
        assertThat(output)
                .contains("A listener of the audit event LOCK_FORCE_RELEASED has failed", "no table for audits");
    }

    /** Such as the principal of a token without a subject. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aForcedReleaseByAUserWithoutANameIsReported(CapturedOutput output) {
        List<Object> audited = new ArrayList<>();
        listener = audited::add;

        assertThat(endpoint.forceRelease(requestOf(null), "order").getStatus()).isEqualTo(204);
        assertThat(output).contains("Lock 'order': taken away from its holder by a request to the locks endpoint");
        assertThat(audited)
                .singleElement()
                .satisfies(event ->
                        assertThat(event).extracting("auditEvent.principal").isEqualTo("unknown"));
    }

    /** Redis may have executed it. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aForcedReleaseWhoseThreadIsInterruptedIsReported(CapturedOutput output) {
        List<Object> audited = new ArrayList<>();
        listener = audited::add;
        failure = new LockInterruptedException("order", "The wait for the reply was interrupted", null);

        assertThatThrownBy(() -> endpoint.forceRelease(requestOf("eve"), "order"))
                .isSameAs(failure);
        assertThat(output)
                .contains("Lock 'order': Redis has not confirmed that it was taken away from its holder", "'eve'");
        assertThat(audited)
                .singleElement()
                .satisfies(event ->
                        assertThat(event).extracting("auditEvent.data.released").isEqualTo(false));
    }

    @Test
    void theReasonIsShownHoweverLongTheNameIs() {
        String name = "n".repeat(300);
        failure = new LockUnavailableException(name, "Lock '" + name + "' is unavailable: LOADING", null);

        assertThat(endpoint.lock(name))
                .extracting("body.error")
                .asString()
                .endsWith("... (300 characters)' is unavailable: LOADING");
    }
}
