/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.EngineSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A lock that becomes free no earlier than a time after its grant, without anybody waiting for that in a release. */
class MinHoldTests extends AbstractLockContract {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static StandaloneServer server;

    @BeforeAll
    static void start() {
        server = new StandaloneServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    MinHoldTests() {
        super(server);
    }

    /** So long that it would be over only if the release had waited for it. */
    @Test
    void staysTakenForAllAfterTheRelease() {
        LockHandle handle = first.acquire(leased("job", 30_000).minHold(Duration.ofMinutes(5)));
        handle.close();
        assertThat(handle.isHeld()).isFalse();
        assertThat(onlyTtl()).isBetween(200_000L, 300_000L);
        assertThat(isBusy(first, "job")).isTrue();
        assertThat(isBusy(second, "job")).isTrue();
        assertThat(first.tryAcquire(LockRequest.of("job").noWait())).isEmpty();
        assertThat(second.forceRelease("job")).isTrue();
        assertThat(keys()).isEmpty();
    }

    /** Which is why a hard end by default, which the method does not reach, contradicts no minimum. */
    @Test
    void mayOutlastALeaseThatIsNotRenewed() {
        first.acquire(LockRequest.of("job").renew(false).minHold(Duration.ofMinutes(5)))
                .close();
        assertThat(onlyTtl()).isBetween(200_000L, 300_000L);
        assertThat(isBusy(second, "job")).isTrue();
        assertThat(second.forceRelease("job")).isTrue();
    }

    @Test
    void handsTheLockToTheWaitersWhenItIsOver() {
        for (RedisLockTemplate instance : List.of(first, second)) {
            Stopwatch watch = Stopwatch.start();
            LockHandle handle = first.acquire(leased("job", 30_000).minHold(millis(700)));
            TestCallers.Call<Duration> waiting = callers.call(() -> {
                try (LockHandle next = instance.acquire(LockRequest.of("job").waitUpTo(LONG))) {
                    assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
                    return watch.elapsed();
                }
            });
            waiting.awaitBlocked();
            handle.close();
            assertThat(waiting.get()).isGreaterThanOrEqualTo(millis(700));
        }
        assertThat(keys()).isEmpty();
    }

    @Test
    void aReentryDoesNotChangeIt() {
        LockHandle outer = first.acquire(LockRequest.of("job"));
        first.acquire(LockRequest.of("job").minHold(Duration.ofMinutes(5))).close();
        outer.close();
        assertThat(keys()).isEmpty();
    }

    @Test
    void doesNotApplyIfTheMethodDidNotRun() {
        try (LockHandle busy = second.acquire(LockRequest.of("b"))) {
            assertThat(first.tryAcquire(LockRequest.ofAll(List.of("a", "b"))
                            .minHold(Duration.ofMinutes(5))
                            .noWait()))
                    .isEmpty();
            assertThat(isBusy(second, "a")).isFalse();
            assertThat(busy.isHeld()).isTrue();
        }
    }

    /** Of the property: a request compares it with its own maximum. */
    @Test
    void isRefusedIfTheLockWouldBeLostBeforeByDefault() {
        EngineSettings defaults = Templates.PATIENT;
        RedisLockTemplate limited = template(new EngineSettings(
                defaults.lease(),
                defaults.waitUpTo(),
                Duration.ofMinutes(1),
                defaults.commandTimeout(),
                defaults.maxPasses(),
                defaults.maxBatch(),
                defaults.shutdownGrace()));
        LockRequest tooLong = LockRequest.of("job").minHold(Duration.ofMinutes(2));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limited.acquire(tooLong))
                .withMessageContaining("longer than the default maxHold PT1M");
        assertThatIllegalArgumentException().isThrownBy(() -> limited.tryAcquire(tooLong.namedAll(List.of("a", "b"))));
        assertThat(limited.acquireAsync(tooLong))
                .failsWithin(LONG)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalArgumentException.class);
        limited.acquire(tooLong.renew(false).lease(Duration.ofMinutes(2))).close();
        assertThat(second.forceRelease("job")).isTrue();
        limited.acquire(tooLong.maxHold(Duration.ofMinutes(2))).close();
        assertThat(second.forceRelease("job")).isTrue();
    }

    @Test
    void aLossIsReportedAllTheSame() {
        LockHandle handle = first.acquire(LockRequest.of("job").minHold(Duration.ofMinutes(5)));
        delete(onlyKey());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        await().atMost(LONG).until(() -> keys().isEmpty());
    }

    @Test
    void isOverWithTheHoldIfThatLastedLongEnough() {
        LockHandle handle = first.acquire(LockRequest.of("job").minHold(millis(1)));
        await().atMost(LONG).until(() -> handle.remainingLease().compareTo(Duration.ofMillis(29_600)) < 0);
        handle.close();
        assertThat(keys()).isEmpty();
    }
}
