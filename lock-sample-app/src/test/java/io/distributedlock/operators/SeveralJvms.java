/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.Background;
import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TcpProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import tools.jackson.databind.JsonNode;

/** Three instances in separate JVMs, their data in Redis, and the check that a test leaves no keys. */
abstract class SeveralJvms {

    static final Duration LONG = Duration.ofSeconds(60);

    static EmbeddedRedis redis;

    static TcpProxy network;

    static OperatedInstance one;

    static OperatedInstance two;

    static OperatedInstance three;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        network = TcpProxy.to(redis.port());
        one = OperatedInstance.start(
                redis.port(), "spring.application.name=shop", "management.endpoint.locks.access=unrestricted");
        two = OperatedInstance.start(redis.port(), "distributed-lock.instance-label=till 2");
        three = OperatedInstance.start(
                network.port(), "distributed-lock.instance-label=till 3", "management.endpoint.locks.access=read-only");
        awaitFleet(one, 3);
    }

    @AfterAll
    static void stop() {
        Stream.<AutoCloseable>of(one, two, three, network, redis).forEach(each -> {
            try {
                each.close();
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
        });
    }

    @AfterEach
    void nothingIsLeft() {
        try (RespClient client = redis.connect()) {
            await().atMost(LONG).until(() -> client.keys("*").isEmpty());
        }
    }

    static JsonNode awaitFleet(OperatedInstance instance, int instances) {
        return awaitResponse(
                instance,
                "?scope=fleet",
                fleet -> fleet.path("instances").size() == instances
                        && fleet.path("instances")
                                .valueStream()
                                .allMatch(each -> each.path("answered").asBoolean()
                                        && each.path("subscribed").asBoolean()));
    }

    static JsonNode awaitResponse(OperatedInstance instance, String path, Predicate<JsonNode> expected) {
        return await().atMost(LONG).until(() -> instance.get(path), expected);
    }

    static JsonNode awaitLine(OperatedInstance instance, String name, int waiting) {
        return awaitResponse(
                instance,
                "/" + name,
                lock -> lock.path("waitingInstances").asInt() == waiting
                        && lock.at("/holder/answered").asBoolean());
    }

    static JsonNode only(JsonNode list, String name) {
        List<JsonNode> found = list.valueStream()
                .filter(each -> each.path("name").asString().equals(name))
                .toList();
        assertThat(found).as("%s in %s", name, list).hasSize(1);
        return found.get(0);
    }

    static Instant time(JsonNode of, String field) {
        return Instant.parse(of.path(field).asString());
    }

    static String label(OperatedInstance instance) {
        return instance == two
                ? "till 2"
                : instance == three
                        ? "till 3"
                        : one.get("").at("/instance/label").asString();
    }

    /** Releases the lock for which a caller has waited. */
    static void end(OperatedInstance of, String lane, String name, CompletableFuture<String> grant) {
        ChildJvm.await(grant, LONG);
        of.close(lane, name);
    }

    /** Does the same asynchronously, since the order of the grants is not fixed. */
    static CompletableFuture<?> ended(OperatedInstance of, String lane, String name, CompletableFuture<String> grant) {
        return grant.thenAcceptAsync(done -> of.close(lane, name), Background.newThread());
    }

    static void awaitAll(CompletableFuture<?>... all) {
        CompletableFuture.allOf(all)
                .orTimeout(LONG.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    static String field(String name, String field) {
        try (RespClient client = redis.connect()) {
            return client.text("HGET", "lock:{" + name + "}", field);
        }
    }

    static Duration ttl(String name) {
        try (RespClient client = redis.connect()) {
            return Duration.ofMillis(client.number("PTTL", "lock:{" + name + "}"));
        }
    }

    /** A time during an action of the test: clocks are read before and after it. */
    record Span(Instant from, Instant to) {

        static Span of(Runnable action) {
            Instant from = Instant.now();
            action.run();
            return new Span(from, Instant.now());
        }

        void contains(Instant time) {
            assertThat(time).isBetween(from.minus(Noise.now()), to.plus(Noise.now()));
        }
    }

    /** The paths of all fields; elements of a list count as one. */
    static SortedSet<String> fields(JsonNode of) {
        SortedSet<String> found = new TreeSet<>();
        of.forEachEntry((name, value) -> {
            found.add("/" + name);
            fields(value).forEach(below -> found.add("/" + name + below));
        });
        if (of.isArray()) {
            of.forEach(each -> found.addAll(fields(each)));
        }
        return found;
    }
}
