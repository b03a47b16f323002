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
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.testing.LeakCheck;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An instance stops with holders, waiters, and acquisitions under way, whatever Redis does meanwhile. */
class StopUnderFaultTests extends AbstractFaultTests {

    private static final Duration GRACE = millis(300);

    private static final EngineSettings SETTINGS = Templates.settings(TIMEOUT, GRACE);

    private static final LockRequest REQUEST = leased("stopped", 1_000);

    enum Redis {
        FINE,
        DOWN,
        SILENT
    }

    @ParameterizedTest
    @EnumSource
    void endsInTimeAndLeavesNothing(Redis state) {
        RedisLockTemplate stopping = templates.on(StandaloneServer.connectionFactory(proxy.port()), SETTINGS);
        RedisLockTemplate other = patient();
        LockHandle held = stopping.acquire(REQUEST);
        LockHandle inner = stopping.acquire(REQUEST);
        LockHandle owned = stopping.acquire(leased("owned", 1_000).owner("job"));
        LockHandle theirs = other.acquire(leased("theirs", 30_000));
        List<TestCallers.Call<LockHandle>> waiting = new ArrayList<>();
        for (String name : List.of("stopped", "theirs", "theirs")) {
            waiting.add(callers.call(() -> stopping.acquire(leased(name, 1_000).waitForever())));
        }
        CompletableFuture<LockHandle> next =
                other.acquireAsync(leased("stopped", 30_000).waitForever()).toCompletableFuture();
        await().until(() -> other.inspect("stopped").orElseThrow().waitingInstances() == 1);
        await().until(() -> other.inspect("theirs").orElseThrow().waitingInstances() == 1);
        AbstractLockContract.awaitWaitingIn(stopping, 3);
        switch (state) {
            case FINE -> {}
            case DOWN -> {
                proxy.refuse();
                proxy.cut();
            }
            case SILENT -> proxy.blackHole();
        }
        for (int i = 0; i < 3; i++) {
            LockRequest free = leased("free-" + i, 1_000);
            waiting.add(callers.call(() -> {
                LockHandle granted = stopping.acquire(free.waitForever());
                granted.close();
                return granted;
            }));
        }

        TestCallers.Call<Duration> stop = callers.call(() -> Stopwatch.time(stopping::stop));
        for (TestCallers.Call<LockHandle> waiter : waiting.subList(0, 3)) {
            assertThat(waiter.failure())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("shutting down");
        }
        if (state != Redis.FINE) {
            assertThat(waiting.subList(3, 6))
                    .allSatisfy(asking -> assertThat(asking.failure())
                            .isInstanceOf(LockUnavailableException.class)
                            .hasMessageContaining("shutting down"));
        }
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> stopping.acquire(LockRequest.of("late")))
                .withMessageContaining("shutting down");
        Duration took = stop.get();
        assertThat(took)
                .as("holders have their grace")
                .isBetween(GRACE, GRACE.plus(TIMEOUT).plus(Noise.now()).plus(Noise.now()));

        for (LockHandle lost : List.of(inner, held, owned)) {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
        }
        proxy.heal();
        Stopwatch free = Stopwatch.start();
        TestCallers.get(next).close();
        assertThat(free.elapsed()).isLessThan(REQUEST.lease().plus(Noise.now()));
        theirs.close();
        await().atMost(REQUEST.lease().multipliedBy(2).plus(Noise.LATEST)).until(() -> keys().isEmpty());
        other.stop();
        LeakCheck.of(Templates.PREFIX, redis).verify();
    }
}
