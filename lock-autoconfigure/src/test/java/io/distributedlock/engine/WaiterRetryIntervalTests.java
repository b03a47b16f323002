/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStore.StoreCall;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Waiters that never retry or retry in a loop, and combinations of wait and lease that break exclusion. */
class WaiterRetryIntervalTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    /** A negative time to live was taken for "no limit" and slept upon. */
    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -2, -1, 0, 1_000, 3_600_000, 9_000_000_000_000L})
    void anInvalidTimeToLiveCausesNeitherABusyLoopNorAnEndlessWait(long ttlMillis) {
        assertFewRequests(ttlMillis);
    }

    /** In other units it was a time in the past. */
    @ParameterizedTest
    @ValueSource(longs = {10_000_000_000_000L, Long.MAX_VALUE / 1_000_000, Long.MAX_VALUE})
    void anOverflowingTimeToLiveCausesNeitherABusyLoopNorAnEndlessWait(long ttlMillis) {
        assertFewRequests(ttlMillis);
    }

    private static void assertFewRequests(long ttlMillis) {
        AtomicInteger commands = new AtomicInteger();
        ManualClock clock = ManualClock.startingAt(0);
        LockEngine engine = TestEngine.of(busyFor(ttlMillis, commands)).at(clock);
        CompletableFuture<LockHandle> waiting =
                engine.acquireAsync(LockRequest.of("a").waitForever()).toCompletableFuture();
        for (int i = 0; i < 1_000; i++) {
            clock.advanceMillis(10);
            engine.runTimers();
        }

        // What has less than a millisecond left is asked for soon, as it is nearly free.
        assertThat(commands.get()).isBetween(9, ttlMillis > 0 ? 20 : 1_001);
        assertThat(waiting).isNotDone();
        waiting.cancel(false);
    }

    private static LeaseStore busyFor(long ttlMillis, AtomicInteger commands) {
        LeaseStore store = new OneReplyStore();
        return (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("acquire")) {
                        return method.invoke(store, arguments);
                    }
                    commands.incrementAndGet();
                    @SuppressWarnings("unchecked")
                    Reply<AcquireReply> to = (Reply<AcquireReply>) arguments[1];
                    to.replied(new AcquireReply.Busy(ttlMillis, true, 7, 0, 1), null);
                    return (StoreCall) () -> {};
                });
    }

    /** An error that came back at once was answered by the same request at once, a hundred thousand times. */
    @ParameterizedTest
    @EnumSource(names = {"NOT_EXECUTED", "UNKNOWN"})
    void aStoreThatFailsAtOnceCausesNoBusyLoop(Effect effect) {
        AsyncAttempt held = one.acquire("held");
        AsyncAttempt released = one.acquire("released");
        one.network.forgetSent();
        one.network.failNext(Integer.MAX_VALUE, effect);
        AsyncAttempt waiting = one.acquire("wanted");
        released.abandon();

        world.advanceSeconds(60);

        assertThat(one.network.sent(AcquireCommand.class)).hasSizeBetween(50, 120);
        assertThat(one.network.sent()).hasSizeLessThan(300);
        assertThat(held.isHeld()).isFalse();
        one.network.failNext(0, effect);
        world.advanceSeconds(1);
        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
    }

    /** A caller that waited longer than an internal time-out was dropped from the line without a message. */
    @Test
    void aWaiterKeepsItsPlaceHoweverLongItWaits() {
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt waiting =
                two.acquire(LockRequest.of("a").lease(Duration.ofSeconds(1)).waitForever());

        world.advance(Duration.ofHours(1));
        assertThat(two.network.sent(AcquireCommand.class))
                .as("requests in an hour")
                .hasSizeLessThan(8_000);
        holder.close();

        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
    }

    private record Wish(Duration patience, Duration lease, boolean renew) {

        LockRequest of(String name) {
            return LockRequest.of(name).waitUpTo(patience).lease(lease).renew(renew);
        }

        static List<Wish> all() {
            List<Duration> leases = List.of(LockRequest.MIN_LEASE, Duration.ofSeconds(1), LockRequest.MAX_LEASE);
            return Stream.of(-1L, 0L, 1L, Long.MAX_VALUE)
                    .map(Duration::ofMillis)
                    .flatMap(patience -> leases.stream()
                            .flatMap(lease -> Stream.of(true, false).map(renew -> new Wish(patience, lease, renew))))
                    .toList();
        }
    }

    /** Some combination of the two times was not thought of, and with it, two had the lock. */
    @Test
    void noCombinationOfWaitAndLeaseBreaksExclusion() {
        int names = 0;
        for (Wish first : Wish.all()) {
            for (Wish second : Wish.all()) {
                for (Instance other : List.of(one, two)) {
                    assertExclusive("n" + names++, first, second, other);
                }
            }
        }
    }

    private void assertExclusive(String name, Wish first, Wish second, Instance other) {
        AsyncAttempt holder = one.acquire(first.of(name));
        AsyncAttempt contender = other.acquire(second.of(name));
        assertThat(holder.isHeld()).isTrue();
        for (int i = 0; i < 20; i++) {
            assertThat(holder.isHeld() && contender.isGranted() && contender.isHeld())
                    .as("two at once: %s and %s", first, second)
                    .isFalse();
            world.advanceMillis(5);
        }
        boolean lasts = first.renew() || first.lease().compareTo(LockRequest.MIN_LEASE) > 0;
        assertThat(holder.isHeld()).as("%s", first).isEqualTo(lasts);
        assertThat(contender.isPending() || contender.isGranted())
                .as("%s waits on behind %s, or has it", second, first)
                .isEqualTo(second.patience().isNegative() || second.patience().toSeconds() > 0);
        holder.abandon();
        contender.cancel();
        if (contender.isGranted()) {
            contender.abandon();
        }
        one.network.forgetSent();
        two.network.forgetSent();
    }
}
