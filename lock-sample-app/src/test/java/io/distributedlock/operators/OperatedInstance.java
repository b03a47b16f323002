/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.operators;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockMode;
import io.distributedlock.testing.ChildJvm;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.JsonNode;

/** An {@link OperatedApplication} as the test sees it: its process, and its endpoint over HTTP. */
record OperatedInstance(ChildJvm jvm, String port, RestClient client) implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(30);

    private static final Duration NO_LIMIT = Duration.ofSeconds(-1);

    static OperatedInstance start(int redisPort, String... properties) {
        ChildJvm jvm = ChildJvm.start(
                OperatedApplication.class,
                Stream.concat(
                                Stream.of(
                                        "server.port=0",
                                        "spring.data.redis.port=" + redisPort,
                                        "spring.main.banner-mode=off",
                                        "spring.threads.virtual.enabled=false",
                                        "distributed-lock.key-prefix=lock:",
                                        "distributed-lock.lease=" + LEASE,
                                        "distributed-lock.deadlock.resolve=false",
                                        "distributed-lock.deadlock.after=10s",
                                        "management.endpoints.web.exposure.include=locks"),
                                Stream.of(properties))
                        .map(property -> "--" + property)
                        .toArray(String[]::new));
        String port = jvm.ask("test", "property", "local.server.port");
        return new OperatedInstance(jvm, port, RestClient.create("http://localhost:" + port));
    }

    ResponseEntity<JsonNode> call(HttpMethod method, String path) {
        return client.method(method)
                .uri(URI.create("http://localhost:" + port + "/actuator/locks" + path))
                .retrieve()
                .onStatus(status -> true, (request, response) -> {})
                .toEntity(JsonNode.class);
    }

    JsonNode get(String path) {
        ResponseEntity<JsonNode> response = call(HttpMethod.GET, path);
        assertThat(response.getStatusCode().value()).as(path).isEqualTo(200);
        return response.getBody();
    }

    int delete(String name) {
        return call(HttpMethod.DELETE, "/" + name).getStatusCode().value();
    }

    String id() {
        return get("?limit=1").at("/instance/id").asString();
    }

    /** Acquires a lock that is free, and returns its token. */
    long acquire(String lane, String name, Duration lease) {
        return Long.parseLong(jvm.ask(lane, "acquire", name, lease, Duration.ZERO, LockMode.EXCLUSIVE, ""));
    }

    long acquire(String lane, String name) {
        return acquire(lane, name, LEASE);
    }

    long acquire(String lane, String name, LockMode mode, String owner) {
        return Long.parseLong(jvm.ask(lane, "acquire", name, LEASE, Duration.ZERO, mode, owner));
    }

    /** Completes with the token when the lock is acquired. */
    CompletableFuture<String> await(String lane, String name, Duration wait) {
        return jvm.send(lane, "acquire", name, LEASE, wait, LockMode.EXCLUSIVE, "");
    }

    CompletableFuture<String> await(String lane, String name) {
        return await(lane, name, NO_LIMIT);
    }

    void close(String lane, String name) {
        jvm.ask(lane, "close", name);
    }

    @Override
    public void close() {
        jvm.close();
    }
}
