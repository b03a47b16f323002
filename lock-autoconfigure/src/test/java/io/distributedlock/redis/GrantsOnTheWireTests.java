/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.testing.CommandLog;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RandomMoments;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Grants that come twice, from the past, or to a caller that has just left. The next one in line does not notice. */
class GrantsOnTheWireTests extends AbstractFaultTests {

    /** Such a lease ends long after this test. */
    private static final LockRequest REQUEST =
            LockRequest.of("wire").lease(Duration.ofMinutes(1)).waitForever();

    /** What was published, and where. */
    private record Message(String channel, String text) {}

    /**
     * The same bytes again: while the hold lasts, when another caller has the lock, when nobody has, when it waits
     * again.
     */
    @Test
    void aGrantCountsOnce() {
        RedisLockTemplate one = patient();
        RedisLockTemplate two = patient();
        LockHandle handle = one.acquire(REQUEST);
        CompletableFuture<LockHandle> waiting = acquire(two, REQUEST);
        awaitWaiting(one, 1);
        Message grant;
        try (CommandLog log = CommandLog.open(redis)) {
            handle.close();
            TestCallers.get(waiting);
            grant = theOnlyGrant(log);
        }
        LockHandle granted = TestCallers.get(waiting);
        assertThat(grant.text()).contains(" " + granted.fencingToken() + " ");
        publishAgain(grant);
        HoldAssertions.assertHeldFor(
                granted, millis(50), () -> assertThat(tokenOf(one)).isEqualTo(granted.fencingToken()));
        granted.close();
        publishAgain(grant);
        HoldAssertions.assertAllTheTime(millis(50), () -> assertThat(keys()).isEmpty());

        LockHandle next = one.acquire(REQUEST);
        publishAgain(grant);
        CompletableFuture<LockHandle> waitingAgain = acquire(two, REQUEST);
        awaitWaiting(one, 1);
        publishAgain(grant);
        HoldAssertions.assertHeldFor(next, millis(100), () -> {
            assertThat(waitingAgain).isNotDone();
            assertThat(tokenOf(two)).isEqualTo(next.fencingToken());
        });
        next.close();
        LockHandle last = TestCallers.get(waitingAgain);
        assertThat(last.fencingToken()).isGreaterThan(next.fencingToken());
        last.close();
        assertThat(keys()).isEmpty();
    }

    private static Message theOnlyGrant(CommandLog log) {
        List<Message> grants = log.calls("publish").stream()
                .map(entry -> new Message(entry.words().get(0), entry.words().get(1)))
                .filter(message -> message.text().startsWith("grant "))
                .toList();
        assertThat(grants).hasSize(1);
        return grants.get(0);
    }

    private void publishAgain(Message message) {
        try (RespClient client = redis.connect()) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.number("PUBLISH", message.channel(), message.text()))
                        .isEqualTo(1);
            }
        }
    }

    /** Redis has granted it the lock, and the message is on its way: the next one gets the lock as if it had not. */
    @Test
    void aGrantThatCrossesACancellationGoesToTheNext() {
        assertGoesToTheNext(
                Duration.ZERO,
                Duration.ZERO,
                REQUEST,
                leaving -> assertThat(leaving.cancel(true)).isTrue());
    }

    /** It asks once more at the end of its wait, and that answer has to be awaited. */
    @Test
    void aGrantThatCrossesTheEndOfAWaitGoesToTheNext() {
        Duration wait = millis(800);
        assertGoesToTheNext(
                wait,
                TIMEOUT,
                REQUEST.waitUpTo(wait),
                leaving -> assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> TestCallers.get(leaving)));
    }

    /** The answer is on its way when the lock is taken away; the message of that travels on another connection. */
    @Test
    void aRevocationThatOvertakesTheReplyCounts() {
        EngineSettings patient = Templates.settings(Duration.ofSeconds(20), Duration.ZERO);
        RedisLockTemplate one = templates.on(StandaloneServer.connectionFactory(proxy.port()), patient);
        RedisLockTemplate two = patient();
        one.acquire(LockRequest.of("warm-up")).close();
        proxy.replies().holdExcept("message");
        CompletableFuture<LockHandle> overtaken = acquire(one, REQUEST);
        await().until(() -> two.inspect("wire").isPresent());
        CompletableFuture<LockHandle> waiting = acquire(two, REQUEST);
        awaitWaiting(two, 1);
        assertThat(two.forceRelease("wire")).isTrue();
        LockHandle next = TestCallers.get(waiting);
        awaitWaiting(two, 1);

        proxy.heal();
        one.acquire(LockRequest.of("later")).close();

        assertThat(overtaken).isNotDone();
        assertThat(next.isHeld()).isTrue();
        next.close();
        TestCallers.get(overtaken).close();
    }

    private void assertGoesToTheNext(
            Duration leavesAfter,
            Duration usually,
            LockRequest request,
            Consumer<CompletableFuture<LockHandle>> leave) {
        RedisLockTemplate one = patient();
        RedisLockTemplate two = proxied();
        RedisLockTemplate three = patient();
        List<Duration> gaps = new ArrayList<>();
        for (int tries = 0; gaps.size() < 3; tries++) {
            LockHandle handle = one.acquire(REQUEST);
            Stopwatch watch = Stopwatch.start();
            CompletableFuture<LockHandle> leaving = acquire(two, request);
            awaitWaitingOrOver(one, 1, leaving);
            CompletableFuture<LockHandle> next = acquire(three, REQUEST);
            awaitWaitingOrOver(one, 2, leaving);
            HoldAssertions.assertHeldFor(handle, millis(50), () -> {});
            if (leaving.isDone()) {
                assertThat(tries).as("waits that were over before the grant").isLessThan(10);
                handle.close();
                TestCallers.get(next).close();
                continue;
            }
            proxy.replies().hold();
            handle.close();
            assertThat(tokenOf(one)).as("granted").isGreaterThan(handle.fencingToken());
            assertThat(next).isNotDone();
            Duration before = leavesAfter.isZero() ? watch.elapsed() : leavesAfter;
            leave.accept(leaving);
            try (LockHandle following = TestCallers.get(next)) {
                gaps.add(watch.elapsed().minus(before));
                proxy.heal();
                HoldAssertions.assertHeldFor(following, millis(50), () -> {});
            }
            await().until(() -> keys().stream().noneMatch(key -> key.endsWith("}")));
        }
        // Longer if it was just asking once more: that answer has to be awaited.
        Collections.sort(gaps);
        assertThat(gaps.get(1)).isLessThan(usually.plus(Noise.now()));
        assertThat(gaps.get(2)).isLessThan(TIMEOUT.plus(Noise.now()));
    }

    /** Whatever comes first: the next one in line has the lock at once, and nothing is left over. */
    @Test
    void aWaiterThatLeavesAtTheMomentOfItsGrantDelaysNoOtherWaiter() {
        long seed = Seeds.of("grantsOnTheWire.seed");
        Random random = new Random(seed);
        RedisLockTemplate one = patient();
        RedisLockTemplate two = patient();
        RedisLockTemplate three = patient();
        int left = 0;
        int rounds = 100;
        List<Duration> gaps = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            LockHandle handle = one.acquire(REQUEST);
            boolean cancels = random.nextBoolean();
            CompletableFuture<LockHandle> leaving = acquire(two, cancels ? REQUEST : REQUEST.waitUpTo(millis(20)));
            Stopwatch waited = Stopwatch.start();
            CompletableFuture<LockHandle> next = acquire(three, REQUEST);
            awaitWaitingOrOver(one, 2, leaving);
            CompletableFuture<Void> closing;
            if (cancels) {
                closing = RandomMoments.runAfter(random.nextInt(300_000), handle::close);
                if (!RandomMoments.isDoneWithin(random.nextInt(400_000), leaving)) {
                    leaving.cancel(false);
                }
            } else {
                long end = millis(19).minus(waited.elapsed()).toNanos();
                closing = RandomMoments.runAfter(end + random.nextInt(2_000_000), handle::close);
            }
            Stopwatch watch = Stopwatch.start();
            boolean came = leaving.handle((granted, failure) -> {
                        if (granted != null) {
                            granted.close();
                        }
                        return granted != null;
                    })
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();
            left += came ? 0 : 1;
            TestCallers.get(next).close();
            gaps.add(watch.elapsed());
            TestCallers.get(closing);
        }
        // What the machine adds is rare and short; to be forgotten costs a poll.
        Collections.sort(gaps);
        assertThat(gaps.get(rounds - 3)).as("seed %d", seed).isLessThan(Noise.now());
        assertThat(gaps.get(rounds - 1))
                .as("seed %d", seed)
                .isLessThan(millis(800).plus(Noise.now()));
        assertThat(left).as("how many left, seed %d", seed).isBetween(1, rounds);
        await("nothing is left, seed " + seed).until(() -> keys().stream().noneMatch(key -> key.endsWith("}")));
    }

    private static void awaitWaitingOrOver(RedisLockTemplate observer, int expected, CompletableFuture<?> leaving) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(millis(1))
                .until(() -> leaving.isDone() || waiting(observer) == expected);
    }

    private static void awaitWaiting(RedisLockTemplate observer, int expected) {
        await().pollDelay(Duration.ZERO).pollInterval(millis(2)).until(() -> waiting(observer) == expected);
    }

    private static int waiting(RedisLockTemplate observer) {
        return observer.inspect("wire").map(LockState::waitingInstances).orElse(0);
    }

    private static long tokenOf(RedisLockTemplate observer) {
        return observer.inspect("wire").orElseThrow().fencingToken();
    }

    private static CompletableFuture<LockHandle> acquire(RedisLockTemplate instance, LockRequest request) {
        return instance.acquireAsync(request).toCompletableFuture();
    }
}
