/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.EmbeddedRedis;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The endpoint, the health and the meters in a reactive application, through its web server. */
class ReactiveOperatorsViewTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static EmbeddedRedis redis;

    private static ConfigurableApplicationContext application;

    private static LockOperations locks;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.REACTIVE)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.data.redis.port=" + redis.port(),
                        "distributed-lock.command-timeout=10s",
                        "distributed-lock.instance-label=reactive till",
                        "management.endpoints.web.exposure.include=health,locks,metrics",
                        "management.endpoint.locks.access=unrestricted",
                        "management.endpoint.health.show-details=always",
                        "management.endpoint.health.probes.enabled=true")
                .run();
        locks = application.getBean(LockOperations.class);
        LockMonitor monitor = application.getBean(LockMonitor.class);
        await().atMost(LONG).until(() -> monitor.activity().subscribed());
    }

    @AfterAll
    static void stop() {
        application.close();
        redis.close();
    }

    private record Response(int statusCode, String body) {}

    /** Opens a new connection, since the server may be closing one that was kept. */
    private static Response call(String method, String path) throws IOException {
        URI uri = URI.create("http://localhost:" + application.getEnvironment().getProperty("local.server.port")
                + "/actuator/" + path);
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setRequestMethod(method);
        connection.setRequestProperty("Connection", "close");
        connection.setReadTimeout((int) LONG.toMillis());
        int status = connection.getResponseCode();
        try (InputStream body = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            return new Response(status, body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static String get(String path) {
        Response response = look(path);
        assertThat(response.statusCode()).as(path).isEqualTo(200);
        return response.body();
    }

    /**
     * Reactor may interrupt the thread of a request for one that has just ended; the server closes the connection then.
     */
    private static Response look(String path) {
        return await().ignoreExceptionsInstanceOf(SocketException.class)
                .until(() -> call("GET", path), response -> true);
    }

    @Test
    void theInstanceAndTheFleetAreShown() throws Exception {
        try (LockHandle held = locks.acquire(LockRequest.of("shown"))) {
            assertThat(get("locks"))
                    .contains("\"label\":\"reactive till\"", "\"name\":\"shown\"", "" + held.fencingToken());
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(get("locks?scope=fleet&limit=10"))
                            .contains("\"complete\":true", "\"name\":\"shown\""));
            assertThat(look("locks?scope=fleet&limit=0").statusCode()).isEqualTo(400);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"order:7", "a%20b", "a/b", "%C3%A9", "a%25b", "a+b", "a%2Cb", "a%3Bb"})
    void aLockIsShownAndTakenAwayByItsPath(String path) throws Exception {
        String name = URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        LockHandle held = locks.acquire(LockRequest.of(name));

        assertThat(get("locks/" + path))
                .contains(
                        "\"held\":true",
                        "\"caller\":\"" + Thread.currentThread().getName() + "\"");
        assertThat(call("DELETE", "locks/" + path).statusCode()).isEqualTo(204);
        await().atMost(LONG).until(() -> !held.isHeld());
        assertThat(call("DELETE", "locks/" + path).statusCode()).isEqualTo(404);
        assertThat(get("locks/" + path)).contains("\"held\":false");
    }

    /** Spring Boot ignores empty segments: another lock would be shown, or taken away. */
    @ParameterizedTest
    @ValueSource(strings = {"shop//order", "/shop/order", "shop/order/", "shop/order//", "https://shop/x"})
    void aPathWithAnEmptySegmentNamesNoLock(String path) throws Exception {
        try (LockHandle held = locks.acquire(LockRequest.of("shop/order"))) {
            assertThat(look("locks/" + path).statusCode()).isEqualTo(400);
            assertThat(call("DELETE", "locks/" + path).statusCode()).isEqualTo(400);
            held.throwIfLost();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%2Fb", "%2F%2Fa%2F", "a%3Bb%3Fc", "..", "%5C"})
    void everyNameIsShownAndTakenAwayByParameter(String encoded) throws Exception {
        String name = URLDecoder.decode(encoded, StandardCharsets.UTF_8);
        LockHandle held = locks.acquire(LockRequest.of(name));

        assertThat(get("locks?name=" + encoded)).contains("\"held\":true");
        assertThat(call("DELETE", "locks?name=" + encoded).statusCode()).isEqualTo(204);
        await().atMost(LONG).until(() -> !held.isHeld());
        assertThat(call("DELETE", "locks?name=" + encoded).statusCode()).isEqualTo(404);
    }

    @Test
    void theHealthIsShownAndIsNotPartOfReadiness() throws Exception {
        assertThat(get("health")).contains("\"locks\":{", "\"subscribed\":true", "\"label\":\"reactive till\"");
        assertThat(get("health/locks")).contains("\"status\":\"UP\"");
        assertThat(get("health/readiness")).doesNotContain("\"locks\"");
    }

    @Test
    void theMetersAreThere() throws Exception {
        locks.acquire(LockRequest.of("measured")).close();

        assertThat(get("metrics/distributed.lock.wait")).contains("\"outcome\"", "\"acquired\"");
        assertThat(get("metrics/distributed.lock.held")).contains("\"VALUE\"");
    }
}
