/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.InMemoryLeaseStore.Renew;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.Seeds;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds that the watchdog forgot, skipped, or gave up on. */
class MissedRenewalTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    /** A watchdog with a task for each lock went down under many of them, and with it the renewal of all. */
    @Test
    void thousandsOfHoldsAreRenewedWhileOthersBeginAndEnd() {
        long seed = Seeds.of("missedRenewal.seed");
        Random random = new Random(seed);
        List<AsyncAttempt> held = IntStream.range(0, 2_000)
                .mapToObj(i -> one.acquire("held-" + i))
                .toList();
        Deque<AsyncAttempt> passing = new ArrayDeque<>();
        int names = 0;
        for (int second = 0; second < 5 * 30; second++) {
            world.advanceSeconds(1);
            for (int i = 0; i < 20; i++) {
                if (random.nextBoolean()) {
                    passing.add(one.acquire("passing-" + names++));
                } else if (!passing.isEmpty()) {
                    passing.remove().close();
                }
            }
        }

        assertThat(held).as("seed %d", seed).allMatch(AsyncAttempt::isHeld);
        assertThat(two.tryOnce("held-" + random.nextInt(2_000)).failure()).isNotNull();
        assertThat(one.network.sent(Renew.class))
                .hasSizeGreaterThan(5 * 20)
                .allMatch(renewal -> renewal.leases().size() <= 100);
        passing.forEach(AsyncAttempt::close);
        held.forEach(AsyncAttempt::close);
    }

    /** Once in a while, a lock was not renewed for a whole lease, and a second one held it as well. */
    @Test
    void noRenewalIsSkippedUnderLoad() {
        long seed = Seeds.of("missedRenewal.seed");
        Random random = new Random(seed);
        AsyncAttempt kept = one.acquire("kept");
        Map<Integer, AsyncAttempt> others = new HashMap<>();
        for (int step = 0; step < 3_600; step++) {
            world.advanceMillis(1 + random.nextInt(2_000));
            assertThat(kept.handle().remainingLease())
                    .as("step %d, seed %d", step, seed)
                    .isGreaterThan(Duration.ofSeconds(19));
            int i = random.nextInt(50);
            AsyncAttempt other = others.remove(i);
            if (other == null) {
                LockRequest request = LockRequest.of("other-" + i)
                        .lease(Duration.ofMillis(100 + random.nextInt(60_000)))
                        .renew(random.nextBoolean());
                others.put(i, (random.nextInt(4) == 0 ? two : one).acquire(request));
            } else {
                other.abandon();
            }
            one.network.forgetSent();
            two.network.forgetSent();
        }
        others.values().forEach(AsyncAttempt::abandon);
        kept.close();
    }

    /**
     * The first exception ended a scheduled task for good, and no caller noticed. To log it may fail as well. A lease
     * that recalls do not reach is renewed at once when the store can be reached again.
     */
    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, StackOverflowError.class, UnloggableError.class})
    void aRenewalThatBlowsUpDoesNotEndTheLaterOnes(Class<? extends Throwable> type) throws Exception {
        AtomicInteger renewals = new AtomicInteger();
        Throwable failure = type.getConstructor(String.class).newInstance("on purpose");
        LeaseStore store = new InMemoryLeaseStore(new SharedLeases(NanoClock.SYSTEM), "real", new DirectNetwork());
        LeaseStore failing = (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("renew") && renewals.getAndIncrement() == 0) {
                        throw failure;
                    }
                    return method.getName().equals("isOutOfReach") ? true : method.invoke(store, arguments);
                });
        EngineSettings defaults = EngineSettings.DEFAULTS;
        EngineSettings impatient = new EngineSettings(
                defaults.lease(),
                defaults.waitUpTo(),
                defaults.maxHold(),
                Duration.ofMillis(200),
                defaults.maxPasses(),
                defaults.maxBatch(),
                defaults.shutdownGrace());
        try (LockEngine engine = TestEngine.of(failing).settings(impatient).start();
                LockHandle handle = engine.acquire(LockRequest.of("a"))) {
            engine.locks().connected();
            await().atMost(Noise.patience()).until(() -> renewals.get() > 1);
            assertThat(handle.isHeld()).isTrue();
        }
    }
}
