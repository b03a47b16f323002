/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockMode;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TestLength;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Each response of the endpoint, with the holder, the waiters and the caller of the endpoint in separate JVMs. The
 * values are compared with those of Redis, of the processes and of the callers.
 */
@Tag(TestLength.FULL)
class EndpointOfSeveralJvmsTests extends SeveralJvms {

    /** How long the holder's instance has for its reply. */
    private static final Duration REPLY = Duration.ofMillis(500);

    private static final String METHOD = OperatedApplication.Work.class.getName() + "#run(String)";

    private static final Path PAGE = Path.of("..", "docs", "operations.md");

    private static final Pattern EXAMPLE = Pattern.compile("(?s)```json\\n(.*?)```");

    @Test
    void anInstanceIsThatOfItsProcess() {
        JsonNode instance = one.get("").path("instance");

        assertThat(instance.path("label").asString())
                .matches("shop@[^:/]+:" + one.port() + "/" + one.jvm().pid());
        assertThat(two.get("").at("/instance/label").asString()).isEqualTo("till 2");
        assertThat(instance.path("connected").asBoolean()).isTrue();
        assertThat(instance.path("subscribed").asBoolean()).isTrue();
        try (RespClient client = redis.connect()) {
            // The connections are named by the id and the process.
            assertThat(client.text("CLIENT", "LIST"))
                    .containsPattern(" name=lock:" + instance.path("id").asString() + "@[^ ]*:"
                            + one.jvm().pid() + " ");
        }
    }

    @Test
    void anInstanceShowsItsHoldsAndItsWaits() {
        one.jvm().ask("main", "trace", "4bf92f35");
        long[] token = new long[1];
        Span granted = Span.of(() -> token[0] = one.acquire("main", "held"));
        one.acquire("main", "held");
        CompletableFuture<String> inside = one.await("local", "held", LONG);
        CompletableFuture<String> method = one.jvm().send("method", "run", "run");
        Instant begin = Instant.now();
        CompletableFuture<String> limitedGrant = two.await("limited", "held", LONG);
        awaitResponse(two, "", found -> found.path("waitingTotal").asInt() == 1);
        Span requested = new Span(begin, Instant.now());
        CompletableFuture<String> unlimitedGrant = two.await("unlimited", "held");
        JsonNode all = awaitResponse(
                one,
                "",
                found -> found.path("heldTotal").asInt() == 2
                        && found.path("waitingTotal").asInt() == 1);
        JsonNode waits =
                awaitResponse(two, "", found -> found.path("waitingTotal").asInt() == 2);

        Duration before = ttl("held");
        JsonNode held = only(one.get("").path("held"), "held");
        Duration after = ttl("held");
        granted.contains(time(held, "since"));
        assertThat(held.path("fencingToken").asLong())
                .isEqualTo(token[0])
                .isEqualTo(Long.parseLong(field("held", "t")));
        assertThat(Duration.parse(held.path("remainingLease").asString())).isBetween(after.minus(Noise.now()), before);
        assertThat(held.path("caller").asString()).isEqualTo("lane-main");
        assertThat(held.path("traceId").asString()).isEqualTo("4bf92f35");
        assertThat(held.path("method").isNull()).isTrue();
        assertThat(held.path("reentries").asInt()).isEqualTo(1);
        assertThat(held.path("waiters").asInt()).isEqualTo(1);
        assertThat(held.path("lastRenewal").isNull()).isTrue();
        assertThat(held.path("mode").asString()).isEqualTo("EXCLUSIVE");
        JsonNode run = only(all.path("held"), "run");
        assertThat(run.path("method").asString()).isEqualTo(METHOD);
        assertThat(run.path("traceId").isNull()).isTrue();

        JsonNode limited = waits.path("waiting").path(0);
        assertThat(limited.path("name").asString()).isEqualTo("held");
        assertThat(limited.path("caller").asString()).isEqualTo("lane-limited");
        requested.contains(time(limited, "since"));
        assertThat(Duration.between(time(limited, "since"), time(limited, "until")))
                .isBetween(LONG.minusMillis(50), LONG.plusMillis(50));
        assertThat(limited.path("holder").asString()).isEqualTo(one.id());
        assertThat(limited.path("holderLabel").asString()).isEqualTo(label(one));
        JsonNode unlimited = waits.path("waiting").path(1);
        assertThat(unlimited.path("caller").asString()).isEqualTo("lane-unlimited");
        assertThat(unlimited.path("until").isNull()).isTrue();
        JsonNode local = all.path("waiting").path(0);
        assertThat(local.path("caller").asString()).isEqualTo("lane-local");
        assertThat(local.path("holder").asString()).isEqualTo(one.id());
        assertThat(local.path("holderLabel").asString()).isEqualTo(label(one));

        JsonNode first = one.get("?limit=1");
        assertThat(first.path("held").size()).isEqualTo(1);
        assertThat(first.path("next").asString()).isEqualTo("held");
        assertThat(first.path("heldTotal").asInt()).isEqualTo(2);
        JsonNode second = one.get("?limit=1&after=held");
        assertThat(second.at("/held/0/name").asString()).isEqualTo("run");
        assertThat(second.path("waiting").size()).isZero();
        assertThat(second.path("next").isNull()).isTrue();

        one.jvm().ask("test", "end", "run");
        ChildJvm.await(method, LONG);
        one.close("main", "held");
        one.close("main", "held");
        awaitAll(
                ended(one, "local", "held", inside),
                ended(two, "limited", "held", limitedGrant),
                ended(two, "unlimited", "held", unlimitedGrant));
    }

    @Test
    void aRenewedHoldShowsItsLastRenewalAndItsGrant() {
        Duration lease = Duration.ofMillis(1500);
        Span granted = Span.of(() -> one.acquire("main", "renewed", lease));

        JsonNode held = only(
                awaitResponse(one, "", all -> !all.at("/held/0/lastRenewal").isNull())
                        .path("held"),
                "renewed");
        Instant now = Instant.now();
        granted.contains(time(held, "since"));
        assertThat(time(held, "lastRenewal"))
                .isBetween(now.minus(lease.dividedBy(3)).minus(Noise.now()), now)
                .isAfter(time(held, "since").plus(lease.dividedBy(4)));
        assertThat(Duration.parse(held.path("remainingLease").asString()))
                .isPositive()
                .isLessThanOrEqualTo(lease);
        one.close("main", "renewed");
    }

    @Test
    void oneLockIsShownAlikeByAllInstances() {
        two.acquire("main", "next");
        one.jvm().ask("main", "trace", "4bf92f36");
        long[] token = new long[1];
        Span granted = Span.of(() -> token[0] = one.acquire("main", "lock"));
        CompletableFuture<String> third = three.await("main", "lock");
        awaitLine(one, "lock", 1);
        CompletableFuture<String> second = two.await("waiter", "lock");
        awaitLine(one, "lock", 2);
        CompletableFuture<String> local = one.await("local", "lock");
        CompletableFuture<String> chained = one.await("main", "next");
        awaitLine(one, "next", 1);

        for (OperatedInstance instance : List.of(one, two, three)) {
            Duration before = ttl("lock");
            JsonNode lock = awaitResponse(
                    instance,
                    "/lock",
                    found -> found.at("/holder/waiters").asInt() == 1
                            && found.path("waiting")
                                    .valueStream()
                                    .noneMatch(each -> each.path("label").isNull()));
            assertThat(lock.path("name").asString()).isEqualTo("lock");
            assertThat(lock.path("held").asBoolean()).isTrue();
            assertThat(lock.path("fencingToken").asLong()).isEqualTo(token[0]);
            assertThat(Duration.parse(lock.path("remainingLease").asString())).isBetween(ttl("lock"), before);
            assertThat(lock.path("waitingInstances").asInt()).isEqualTo(2);
            assertThat(lock.path("waiting")
                            .valueStream()
                            .map(each -> each.path("instance").asString()))
                    .containsExactly(three.id(), two.id(), one.id());
            assertThat(lock.path("waiting")
                            .valueStream()
                            .map(each -> each.path("label").asString()))
                    .containsExactly("till 3", "till 2", label(one));
            JsonNode holder = lock.path("holder");
            assertThat(holder.path("instance").asString()).isEqualTo(one.id());
            assertThat(holder.path("label").asString()).isEqualTo(label(one));
            assertThat(holder.path("caller").asString()).isEqualTo("lane-main");
            granted.contains(time(holder, "since"));
            assertThat(holder.path("waitingFor").valueStream().map(JsonNode::asString))
                    .containsExactly("next");
            assertThat(holder.path("method").isNull()).isTrue();
            assertThat(holder.path("answered").asBoolean()).isTrue();
            assertThat(holder.path("traceId").asString()).isEqualTo("4bf92f36");
            assertThat(holder.path("instances").valueStream().map(JsonNode::asString))
                    .containsExactly(one.id());
        }
        two.close("main", "next");
        end(one, "main", "next", chained);
        one.close("main", "lock");
        awaitAll(
                ended(one, "local", "lock", local),
                ended(two, "waiter", "lock", second),
                ended(three, "main", "lock", third));
    }

    @Test
    void theMethodOfAHolderInAnotherJvmIsShown() {
        CompletableFuture<String> method = one.jvm().send("method", "run", "elsewhere");

        JsonNode lock = awaitResponse(
                two, "/elsewhere", found -> found.at("/holder/answered").asBoolean());
        assertThat(lock.at("/holder/method").asString()).isEqualTo(METHOD);
        assertThat(lock.at("/holder/caller").asString()).isEqualTo("lane-method");
        assertThat(lock.at("/holder/waitingFor").size()).isZero();
        assertThat(lock.path("waiting").size()).isZero();
        one.jvm().ask("test", "end", "elsewhere");
        ChildJvm.await(method, LONG);
    }

    @Test
    void aFreeLockHasNoHolderAndNoLine() {
        JsonNode lock = two.get("/free");

        assertThat(lock.path("held").asBoolean(true)).isFalse();
        assertThat(Stream.of("fencingToken", "remainingLease", "holder").map(lock::get))
                .allMatch(JsonNode::isNull);
        assertThat(lock.path("waiting").isEmpty()).isTrue();
        assertThat(lock.path("waitingInstances").asInt()).isZero();
    }

    @Test
    void readersAndExplicitOwnersAreShownWithAllTheirInstances() {
        one.acquire("main", "read", LockMode.SHARED, "");
        two.acquire("main", "read", LockMode.SHARED, "");
        one.acquire("main", "owned", LockMode.EXCLUSIVE, "nightly, job");
        two.acquire("main", "owned", LockMode.EXCLUSIVE, "nightly, job");
        CompletableFuture<String> writer = three.await("writer", "read");
        awaitLine(three, "read", 1);

        JsonNode read = three.get("/read").path("holder");
        assertThat(read.path("instance").asString()).isEqualTo(one.id() + ", " + two.id());
        assertThat(only(two.get("").path("held"), "read").path("mode").asString())
                .isEqualTo("SHARED");
        JsonNode owned = three.get("/owned").path("holder");
        assertThat(owned.path("instance").asString()).isEqualTo("nightly, job");
        for (JsonNode holder : List.of(read, owned)) {
            assertThat(holder.path("instances").valueStream().map(JsonNode::asString))
                    .containsExactlyInAnyOrder(one.id(), two.id());
            assertThat(holder.path("caller").asString()).isEqualTo("lane-main");
        }
        JsonNode waits = three.get("").at("/waiting/0");
        assertThat(waits.path("holder").asString()).isEqualTo(one.id() + ", " + two.id());
        assertThat(waits.path("holderLabel").asString()).isEqualTo(label(one) + ", till 2");
        Stream.of(one, two).forEach(each -> {
            each.close("main", "read");
            each.close("main", "owned");
        });
        end(three, "writer", "read", writer);
    }

    @Test
    void theFleetIsShownAlikeByAllInstances() {
        long[] token = new long[1];
        Span granted = Span.of(() -> token[0] = one.acquire("main", "of the fleet"));
        Instant begin = Instant.now();
        CompletableFuture<String> first = two.await("first", "of the fleet", LONG);
        awaitLine(one, "of%20the%20fleet", 1);
        Span requested = new Span(begin, Instant.now());
        CompletableFuture<String> second = two.await("second", "of the fleet", LONG);
        awaitResponse(two, "", all -> all.path("waitingTotal").asInt() == 2);

        for (OperatedInstance each : List.of(one, two, three)) {
            JsonNode fleet = awaitFleet(each, 3);
            assertThat(fleet.at("/instance/id").asString()).isEqualTo(each.id());
            assertThat(fleet.path("complete").asBoolean()).isTrue();
            assertThat(fleet.path("next").isNull()).isTrue();
            for (OperatedInstance shown : List.of(one, two, three)) {
                JsonNode state = fleet.path("instances")
                        .valueStream()
                        .filter(found -> found.path("id").asString().equals(shown.id()))
                        .findAny()
                        .orElseThrow();
                assertThat(state.path("label").asString()).isEqualTo(label(shown));
                assertThat(state.path("connected").asBoolean()).isTrue();
                assertThat(state.path("held").asInt()).isEqualTo(shown == one ? 1 : 0);
                assertThat(state.path("waiting").asInt()).isEqualTo(shown == two ? 2 : 0);
            }
            JsonNode held = only(fleet.path("held"), "of the fleet");
            assertThat(held.path("instance").asString()).isEqualTo(one.id());
            assertThat(held.path("label").asString()).isEqualTo(label(one));
            assertThat(held.path("fencingToken").asLong()).isEqualTo(token[0]);
            assertThat(held.path("caller").asString()).isEqualTo("lane-main");
            granted.contains(time(held, "since"));
            JsonNode waiting = only(fleet.path("waiting"), "of the fleet");
            assertThat(waiting.path("instance").asString()).isEqualTo(two.id());
            assertThat(waiting.path("label").asString()).isEqualTo("till 2");
            assertThat(waiting.path("callers").asInt()).isEqualTo(2);
            assertThat(waiting.path("caller").asString()).isEqualTo("lane-first");
            requested.contains(time(waiting, "since"));
            assertThat(waiting.path("holder").asString()).isEqualTo(one.id());
            assertThat(waiting.path("holderLabel").asString()).isEqualTo(label(one));
        }
        one.close("main", "of the fleet");
        end(two, "first", "of the fleet", first);
        end(two, "second", "of the fleet", second);
    }

    @Test
    void aForcedReleaseReachesTheHolderInAnotherJvm() {
        long token = two.acquire("main", "forced");
        CompletableFuture<String> waiter = three.await("waiter", "forced");
        awaitLine(one, "forced", 1);

        assertThat(three.delete("forced")).as("read-only").isEqualTo(405);
        assertThat(one.delete("forced")).isEqualTo(204);
        assertThat(two.jvm().ask("main", "lost", "forced")).isEqualTo("forced");
        assertThat(Long.parseLong(ChildJvm.await(waiter, LONG))).isGreaterThan(token);
        assertThat(one.get("/forced").at("/holder/instance").asString()).isEqualTo(three.id());
        assertThat(one.jvm().errors())
                .containsOnlyOnce("Lock 'forced': taken away from its holder by a request to the locks endpoint");
        three.close("waiter", "forced");
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(one.delete("forced")).isEqualTo(404));
    }

    /** The effect is that of a long pause for garbage collection. */
    @Test
    void anInstanceThatHangsIsShownAsOneThatDoesNotReply() {
        long token = two.acquire("main", "hung");
        awaitFleet(one, 3);
        awaitFleet(three, 3);
        String id = two.id();
        Span granted = Span.of(() -> three.acquire("main", "beside"));
        two.jvm().signal("STOP");
        try {
            long begin = System.nanoTime();
            JsonNode lock = one.get("/hung");
            Duration took = Duration.ofNanos(System.nanoTime() - begin);

            assertThat(took).isLessThan(REPLY.plus(Noise.now()));
            assertThat(lock.path("held").asBoolean()).isTrue();
            assertThat(lock.path("fencingToken").asLong()).isEqualTo(token);
            JsonNode holder = lock.path("holder");
            assertThat(holder.path("answered").asBoolean(true)).isFalse();
            assertThat(holder.path("instance").asString()).isEqualTo(id);
            assertThat(holder.path("label").asString()).isEqualTo("till 2");
            assertThat(Stream.of("caller", "since", "method", "traceId").map(holder::get))
                    .allMatch(JsonNode::isNull);

            JsonNode fleet = awaitResponse(
                    one, "?scope=fleet", found -> found.path("held").size() == 1);
            JsonNode state = fleet.path("instances")
                    .valueStream()
                    .filter(each -> each.path("id").asString().equals(id))
                    .findAny()
                    .orElseThrow();
            assertThat(state.path("answered").asBoolean(true)).isFalse();
            assertThat(state.path("label").asString()).isEqualTo("till 2");
            assertThat(fleet.path("complete").asBoolean()).isTrue();
            granted.contains(time(fleet.at("/held/0"), "since"));
            assertThat(one.delete("hung")).isEqualTo(204);
        } finally {
            two.jvm().signal("CONT");
        }
        assertThat(two.jvm().ask("main", "lost", "hung")).isEqualTo("hung");
        three.close("main", "beside");
        awaitFleet(one, 3);
    }

    @Test
    void aKilledHolderIsShownUntilItsLeaseEnds() {
        OperatedInstance dying = OperatedInstance.start(redis.port(), "distributed-lock.instance-label=till 4");
        String id = dying.id();
        awaitFleet(one, 4);
        long token = dying.acquire("main", "orphaned", Duration.ofSeconds(6));
        CompletableFuture<String> waiter = three.await("waiter", "orphaned");
        awaitLine(one, "orphaned", 1);
        dying.jvm().signal("STOP");
        CompletableFuture<JsonNode> response = Background.supply(() -> one.get("/orphaned"));
        dying.jvm().signal("KILL");

        for (JsonNode lock : List.of(response.join(), one.get("/orphaned"))) {
            assertThat(lock.path("fencingToken").asLong()).isEqualTo(token);
            assertThat(lock.at("/holder/instance").asString()).isEqualTo(id);
            assertThat(lock.at("/holder/label").asString()).isEqualTo("till 4");
            assertThat(lock.at("/holder/answered").asBoolean(true)).isFalse();
            assertThat(lock.at("/waiting/0/label").asString()).isEqualTo("till 3");
        }
        assertThat(awaitFleet(one, 3)
                        .path("instances")
                        .valueStream()
                        .map(each -> each.path("id").asString()))
                .doesNotContain(id);
        assertThat(Long.parseLong(ChildJvm.await(waiter, LONG))).isGreaterThan(token);
        assertThat(one.get("/orphaned").at("/holder/instance").asString()).isEqualTo(three.id());
        three.close("waiter", "orphaned");
    }

    /** The holder dies before its key is in Redis, and before any request of an operator. */
    @Test
    void aHolderThatDiesSoonAfterItsGrantIsNamedWhereACallerHasWaited() {
        OperatedInstance dying = OperatedInstance.start(redis.port(), "distributed-lock.instance-label=till 5");
        String id = dying.id();
        CompletableFuture<String> waiter;
        try (RespClient messages = RespClient.connect(redis.port(), LONG)) {
            messages.call("SUBSCRIBE", "lock:instance:" + two.id());
            dying.acquire("main", "dies", Duration.ofSeconds(12));
            waiter = two.await("waiter", "dies", Duration.ofSeconds(4));
            awaitLabel(messages, "till 5");
        }
        dying.jvm().signal("KILL");

        assertThatThrownBy(() -> ChildJvm.await(waiter, LONG)).hasMessageContaining("is held by ");
        await().atMost(LONG)
                .untilAsserted(() -> assertThatThrownBy(
                                () -> ChildJvm.await(two.await("waiter", "dies", Duration.ofMillis(50)), LONG))
                        .hasMessageContaining("is held by till 5 (" + id + ")"));
        JsonNode holder = two.get("/dies").path("holder");
        assertThat(holder.path("instance").asString()).isEqualTo(id);
        assertThat(holder.path("label").asString()).isEqualTo("till 5");
        assertThat(holder.path("answered").asBoolean(true)).isFalse();
    }

    /** Waits for the reply of the holder's instance to the request of a waiter, which contains its label. */
    private static void awaitLabel(RespClient messages, String label) {
        String encoded = Base64.getUrlEncoder().withoutPadding().encodeToString(label.getBytes(StandardCharsets.UTF_8));
        String text;
        do {
            text = String.valueOf(((List<?>) messages.receive()).get(2));
        } while (!text.startsWith("tell ") || !text.contains(" ." + encoded + " "));
    }

    @Test
    void anInstanceWithoutItsConnectionsReportsThis() {
        network.refuse();
        network.cut();
        JsonNode instance = awaitResponse(
                        three,
                        "",
                        all -> !all.at("/instance/connected").asBoolean()
                                && !all.at("/instance/subscribed").asBoolean())
                .path("instance");

        assertThat(instance.path("label").asString()).isEqualTo("till 3");
        assertThat(awaitResponse(
                                one,
                                "?scope=fleet",
                                fleet -> fleet.path("instances").size() == 2)
                        .path("complete")
                        .asBoolean())
                .isTrue();
        network.accept();
        awaitFleet(one, 3);
    }

    @Test
    void theExamplesOfThePageHaveTheFieldsOfTheResponses() throws IOException {
        String page = Files.readString(PAGE);
        List<JsonNode> examples = EXAMPLE.matcher(page)
                .results()
                .map(found -> JsonMapper.shared().readTree(found.group(1)))
                .toList();
        one.acquire("main", "example");
        CompletableFuture<String> local = one.await("local", "example");
        CompletableFuture<String> other = two.await("waiter", "example");
        JsonNode lock = awaitLine(one, "example", 1);
        JsonNode instance = one.get("");
        JsonNode fleet = one.get("?scope=fleet");

        assertThat(examples.stream().map(SeveralJvms::fields)).containsExactly(fields(instance), fields(lock));
        assertThat(fields(fleet))
                .allSatisfy(field ->
                        assertThat(page).containsPattern("[`.]" + field.substring(field.lastIndexOf('/') + 1) + "`"));
        one.close("main", "example");
        awaitAll(ended(one, "local", "example", local), ended(two, "waiter", "example", other));
    }
}
