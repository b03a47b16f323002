/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.FleetReport;
import io.distributedlock.InstanceReport;
import io.distributedlock.LockActivity;
import io.distributedlock.LockHandle;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** What one instance finds out about the others, by messages through a real Redis. */
@ExtendWith(OutputCaptureExtension.class)
abstract class FleetContract {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final String ODD = "a b;c,d{e}%\n\u00fc.\"<b>";

    private static final String PREFIX = "odd[*]?\\:";

    private static final int PAGE = 400;

    private final TestRedis redis;

    private final int holds;

    private final ApplicationContextRunner runner;

    /** @param holds of one instance, a multiple of a page */
    FleetContract(TestRedis redis, int holds) {
        this.redis = redis;
        this.holds = holds;
        this.runner = redis.application().withPropertyValues("distributed-lock.key-prefix=" + PREFIX);
    }

    @BeforeEach
    void forgetAll() {
        redis.onAll(client -> client.call("FLUSHALL"));
    }

    private static LockOperations locks(ApplicationContext context) {
        return context.getBean(LockOperations.class);
    }

    private static LockMonitor monitor(ApplicationContext context) {
        return context.getBean(LockMonitor.class);
    }

    private static String id(ApplicationContext context) {
        return monitor(context).activity().instance();
    }

    /** Two applications that hear each other. */
    private void two(BiConsumer<ApplicationContext, ApplicationContext> test) {
        runner.withPropertyValues("distributed-lock.instance-label=till 1")
                .run(one -> runner.withPropertyValues("distributed-lock.instance-label=till 2")
                        .run(two -> {
                            for (ApplicationContext each : List.of(one, two)) {
                                await().atMost(LONG)
                                        .until(() -> monitor(each).activity().subscribed());
                            }
                            test.accept(one, two);
                        }));
    }

    private static FleetReport wholeFleet(ApplicationContext requester, int instances) {
        return await().atMost(LONG)
                .until(
                        () -> monitor(requester).fleet("", 500),
                        fleet -> fleet.instances().size() == instances
                                && fleet.instances().stream().allMatch(InstanceReport::replied));
    }

    private static void awaitWaiting(ApplicationContext requester, String name, int instances) {
        await().atMost(LONG)
                .until(
                        () -> locks(requester).inspect(name).map(LockState::waitingInstances),
                        waiting -> waiting.equals(Optional.of(instances)));
    }

    @Test
    void allInstancesReportTheirHoldsAndWaits() {
        two((one, two) -> {
            LockHandle held = locks(one).acquire(LockRequest.of(ODD));
            CompletableFuture<LockHandle> waiter =
                    locks(two).acquireAsync(LockRequest.of(ODD).waitUpTo(LONG)).toCompletableFuture();
            awaitWaiting(one, ODD, 1);

            for (ApplicationContext requester : List.of(one, two)) {
                FleetReport fleet = wholeFleet(requester, 2);
                assertThat(fleet.complete()).isTrue();
                assertThat(fleet.instances())
                        .extracting(InstanceReport::instance)
                        .startsWith(id(requester));
                InstanceReport holder = report(fleet, id(one));
                assertThat(holder.label()).isEqualTo("till 1");
                assertThat(holder.heldTotal()).isEqualTo(1);
                assertThat(holder.held()).singleElement().satisfies(hold -> {
                    assertThat(hold.name()).isEqualTo(ODD);
                    assertThat(hold.fencingToken()).isEqualTo(held.fencingToken());
                    assertThat(hold.caller()).isEqualTo(Thread.currentThread().getName());
                });
                InstanceReport waiting = report(fleet, id(two));
                assertThat(waiting.label()).isEqualTo("till 2");
                assertThat(waiting.held()).isEmpty();
                assertThat(waiting.waiting()).singleElement().satisfies(wait -> {
                    assertThat(wait.longest().name()).isEqualTo(ODD);
                    assertThat(wait.longest().remainingWait()).isLessThanOrEqualTo(LONG);
                    assertThat(wait.callers()).isEqualTo(1);
                });
            }
            held.close();
            waiter.join().close();
        });
    }

    private static InstanceReport report(FleetReport fleet, String id) {
        return fleet.instances().stream()
                .filter(each -> each.instance().equals(id))
                .findAny()
                .orElseThrow();
    }

    /** A busy machine may delay the reply about the label beyond its limit, so the first pair may fail. */
    @Test
    void theFirstInspectionShowsTheLabelOfTheHoldersInstance() {
        await().atMost(LONG).untilAsserted(this::inspectOnceWithNewInstances);
    }

    private void inspectOnceWithNewInstances() {
        two((one, two) -> {
            try (LockHandle held = locks(one).acquire(LockRequest.of("labelled"))) {
                assertThat(locks(two).inspect("labelled")).get().satisfies(state -> {
                    assertThat(state.owner()).isEqualTo(id(one));
                    assertThat(state.label()).isEqualTo("till 1");
                    assertThat(state.fencingToken()).isEqualTo(held.fencingToken());
                });
                assertThat(locks(one).inspect("labelled"))
                        .get()
                        .extracting(LockState::label)
                        .isEqualTo("till 1");
            }
        });
    }

    @Test
    void thousandsOfHoldsComeInPages() {
        two((one, two) -> {
            List<LockHandle> held = new ArrayList<>();
            // Not all at once: this is not about time-outs, and a busy machine may need long for so many replies.
            for (int first = 0; first < holds; first += 100) {
                List<CompletableFuture<LockHandle>> asked = IntStream.range(first, first + 100)
                        .mapToObj(i -> locks(one)
                                .acquireAsync(LockRequest.of("hold " + i))
                                .toCompletableFuture())
                        .toList();
                asked.forEach(each -> held.add(each.join()));
            }

            Set<String> seen = new HashSet<>();
            String after = "";
            int pages = 0;
            while (after != null && ++pages < 50) {
                String from = after;
                InstanceReport page = await().atMost(LONG)
                        .until(() -> report(monitor(two).fleet(from, PAGE), id(one)), InstanceReport::replied);
                assertThat(page.heldTotal()).isEqualTo(holds);
                assertThat(page.held()).hasSizeLessThanOrEqualTo(PAGE);
                page.held().forEach(hold -> assertThat(seen.add(hold.name())).isTrue());
                after = page.cutAfter();
            }
            assertThat(seen).hasSize(holds);
            assertThat(pages).isEqualTo(holds / PAGE);
            held.forEach(LockHandle::closeAsync);
        });
    }

    /** It listens, and does not answer: one that hangs, or one of an older version. */
    @Test
    void anInstanceThatDoesNotReplyIsListedAsSuch() {
        two((one, two) -> {
            String channel = PREFIX + "instance:AAAAAAAA{silent}";
            String subscribe = redis.channelCommands() + "SUBSCRIBE";
            try (RespClient silent = redis.serverOf(channel).connect()) {
                silent.call(subscribe, redis.channelCommands().isEmpty() ? PREFIX + "instance:AAAAAAAA" : channel);
                silent.call(subscribe, PREFIX + "instance:no id{silent}");
                FleetReport fleet = await().atMost(LONG)
                        .until(
                                () -> monitor(one).fleet("", 10),
                                found -> found.instances().size() == 3
                                        && report(found, id(two)).replied());
                assertThat(report(fleet, "AAAAAAAA").replied()).isFalse();
                assertThat(report(fleet, "AAAAAAAA").label()).isNull();
            }
        });
    }

    @Test
    void anInstanceThatHasStoppedIsGone() {
        runner.run(one -> {
            runner.run(two -> wholeFleet(one, 2));
            await().atMost(LONG)
                    .until(() -> monitor(one).fleet("", 10).instances().size() == 1);
            assertThat(redis.keys()).isEmpty();
        });
    }

    @Test
    void theLineIsReadInOrder() {
        two((one, two) -> runner.run(three -> {
            LockHandle held = locks(one).acquire(LockRequest.of("line"));
            List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
            for (ApplicationContext each : List.of(three, two, one)) {
                waiting.add(locks(each)
                        .acquireAsync(LockRequest.of("line").waitUpTo(LONG))
                        .toCompletableFuture());
                awaitWaiting(one, "line", Math.min(2, waiting.size()));
            }

            assertThat(monitor(one).line("line", 10)).containsExactly(id(three), id(two));
            assertThat(monitor(one).line("line", 1)).containsExactly(id(three));
            assertThat(monitor(one).line("free", 10)).isEmpty();
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(monitor(one).labels(Set.of(id(one), id(two), "AAAAAAAA", "job")))
                            .containsOnlyKeys(id(one), id(two))
                            .containsEntry(id(two), "till 2"));
            held.close();
            waiting.forEach(each -> each.thenCompose(LockHandle::closeAsync));
            waiting.forEach(CompletableFuture::join);
        }));
    }

    @Test
    void theExceptionOfABusyLockNamesItsHolder() {
        two((one, two) -> {
            LockRequest request = LockRequest.of("busy").waitUpTo(Duration.ofMillis(50));
            LockHandle held = locks(one).acquire(request);
            String thread = Thread.currentThread().getName();

            await().atMost(LONG)
                    .untilAsserted(() -> assertThatExceptionOfType(LockNotAcquiredException.class)
                            .isThrownBy(() -> locks(two).acquire(request))
                            .withMessageMatching("(?s)Lock 'busy' is held by till 1 for \\d+ m?s \\('"
                                    + Pattern.quote(thread) + "'\\); waited \\d+ ms"));
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(
                                    failure(locks(two).acquireAsync(request).toCompletableFuture()))
                            .isInstanceOf(LockNotAcquiredException.class)
                            .hasMessageContaining("held by till 1 for"));
            assertThat(failure(locks(one).acquireAsync(request.noWait()).toCompletableFuture()))
                    .hasMessageContaining("held by till 1 for");
            held.close();
        });
    }

    @Test
    void theExceptionOfABusyLockNamesAnExplicitOwner() {
        two((one, two) -> {
            LockRequest request = LockRequest.of("owned").waitUpTo(Duration.ofMillis(50));
            LockHandle held = locks(one).acquire(request.owner("billing, nightly"));

            await().atMost(LONG)
                    .untilAsserted(
                            () -> assertThat(catchThrowable(() -> locks(two).acquire(request)))
                                    .hasMessageContaining("held by billing, nightly, in till 1 for "));
            held.close();
        });
    }

    /** A single try asks no other instance, so that it costs one command. */
    @Test
    void aSingleTryCostsOneCommand() {
        two((one, two) -> {
            LockHandle held = locks(one).acquire(LockRequest.of("tried"));
            assertThat(locks(two).tryAcquire(LockRequest.of("tried").noWait())).isEmpty();
            long before = calls();
            for (int i = 0; i < 20; i++) {
                assertThat(catchThrowable(
                                () -> locks(two).acquire(LockRequest.of("tried").noWait())))
                        .isInstanceOf(LockNotAcquiredException.class)
                        .hasMessageContaining("held by another caller");
            }
            assertThat(calls() - before).isEqualTo(20);
            held.close();
        });
    }

    private long calls() {
        AtomicLong calls = new AtomicLong();
        redis.onAll(client -> client.text("INFO", "commandstats")
                .lines()
                .filter(line -> line.matches("cmdstat_(evalsha|s?publish):.*"))
                .forEach(line -> calls.addAndGet(Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))));
        return calls.get();
    }

    @Test
    void withoutTheRightToSeeChannelsAnInstanceSeesItselfAndWarnsOnce(CapturedOutput output) {
        redis.onAll(admin -> admin.call(
                "ACL",
                "SETUSER",
                "blind",
                "reset",
                "on",
                ">pw",
                "~*",
                "&*",
                "+@all",
                "-pubsub|channels",
                "-pubsub|shardchannels"));
        runner.withPropertyValues("spring.data.redis.username=blind", "spring.data.redis.password=pw")
                .run(one -> {
                    for (int i = 0; i < 3; i++) {
                        FleetReport fleet = monitor(one).fleet("", 10);
                        assertThat(fleet.complete()).isFalse();
                        assertThat(fleet.instances())
                                .extracting(InstanceReport::instance)
                                .containsExactly(id(one));
                    }
                });
        assertThat(output.getAll().split("does not allow this user to see which instances"))
                .hasSize(2);
    }

    /** Ids of acquisitions are secrets: who knows one can release the lock. */
    @Test
    void noReplyContainsASecret() {
        two((one, two) -> {
            LockHandle held = locks(one).acquire(LockRequest.of("secret"));
            CompletableFuture<LockHandle> waiter = locks(two)
                    .acquireAsync(LockRequest.of("secret").waitUpTo(LONG))
                    .toCompletableFuture();
            awaitWaiting(one, "secret", 1);
            List<String> secrets = new ArrayList<>();
            String entry = PREFIX + "{secret}";
            try (RespClient client = redis.serverOf(entry).connect()) {
                client.list("HGETALL", entry).stream()
                        .map(String::valueOf)
                        .filter(field -> field.length() > 20)
                        .forEach(field -> secrets.add(field.replaceAll("^[qw]?\\d*|[ ].*", "")));
            }
            String answers = wholeFleet(two, 2).toString()
                    + monitor(two).line("secret", 10)
                    + catchThrowable(
                            () -> locks(two).acquire(LockRequest.of("secret").waitUpTo(Duration.ofMillis(10))));

            assertThat(secrets).hasSizeGreaterThanOrEqualTo(2);
            assertThat(secrets)
                    .allSatisfy(secret -> assertThat(answers)
                            .doesNotContain(secret)
                            .doesNotContain(secret.substring(secret.lastIndexOf('.') + 1)));
            held.close();
            waiter.join().close();
        });
    }

    @Test
    void unreadableMessagesDoNoHarm() {
        two((one, two) -> {
            for (String channel : redis.channels(PREFIX, id(two))) {
                for (String message : List.of(
                        "list",
                        "list ",
                        "list a b c",
                        "list AAAAAAAA 1 x .",
                        "list AAAAAAAA 1 1 .%%%",
                        "list AAAAAAAA{} 1 1 .",
                        "here ",
                        "here 1 2 3",
                        "list AAAAAAAA 1 999999 .",
                        "list AAAAAAAA{a} 1 999999 .")) {
                    redis.publish(channel, message);
                }
            }
            wholeFleet(one, 2);
        });
    }

    @Test
    void aRenewedHoldShowsWhen() {
        runner.run(one -> {
            try (LockHandle held = locks(one).acquire(LockRequest.of("renewed"))) {
                assertThat(monitor(one).activity().held())
                        .extracting(LockActivity.Held::sinceRenewal)
                        .containsOnlyNulls();
                held.extend(LONG);
                assertThat(monitor(one).activity().held())
                        .extracting(LockActivity.Held::sinceRenewal)
                        .hasSize(1)
                        .doesNotContainNull();
            }
        });
    }

    private static Throwable failure(CompletableFuture<?> future) {
        return future.handle((done, failure) -> failure instanceof CompletionException ? failure.getCause() : failure)
                .join();
    }
}
