/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.PathContainer;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/**
 * Rejects a path of the endpoint {@code locks} with two slashes in a row or a slash at its end in a reactive
 * application: Spring Boot ignores empty segments, so the endpoint would use another lock than the named one. An
 * operation of an endpoint does not get the request, so a filter looks at it.
 *
 * <p>With a port for management, the filters of the application also apply to the context of that port, where the
 * endpoint is, and other requests are no concern of this one.
 */
final class LocksPathFilter implements WebFilter {

    private static final EndpointId LOCKS = EndpointId.of("locks");

    private final ApplicationContext application;

    private final Supplier<@Nullable PathPattern> paths;

    LocksPathFilter(ApplicationContext application) {
        this.application = application;
        this.paths = SingletonSupplier.ofNullable(() -> pathsIn(application));
    }

    private static @Nullable PathPattern pathsIn(ApplicationContext application) {
        PathMappedEndpoints endpoints =
                application.getBeanProvider(PathMappedEndpoints.class).getIfAvailable();
        String path = endpoints == null ? null : endpoints.getPath(LOCKS);
        return path == null ? null : PathPatternParser.defaultInstance.parse(path + "/{*name}");
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        PathContainer path = exchange.getRequest().getPath().pathWithinApplication();
        return hasEmptySegment(path.value()) && isOfEndpoint(exchange, path)
                ? Mono.error(new ResponseStatusException(
                        HttpStatus.BAD_REQUEST,
                        "Empty segments are not part of the name of a lock: use ?name= for a name with '//', or with"
                                + " '/' at its end"))
                : chain.filter(exchange);
    }

    private static boolean hasEmptySegment(String path) {
        return path.contains("//") || path.endsWith("/");
    }

    private boolean isOfEndpoint(ServerWebExchange exchange, PathContainer path) {
        boolean elsewhere = exchange.getApplicationContext() == application
                && ManagementPortType.get(application.getEnvironment()) == ManagementPortType.DIFFERENT;
        PathPattern endpoint = elsewhere ? null : paths.get();
        return endpoint != null && endpoint.matches(path);
    }
}
