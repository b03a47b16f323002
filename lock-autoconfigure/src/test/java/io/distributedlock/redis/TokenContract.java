/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.Seeds;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Every hold has a higher token than all before it. */
abstract class TokenContract extends AbstractLockContract {

    private static final int HOLDS = TestLength.of("token.holds", 2_000, 10_000);

    private static final LockRequest REQUEST = LockRequest.of("fenced");

    TokenContract(LockServer server) {
        super(server);
    }

    @Test
    void growsHoweverHoldsEnd() {
        long seed = Seeds.of("token.seed");
        Random random = new Random(seed);
        long last = 0;
        for (int i = 0; i < HOLDS; i++) {
            RedisLockTemplate instance = random.nextBoolean() ? first : second;
            long token = holdAndEnd(instance, random.nextInt(1_000));
            assertThat(token).as("hold %d, seed %d", i, seed).isGreaterThan(last);
            last = token;
        }
        assertThat(keys()).isEmpty();
    }

    private long holdAndEnd(RedisLockTemplate instance, int dice) {
        if (dice < 10) {
            return letExpire(instance);
        }
        LockHandle handle = instance.acquire(REQUEST);
        if (dice < 80) {
            assertThat((dice % 2 == 0 ? first : second).forceRelease("fenced")).isTrue();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        } else if (dice < 90) {
            server.servers().forEach(TokenContract::empty);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        } else if (dice < 200) {
            try (LockHandle again = instance.acquire(REQUEST)) {
                assertThat(again.fencingToken()).isEqualTo(handle.fencingToken());
            }
            handle.close();
        } else {
            handle.close();
        }
        return handle.fencingToken();
    }

    private long letExpire(RedisLockTemplate instance) {
        LockHandle handle = instance.acquire(leased("fenced", 10).renew(false));
        await().pollInterval(Duration.ofMillis(1)).until(() -> keys().isEmpty());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        return handle.fencingToken();
    }

    private static void empty(EmbeddedRedis server) {
        try (RespClient client = server.connect()) {
            client.call("FLUSHALL");
        }
    }

    @Test
    void growsWhenRedisHasLostEverythingAndTheNextInstanceHasSeenNothing() {
        for (int i = 0; i < 3; i++) {
            first.acquire(REQUEST).close();
        }
        LockHandle lost = first.acquire(REQUEST);
        server.servers().forEach(TokenContract::empty);
        try (LockHandle next = second.acquire(REQUEST)) {
            assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
            assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
        }
    }

    @Test
    void growsFromCallerToCaller() {
        AtomicLong highest = new AtomicLong();
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            RedisLockTemplate instance = i % 2 == 0 ? first : second;
            calls.add(callers.call(() -> {
                for (int n = 0; n < 200; n++) {
                    try (LockHandle handle = instance.acquire(REQUEST.waitForever())) {
                        assertThat(handle.fencingToken()).isGreaterThan(highest.getAndSet(handle.fencingToken()));
                    }
                }
                return highest;
            }));
        }
        calls.forEach(TestCallers.Call::get);
    }

    /** Many passes inside one instance are a token each, which the next instance must not give out again. */
    @Test
    void growsWhenTheNextInstanceTakesOverFromOneThatPassedTheLockOn() {
        for (int round = 0; round < 20; round++) {
            LockHandle handle = first.acquire(REQUEST);
            List<TestCallers.Call<Long>> calls = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                calls.add(callers.call(() -> {
                            try (LockHandle next = first.acquire(REQUEST)) {
                                return next.fencingToken();
                            }
                        })
                        .awaitBlocked());
            }
            handle.close();
            long highest = calls.stream().mapToLong(TestCallers.Call::get).max().orElseThrow();
            assertThat(highest).isGreaterThan(handle.fencingToken());
            try (LockHandle next = second.acquire(REQUEST)) {
                assertThat(next.fencingToken()).isGreaterThan(highest);
            }
        }
    }

    @Test
    void isPositiveAndExact() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            assertThat(handle.fencingToken()).isPositive().isLessThan(1L << 53);
            assertThat(second.inspect("fenced").orElseThrow().fencingToken()).isEqualTo(handle.fencingToken());
        }
    }
}
