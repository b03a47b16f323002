/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.ReleaseResult;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TestLength;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** The rights that docs/redis-format.md names are enough, and none of them is superfluous. */
@ExtendWith(OutputCaptureExtension.class)
class LeastPrivilegeTests extends AbstractFaultTests {

    /** Without these a hand-over only takes longer, which a slow machine does not show. */
    private static final Set<String> MESSAGES = Set.of("&lock:*", "+subscribe", "+publish", "+pubsub|numsub");

    private static final String PASSWORD = "change-me";

    private static final Pattern RULES = Pattern.compile("```\\R(user locks on >change-me .*)\\R```");

    /** Other warnings are those of what is lost on purpose, and of a busy machine. */
    private static final Pattern REFUSED = Pattern.compile("(?i)refuse|NOPERM");

    /** Until a new instance is connected, on a machine that is busy. */
    private static final Duration CONNECTED = millis(4_000);

    private RespClient admin;

    @BeforeEach
    void connect() {
        admin = redis.connect();
    }

    @AfterEach
    void disconnect() {
        admin.close();
    }

    /** As written down: one line that can be pasted. */
    private static String documentedLine() {
        try {
            Matcher rules = RULES.matcher(Files.readString(Path.of("..", "docs", "redis-format.md")));
            assertThat(rules.find()).as("one line in a block of its own").isTrue();
            return rules.group(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> documented() {
        List<String> words = List.of(documentedLine().split(" "));
        return words.subList(words.indexOf("locks") + 1, words.size());
    }

    static List<String> rights() {
        return documented().stream()
                .filter(rule -> !List.of("on", ">" + PASSWORD, "-@all").contains(rule))
                .toList();
    }

    private void setUser(List<String> rules) {
        List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", "locks", "reset"));
        command.addAll(rules);
        admin.call(command.toArray(String[]::new));
    }

    private RedisLockTemplate instance() {
        RedisStandaloneConfiguration target = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
        target.setUsername("locks");
        target.setPassword(PASSWORD);
        target.setDatabase(1);
        return templates.on(StandaloneServer.connectionFactory(target), Templates.PATIENT);
    }

    @Test
    void theDocumentedRightsAreEnough(CapturedOutput output) {
        assertThat(rights()).hasSizeGreaterThan(15);
        setUser(documented());
        useEverything();
        assertThat(denied()).isEmpty();
        assertThat(output.getAll().lines().filter(line -> line.contains(" WARN ")))
                .noneMatch(line -> REFUSED.matcher(line).find());
    }

    @Test
    void theDocumentedLineCanBePasted() {
        try (EmbeddedRedis pasted = EmbeddedRedis.start(documentedLine());
                RespClient user = pasted.connect()) {
            assertThat(user.text("AUTH", "locks", PASSWORD)).isEqualTo("OK");
            assertThat(user.number("EXISTS", "lock:{pasted}")).isZero();
        }
    }

    /** An instance does it only when it has had a lock for ten seconds. */
    @Test
    void anInstanceMayWriteReadAndDeleteWhatItIsCalled() {
        setUser(documented());
        try (RespClient user = redis.connect()) {
            user.call("AUTH", "locks", PASSWORD);
            user.call("EVAL", LuaScript.text("label.lua"), "1", "lock:instance:AAAAAAAA", "till 1", "60000");
            assertThat(user.text("HGET", "lock:instance:AAAAAAAA", "label")).isEqualTo("till 1");
            assertThat(user.number("PTTL", "lock:instance:AAAAAAAA")).isBetween(1L, 60_000L);
            assertThat(user.number("DEL", "lock:instance:AAAAAAAA")).isOne();
        }
        assertThat(denied()).isEmpty();
    }

    /** The rules that the document names for others. */
    @Test
    void otherUsersCanNeitherTouchLocksNorHearOfThem() {
        admin.call("ACL", "SETUSER", "other", "reset", "on", ">pw", "+@all", "resetchannels", "&app:*", "~app:*");
        try (RespClient other = redis.connect()) {
            other.call("AUTH", "other", "pw");
            for (String command : List.of(
                    "HGETALL lock:{main}",
                    "PUBLISH lock:instance:one recall",
                    "SUBSCRIBE lock:instance:one",
                    "PSUBSCRIBE *",
                    "PSUBSCRIBE lock:*")) {
                assertThatThrownBy(() -> other.call(command.split(" ", -1)))
                        .as(command)
                        .hasMessageStartingWith("NOPERM");
            }
        }
    }

    @Tag(TestLength.FULL)
    @ParameterizedTest
    @MethodSource("rights")
    void noneIsSuperfluous(String right) {
        List<String> fewer = new ArrayList<>(documented());
        fewer.remove(right);
        setUser(fewer);
        Throwable failure = catchThrowable(this::useEverything);
        assertThat(denied()).as("without %s: %s", right, failure).isNotEmpty();
        if (!MESSAGES.contains(right)) {
            assertThat(failure == null)
                    .as("works without %s: %s", right, failure)
                    .isEqualTo(List.of("+info", "+pubsub|channels").contains(right));
        }
    }

    /** What the server refused this user, from its log of such. */
    private List<String> denied() {
        return admin.list("ACL", "LOG").stream()
                .map(entry -> entry.replaceAll("(?s).*object, ([^,]*),.*", "$1"))
                .distinct()
                .toList();
    }

    @Test
    void withoutChannelsWaitersSendRequestsInsteadAndOneLineIsLoggedUntilTheyAreAllowed(CapturedOutput output) {
        List<String> fewer = new ArrayList<>(documented());
        fewer.remove("&lock:*");
        setUser(fewer);
        RedisLockTemplate one = instance();
        RedisLockTemplate two = instance();
        assertThat(handOver(one, two)).isLessThan(millis(1_000).plus(Noise.now()));
        assertThat(handOver(two, one)).isLessThan(millis(1_000).plus(Noise.now()));
        assertThat(output.getAll().split("Redis refuses the channel"))
                .as("one line for each instance")
                .hasSize(3);

        setUser(documented());
        await().until(() -> admin.list("PUBSUB", "CHANNELS").size() == 2);
        assertThat(handOver(one, two)).isLessThan(Noise.now());

        // The server closes the connections of those who listen where they no longer may.
        setUser(fewer);
        assertThat(handOver(one, two)).isLessThan(millis(1_000).plus(Noise.now()));
        setUser(documented());
        await().until(() -> admin.list("PUBSUB", "CHANNELS").size() == 2);
        assertThat(handOver(two, one)).isLessThan(Noise.now());
    }

    private static Duration handOver(RedisLockTemplate from, RedisLockTemplate to) {
        LockRequest request = leased("main", 60_000);
        LockHandle handle = from.acquire(request);
        CompletableFuture<LockHandle> next =
                to.acquireAsync(request.waitForever()).toCompletableFuture();
        await().until(() -> from.inspect("main").orElseThrow().waitingInstances() == 1);
        Stopwatch watch = Stopwatch.start();
        handle.close();
        TestCallers.get(next).close();
        return watch.elapsed();
    }

    private void useEverything() {
        RedisLockTemplate one = instance();
        RedisLockTemplate two = instance();
        LockRequest request = leased("main", 30_000).waitUpTo(CONNECTED);

        // One after the other, waited for, renewed, extended, nested.
        LockHandle handle = one.acquire(request);
        one.acquire(request).close();
        CompletableFuture<LockHandle> next =
                two.acquireAsync(request.waitForever()).toCompletableFuture();
        // Without a right, this fails and is not repeated.
        await().ignoreExceptionsMatching(failure -> false)
                .until(() -> next.isCompletedExceptionally()
                        || one.inspect("main").orElseThrow().waitingInstances() == 1);
        LockHandle renewed = one.acquire(leased("renewed", 2_400));
        HoldAssertions.awaitRenewals(renewed, 1);
        renewed.close();
        handle.extend(millis(40_000));
        Stopwatch watch = Stopwatch.start();
        handle.close();
        TestCallers.get(next).close();
        assertThat(watch.elapsed()).as("woken by a message").isLessThan(Noise.now());

        // Explicit owners.
        LockHandle first = one.acquire(request.owner("job"));
        LockHandle second = two.acquire(request.owner("job"));
        LockHandle third = two.acquire(request.owner("job"));
        third.close();
        assertThat(one.release("main", "job")).isEqualTo(ReleaseResult.STILL_HELD);
        assertThat(one.release("main", "job")).isEqualTo(ReleaseResult.RELEASED);
        HoldAssertions.awaitLoss(first, Duration.ZERO);
        HoldAssertions.awaitLoss(second, Duration.ZERO);

        // What an operator asks.
        assertThat(one.fleet("", 10).instances()).isNotEmpty();
        assertThat(one.line("main", 10)).isEmpty();

        // By force.
        LockHandle taken = one.acquire(request);
        assertThat(two.forceRelease("main")).isTrue();
        HoldAssertions.awaitLoss(taken, Duration.ZERO);
    }
}
