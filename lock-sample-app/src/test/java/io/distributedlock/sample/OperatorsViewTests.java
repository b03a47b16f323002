/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.actuate.LocksEndpoint;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.context.WebApplicationContext;
import tools.jackson.databind.JsonNode;

/** The view and the actions of an operator over HTTP. */
@ExtendWith(OutputCaptureExtension.class)
class OperatorsViewTests {

    private static RunningShop shop;

    private static RunningShop other;

    private static LockOperations locks;

    @BeforeAll
    static void start() {
        // No test here is about a time-out, and a busy machine may need more than two seconds for a thousand requests.
        // A third of the lease limits the time-out.
        String patient = "distributed-lock.command-timeout=20s";
        String lease = "distributed-lock.lease=60s";
        shop = RunningShop.start("a", "distributed-lock.instance-label=till 1", patient, lease);
        other = shop.startSecond("b", "management.endpoint.locks.access=read-only", patient, lease);
        locks = shop.context().getBean(LockOperations.class);
    }

    @AfterAll
    static void stop() {
        other.close();
        shop.close();
    }

    private static ResponseEntity<JsonNode> call(RunningShop to, HttpMethod method, String path) {
        return to.client()
                .method(method)
                .uri(URI.create(to.url() + "/actuator/" + path))
                .retrieve()
                .onStatus(status -> true, (request, response) -> {})
                .toEntity(JsonNode.class);
    }

    private static JsonNode get(RunningShop from, String path) {
        ResponseEntity<JsonNode> response = call(from, HttpMethod.GET, path);
        assertThat(response.getStatusCode().value()).as(path).isEqualTo(200);
        return response.getBody();
    }

    private static JsonNode named(JsonNode list, String name) {
        return list.valueStream()
                .filter(each -> each.path("name").asString().equals(name))
                .findAny()
                .orElseThrow(() -> new AssertionError(name + " is not in " + list));
    }

    @Test
    void theInstanceIsShown() {
        JsonNode instance = get(shop, "locks").path("instance");

        assertThat(instance.path("id").asString()).isNotBlank();
        assertThat(instance.path("label").asString()).isEqualTo("till 1");
        assertThat(instance.path("connected").asBoolean()).isTrue();
        assertThat(instance.path("subscribed").asBoolean()).isTrue();
        assertThat(get(other, "locks").path("instance").path("label").asString())
                .matches("shop@[^:/]+:\\d+/" + ProcessHandle.current().pid());
    }

    @Test
    void aHoldIsShown() {
        try (LockHandle outer = locks.acquire(LockRequest.of("held").lease(Duration.ofSeconds(30)));
                LockHandle inner = locks.acquire(LockRequest.of("held"))) {
            JsonNode held = named(get(shop, "locks").path("held"), "held");

            assertThat(held.path("fencingToken").asLong())
                    .isEqualTo(outer.fencingToken())
                    .isEqualTo(inner.fencingToken());
            assertThat(Instant.parse(held.path("since").asString()))
                    .isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
            assertThat(Duration.parse(held.path("remainingLease").asString()))
                    .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
            assertThat(held.path("caller").asString())
                    .isEqualTo(Thread.currentThread().getName());
            assertThat(held.path("reentries").asInt()).isEqualTo(1);
            assertThat(held.path("waiters").asInt()).isZero();
        }
    }

    @Test
    void waitersAndHoldersAreShownInBothInstances() {
        LockOperations elsewhere = other.context().getBean(LockOperations.class);
        LockRequest request = LockRequest.of("waited for").waitUpTo(Duration.ofSeconds(60));
        try (LockHandle holder = locks.acquire(request)) {
            CompletableFuture<LockHandle> waiter =
                    elsewhere.acquireAsync(request).toCompletableFuture();
            await().atMost(Duration.ofSeconds(30))
                    .until(
                            () -> locks.inspect("waited for").map(LockState::waitingInstances),
                            waiting -> waiting.equals(Optional.of(1)));

            JsonNode waiting = named(get(other, "locks").path("waiting"), "waited for");
            JsonNode here = get(shop, "locks/waited%20for");
            JsonNode there = get(other, "locks/waited%20for");

            String id = get(shop, "locks").path("instance").path("id").asString();
            assertThat(waiting.path("holder").asString()).isEqualTo(id);
            assertThat(Instant.parse(waiting.path("until").asString()))
                    .isAfter(Instant.parse(waiting.path("since").asString()));
            assertThat(here.path("held").asBoolean()).isTrue();
            assertThat(here.path("fencingToken").asLong()).isEqualTo(holder.fencingToken());
            assertThat(here.path("holder").path("instance").asString()).isEqualTo(id);
            assertThat(here.path("holder").path("label").asString()).isEqualTo("till 1");
            assertThat(here.path("holder").path("caller").asString())
                    .isEqualTo(Thread.currentThread().getName());
            assertThat(there.path("holder").path("instance").asString()).isEqualTo(id);
            // The other instance sends a request to the holder's instance, which has half a second for its reply.
            await().atMost(Duration.ofSeconds(30))
                    .until(
                            () -> get(other, "locks/waited%20for")
                                    .path("holder")
                                    .path("label")
                                    .asString(),
                            "till 1"::equals);
            assertThat(there.path("waiting").path(0).path("label").asString()).startsWith("shop@");
            // The instance of the waiter receives a request, too.
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                JsonNode line = get(shop, "locks/waited%20for").path("waiting");
                assertThat(line.size()).isEqualTo(1);
                assertThat(line.path(0).path("instance").asString())
                        .isEqualTo(
                                get(other, "locks").path("instance").path("id").asString());
                assertThat(line.path(0).path("label").asString()).startsWith("shop@");
            });
            assertThat(named(get(other, "locks").path("waiting"), "waited for")
                            .path("holderLabel")
                            .asString())
                    .isEqualTo("till 1");
            assertThat(there.path("waitingInstances").asInt()).isEqualTo(1);
            holder.close();
            waiter.join().close();
        }
    }

    /** The name of an explicit owner is no list of instances. */
    @Test
    void theHoldOfAnExplicitOwnerIsDescribedByAllInstances() {
        String owner = "billing, nightly";
        String thread = Thread.currentThread().getName();
        String id = get(shop, "locks").path("instance").path("id").asString();
        try (LockHandle handle = locks.acquire(LockRequest.of("owned").owner(owner))) {
            for (RunningShop each : List.of(shop, other)) {
                await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                    JsonNode holder = get(each, "locks/owned").path("holder");
                    assertThat(holder.path("instance").asString()).isEqualTo(owner);
                    assertThat(holder.path("instances").valueStream().map(JsonNode::asString))
                            .containsExactly(id);
                    assertThat(holder.path("answered").asBoolean()).isTrue();
                    assertThat(holder.path("label").asString()).isEqualTo("till 1");
                    assertThat(holder.path("caller").asString()).isEqualTo(thread);
                });
            }
            assertThat(handle.isHeld()).isTrue();
        }
    }

    /** A tracer writes the trace id to the log context. */
    @Test
    void theTraceOfTheHolderIsShownByAllInstances() {
        MDC.put("traceId", "4bf92f3577b34da6a3ce929d0e0e4736");
        try (LockHandle handle = locks.acquire(LockRequest.of("traced"))) {
            for (RunningShop each : List.of(shop, other)) {
                await().atMost(Duration.ofSeconds(30))
                        .untilAsserted(() -> assertThat(get(each, "locks/traced")
                                        .path("holder")
                                        .path("traceId")
                                        .asString(""))
                                .isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736"));
            }
            assertThat(handle.isHeld()).isTrue();
        } finally {
            MDC.remove("traceId");
        }
    }

    @Test
    void callersThatWaitInsideTheHoldersInstanceAreShownByAllInstances() {
        LockRequest request = LockRequest.of("local").waitUpTo(Duration.ofSeconds(60));
        LockHandle holder = locks.acquire(request);
        CompletableFuture<LockHandle> waiter = locks.acquireAsync(request).toCompletableFuture();

        for (RunningShop each : List.of(shop, other)) {
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                JsonNode lock = get(each, "locks/local");
                assertThat(lock.path("holder").path("waiters").asInt()).isEqualTo(1);
                assertThat(lock.path("waiting").size()).isEqualTo(1);
                assertThat(lock.path("waiting").path(0).path("label").asString())
                        .isEqualTo("till 1");
            });
        }
        holder.close();
        waiter.join().close();
    }

    @Test
    void aHoldShowsWhenItWasRenewed() {
        try (LockHandle handle = locks.acquire(LockRequest.of("renewed"))) {
            handle.extend(Duration.ofMinutes(2));

            assertThat(Instant.parse(named(get(shop, "locks").path("held"), "renewed")
                            .path("lastRenewal")
                            .asString("")))
                    .isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
        }
    }

    @Test
    void allInstancesAreShownByEachOfThem() {
        LockOperations elsewhere = other.context().getBean(LockOperations.class);
        LockRequest request = LockRequest.of("of the fleet").waitUpTo(Duration.ofSeconds(60));
        LockHandle holder = locks.acquire(request);
        CompletableFuture<LockHandle> waiter = elsewhere.acquireAsync(request).toCompletableFuture();
        String id = get(shop, "locks").path("instance").path("id").asString();

        for (RunningShop each : List.of(shop, other)) {
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                JsonNode fleet = get(each, "locks?scope=fleet");
                assertThat(fleet.path("complete").asBoolean()).isTrue();
                assertThat(fleet.path("instances").valueStream())
                        .hasSize(2)
                        .allMatch(found -> found.path("answered").asBoolean());
                JsonNode held = named(fleet.path("held"), "of the fleet");
                assertThat(held.path("instance").asString()).isEqualTo(id);
                assertThat(held.path("label").asString()).isEqualTo("till 1");
                assertThat(held.path("fencingToken").asLong()).isEqualTo(holder.fencingToken());
                JsonNode waiting = named(fleet.path("waiting"), "of the fleet");
                assertThat(waiting.path("label").asString()).startsWith("shop@");
                assertThat(waiting.path("holder").asString()).isEqualTo(id);
                assertThat(waiting.path("holderLabel").asString()).isEqualTo("till 1");
                assertThat(waiting.path("callers").asInt()).isEqualTo(1);
                assertThat(fleet.path("instance").path("id").asString())
                        .isEqualTo(
                                get(each, "locks").path("instance").path("id").asString());
            });
        }
        holder.close();
        waiter.join().close();
    }

    @Test
    void theFleetIsShownInPages() {
        LockOperations elsewhere = other.context().getBean(LockOperations.class);
        List<LockHandle> held = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            held.add((i % 3 == 0 ? elsewhere : locks).acquire(LockRequest.of("page " + (char) ('a' + i))));
        }
        List<String> names = new ArrayList<>();
        String after = "page";
        int pages = 0;
        while (after != null && ++pages < 20) {
            String query = "locks?scope=fleet&limit=4&after=" + URLEncoder.encode(after, StandardCharsets.UTF_8);
            JsonNode page = await().atMost(Duration.ofSeconds(30))
                    .until(
                            () -> get(shop, query),
                            fleet -> fleet.path("instances")
                                    .valueStream()
                                    .allMatch(each -> each.path("answered").asBoolean()));
            assertThat(page.path("held").size()).isLessThanOrEqualTo(4);
            page.path("held").forEach(each -> names.add(each.path("name").asString()));
            after = page.path("next").isNull() ? null : page.path("next").asString();
        }

        assertThat(names.stream().filter(name -> name.startsWith("page ")))
                .containsExactlyElementsOf(
                        held.stream().map(LockHandle::name).sorted().toList());
        held.forEach(LockHandle::close);
    }

    /** No page is longer than the request allows, so that no response grows with the number of holds. */
    @Test
    void moreThanAThousandHoldsOfAnInstanceAreShownInPages() {
        List<CompletableFuture<LockHandle>> acquisitions = IntStream.range(0, 1_200)
                .mapToObj(i -> locks.acquireAsync(LockRequest.of("many " + i)).toCompletableFuture())
                .toList();
        acquisitions.forEach(CompletableFuture::join);
        Set<String> names = new HashSet<>();
        String after = "many";
        int pages = 0;
        while (after != null && ++pages < 50) {
            JsonNode page = get(shop, "locks?after=" + URLEncoder.encode(after, StandardCharsets.UTF_8));
            assertThat(page.path("held").size()).isLessThanOrEqualTo(500);
            assertThat(page.path("heldTotal").asInt()).isGreaterThanOrEqualTo(1_200);
            page.path("held")
                    .forEach(each ->
                            assertThat(names.add(each.path("name").asString())).isTrue());
            after = page.path("next").isNull() ? null : page.path("next").asString();
        }

        assertThat(names.stream().filter(name -> name.startsWith("many "))).hasSize(1_200);
        assertThat(pages).isGreaterThanOrEqualTo(3);
        // A busy machine may confirm the last of so many releases too late.
        acquisitions.stream()
                .map(each -> each.join().closeAsync().toCompletableFuture().handle((done, unconfirmed) -> ""))
                .toList()
                .forEach(CompletableFuture::join);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"scope=all", "scope=fleet&limit=0", "scope=fleet&limit=501", "scope=fleet&limit=x", "limit=501"})
    void anInvalidRequestIsRefused(String query) {
        assertThat(call(shop, HttpMethod.GET, "locks?" + query).getStatusCode().value())
                .isEqualTo(400);
    }

    @Test
    void aFreeLockIsShownAsFree() {
        JsonNode free = get(shop, "locks/free");

        assertThat(free.path("name").asString()).isEqualTo("free");
        assertThat(free.path("held").asBoolean()).isFalse();
        assertThat(free.path("holder").isNull()).isTrue();
        assertThat(free.path("waiting").size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:b", "a%7Bb%7D", "a/b", "a%20b", "%C3%A9", "a%25b", "a.b", "a+b", "a%3Bb", "%22a%27"})
    void unusualNamesAreShownAndReleasedByForce(String path) {
        String name = URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        LockHandle handle = locks.acquire(LockRequest.of(name));

        assertThat(get(shop, "locks/" + path).path("holder").path("caller").asString())
                .as(name)
                .isEqualTo(Thread.currentThread().getName());
        assertThat(call(shop, HttpMethod.DELETE, "locks/" + path)
                        .getStatusCode()
                        .value())
                .isEqualTo(204);

        await().atMost(Duration.ofSeconds(30)).until(() -> !handle.isHeld());
        assertThat(locks.inspect(name)).isEmpty();
        assertThat(call(shop, HttpMethod.DELETE, "locks/" + path)
                        .getStatusCode()
                        .value())
                .isEqualTo(404);
    }

    /** Spring MVC passes the path to the endpoint without the part after the semicolon, or without the last slash. */
    @ParameterizedTest
    @ValueSource(strings = {"order;v=2", "order/"})
    void aPathThatSpringMvcChangesTakesAwayNoOtherLock(String path) {
        try (LockHandle order = locks.acquire(LockRequest.of("order"))) {
            assertThat(call(shop, HttpMethod.DELETE, "locks/" + path)
                            .getStatusCode()
                            .value())
                    .isEqualTo(400);
            assertThat(call(shop, HttpMethod.DELETE, "locks/other?name=order")
                            .getStatusCode()
                            .value())
                    .isEqualTo(404);
            assertThat(locks.inspect("order")).isPresent();
            assertThat(order.isHeld()).isTrue();
        }
    }

    @Test
    void aForcedReleaseIsAudited() {
        List<AuditEvent> audited = new CopyOnWriteArrayList<>();
        ApplicationListener<AuditApplicationEvent> listener = event -> audited.add(event.getAuditEvent());
        shop.context().addApplicationListener(listener);
        LockHandle handle = locks.acquire(LockRequest.of("audited"));

        call(shop, HttpMethod.DELETE, "locks/audited");
        call(shop, HttpMethod.DELETE, "locks/audited");

        assertThat(audited).extracting(AuditEvent::getType).containsOnly(LocksEndpoint.FORCE_RELEASED);
        assertThat(audited)
                .extracting(AuditEvent::getData)
                .containsExactly(
                        Map.of("lock", "audited", "released", true), Map.of("lock", "audited", "released", false));
        assertThat(audited).extracting(AuditEvent::getPrincipal).containsOnly("unknown");
        shop.context().removeApplicationListener(listener);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "/a//b/", "a;b?c=d&e#f", "%2F", "\\", "..", "\n", "\"'", "\uD83D\uDE00", "\u2028"})
    void everyNameIsShownAndTakenAwayByParameter(String name, CapturedOutput output) {
        LockHandle handle = locks.acquire(LockRequest.of("odd" + name));
        String path = "locks?name=odd" + URLEncoder.encode(name, StandardCharsets.UTF_8);

        assertThat(get(shop, path).path("name").asString()).isEqualTo("odd" + name);
        assertThat(get(shop, path).path("held").asBoolean()).isTrue();
        assertThat(call(shop, HttpMethod.DELETE, path).getStatusCode().value()).isEqualTo(204);
        assertThat(output).doesNotContain("odd\n");

        await().atMost(Duration.ofSeconds(30)).until(() -> !handle.isHeld());
    }

    /**
     * Half of a surrogate pair has no encoding in UTF-8, so no request can contain this name. The other names have to
     * be shown nevertheless.
     */
    @Test
    void aNameWithHalfOfASurrogatePairHidesNoOtherName() {
        LockHandle half = locks.acquire(LockRequest.of("half \uD83D"));
        LockHandle whole = locks.acquire(LockRequest.of("half \uD83D\uDE00"));

        for (JsonNode page : List.of(get(shop, "locks"), get(shop, "locks?scope=fleet&limit=500"))) {
            assertThat(page.path("held")
                            .valueStream()
                            .map(held -> held.path("name").asString()))
                    .contains("half \uD83D\uDE00")
                    .filteredOn(name -> name.startsWith("half "))
                    .hasSize(2);
        }
        half.close();
        whole.close();
    }

    /** Tomcat rejects an encoded slash before Spring receives the request. Another server may pass it on. */
    @Test
    void anEncodedSlashIsPartOfTheName() {
        MockMvcTester mvc = MockMvcTester.from((WebApplicationContext) shop.context());

        assertThat(mvc.get().uri(URI.create("/actuator/locks/order%2F7%2F%2Fx")))
                .bodyJson()
                .extractingPath("name")
                .isEqualTo("order/7//x");
    }

    @Test
    void nothingIsTakenAwayUnlessThatIsAllowed() {
        try (LockHandle handle = locks.acquire(LockRequest.of("safe"))) {
            assertThat(call(other, HttpMethod.DELETE, "locks/safe")
                            .getStatusCode()
                            .value())
                    .isEqualTo(405);
            assertThat(handle.isHeld()).isTrue();
        }
    }

    @Test
    void noResponseContainsASecret() {
        try (LockHandle ignored = locks.acquire(LockRequest.of("secret"))) {
            List<String> entry = shop.hash("shop:lock:{secret}");
            String responses = get(shop, "locks").toString()
                    + get(shop, "locks/secret")
                    + get(other, "locks/secret")
                    + get(other, "locks?scope=fleet&limit=500");

            assertThat(entry)
                    .isNotEmpty()
                    .filteredOn(field -> field.length() > 20)
                    .allSatisfy(secret -> assertThat(responses).doesNotContain(secret));
            assertThat(entry).anyMatch(field -> field.length() > 20);
        }
    }

    @Test
    void theHealthOfTheLocksIsShown() {
        JsonNode health = get(shop, "health").path("components").path("locks");

        assertThat(health.path("status").asString()).isEqualTo("UP");
        assertThat(health.path("details").properties())
                .extracting(Map.Entry::getKey)
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .contains("instance", "label", "connected", "subscribed");
    }
}
