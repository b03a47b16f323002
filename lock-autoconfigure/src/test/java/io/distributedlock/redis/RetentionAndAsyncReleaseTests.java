/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.CommandLog;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** In a real Redis: leases that stay for the next local caller, and releases that no caller waits for. */
class RetentionAndAsyncReleaseTests extends AbstractFaultTests {

    private static final EngineSettings RETAINING = Templates.PATIENT.withRetention(Duration.ofMinutes(1));

    private static final EngineSettings UNAWAITED = Templates.IMPATIENT.withRelease(EngineSettings.Release.ASYNC);

    private static final LockRequest REQUEST = LockRequest.of("kept");

    private RedisLockTemplate through(EngineSettings settings) {
        RedisLockTemplate template = templates.on(StandaloneServer.connectionFactory(proxy.port()), settings);
        Templates.warmUp(template);
        return template;
    }

    @Test
    void takingARetainedLockAgainIsNoCommand() {
        RedisLockTemplate locks = direct(RETAINING);
        locks.acquire(REQUEST).close();
        try (CommandLog log = CommandLog.open(redis)) {
            long token = 0;
            for (int i = 0; i < 100; i++) {
                try (LockHandle handle = locks.acquire(REQUEST)) {
                    assertThat(handle.fencingToken()).isGreaterThan(token);
                    token = handle.fencingToken();
                }
            }
            assertThat(log.clientCommands()).isEmpty();
        }
    }

    /** On a fast machine there are more holds than microseconds, unless the tokens are kept back. */
    @Test
    void theTokenOfTheNextInstanceIsHigherHoweverFastTheLockIsTakenAgainHere() {
        RedisLockTemplate locks = direct(RETAINING);
        RedisLockTemplate other = patient();
        lastTokenOf(300_000, locks, LockRequest.of("warm-up"));
        long last = lastTokenOf(400_000, locks, REQUEST);
        try (LockHandle next = other.acquire(REQUEST)) {
            assertThat(next.fencingToken()).isGreaterThan(last);
        }
    }

    private static long lastTokenOf(int holds, RedisLockTemplate locks, LockRequest request) {
        long last = 0;
        for (int i = 0; i < holds; i++) {
            try (LockHandle handle = locks.acquire(request)) {
                last = handle.fencingToken();
            }
        }
        return last;
    }

    @Test
    void instancesThatRetainExcludeEachOther() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger violations = new AtomicInteger();
        AtomicBoolean stop = new AtomicBoolean();
        List<AtomicInteger> cycles = new ArrayList<>();
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        for (RedisLockTemplate instance : List.of(direct(RETAINING), direct(RETAINING), direct(RETAINING))) {
            AtomicInteger its = new AtomicInteger();
            cycles.add(its);
            calls.add(callers.call(() -> {
                while (!stop.get()) {
                    try (LockHandle handle = instance.acquire(REQUEST)) {
                        violations.addAndGet(inside.incrementAndGet() == 1 ? 0 : 1);
                        its.incrementAndGet();
                        inside.decrementAndGet();
                    }
                }
                return its;
            }));
        }
        try {
            await().atMost(Noise.patience()).until(() -> cycles.stream().allMatch(its -> its.get() >= 300));
        } finally {
            stop.set(true);
        }
        calls.forEach(TestCallers.Call::get);
        assertThat(violations).hasValue(0);
    }

    /** By the first recall: one question and one release, and no question that repeats a recall. */
    @Test
    void anInstanceThatBeginsToWaitHasARetainedLockAtOnce() {
        RedisLockTemplate locks = direct(RETAINING);
        RedisLockTemplate other = patient();
        Templates.warmUp(other);
        locks.acquire(REQUEST).close();
        Stopwatch watch = Stopwatch.start();
        try (CommandCounter counter = CommandCounter.start(redis);
                LockHandle handle = other.acquire(REQUEST)) {
            // On a busy machine, the release may come after the time for other requests.
            Duration elapsed = watch.elapsed();
            long late = elapsed.compareTo(millis(50)) > 0 ? 1 + elapsed.toMillis() / 500 : 0;
            assertThat(counter.scripts()).isBetween(2L, 2L + late);
            assertThat(handle.isHeld()).isTrue();
        }
    }

    @Test
    void aRetainedLeaseWhoseInstanceIsCutOffEndsByItself() {
        RedisLockTemplate locks = through(Templates.IMPATIENT.withRetention(Duration.ofMinutes(1)));
        RedisLockTemplate other = patient();
        locks.acquire(leased("kept", 600)).close();
        proxy.blackHole();
        Stopwatch watch = Stopwatch.start();
        try (LockHandle handle = other.acquire(REQUEST)) {
            assertThat(watch.elapsed()).isLessThan(millis(600).plus(Noise.now()));
            proxy.heal();
            proxy.cut();
            await().ignoreExceptions()
                    .until(() -> locks.tryAcquire(REQUEST.noWait()).isEmpty());
            AtomicInteger replies = new AtomicInteger();
            HoldAssertions.assertHeldFor(
                    handle,
                    millis(700),
                    () -> assertThat(HoldAssertions.isGranted(locks, REQUEST, replies))
                            .isFalse());
            assertThat(replies).as("requests with a reply").hasPositiveValue();
        }
    }

    @Test
    void aReleaseWhoseReplyIsLostIsRetriedAlthoughNoCallerWaitsForIt() {
        RedisLockTemplate locks = through(UNAWAITED);
        LockHandle handle = locks.acquire(leased("kept", 60_000));
        proxy.requests().drop();

        Stopwatch watch = Stopwatch.start();
        handle.close();
        assertThat(watch.elapsed()).isLessThan(Noise.now());

        await().until(() -> proxy.requests().dropped() > 0);
        assertThat(keys()).isNotEmpty();
        proxy.heal();
        proxy.cut();
        await().atMost(Noise.LATEST).until(() -> keys().stream().noneMatch(key -> key.contains("kept")));
    }

    @Test
    void theNextAcquisitionTravelsBehindAReleaseThatIsNotWaitedFor() {
        RedisLockTemplate locks = direct(Templates.PATIENT.withRelease(EngineSettings.Release.ASYNC));
        for (int i = 0; i < 1_000; i++) {
            locks.tryAcquire(REQUEST.noWait()).orElseThrow().close();
        }
        await().until(() -> keys().isEmpty());
    }

    @Test
    void aLossThatIsKnownHereIsStillAnException() {
        RedisLockTemplate locks = direct(UNAWAITED);
        LockHandle handle = locks.acquire(REQUEST);
        locks.forceRelease("kept");
        await().until(() -> !handle.isHeld());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }
}
