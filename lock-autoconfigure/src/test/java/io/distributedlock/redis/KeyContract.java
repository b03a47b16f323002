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
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What is in Redis, what is shown of it, and what happens when another caller touches it. */
abstract class KeyContract extends AbstractLockContract {

    private static final LockRequest REQUEST = leased("seen", 20_000);

    KeyContract(LockServer server) {
        super(server);
    }

    @Test
    void inspectShowsTheHolder() {
        assertThat(first.inspect("seen")).isEmpty();
        Stopwatch watch = Stopwatch.start();
        try (LockHandle handle = first.acquire(REQUEST)) {
            LockState state = second.inspect("seen").orElseThrow();
            Duration passed = watch.elapsed().plusMillis(2);
            assertThat(state.name()).isEqualTo("seen");
            assertThat(state.fencingToken()).isEqualTo(handle.fencingToken());
            assertThat(state.remainingLease()).isBetween(millis(20_000).minus(passed), millis(20_000));
            assertThat(state.waitingInstances()).isZero();
            assertThat(first.inspect("seen").orElseThrow().owner()).isNotBlank().isEqualTo(state.owner());
        }
        assertThat(second.inspect("seen")).isEmpty();
        try (LockHandle handle = second.acquire(REQUEST)) {
            String other = first.inspect("seen").orElseThrow().owner();
            assertThat(handle.isHeld()).isTrue();
            first.acquire(LockRequest.of("mine")).close();
            try (LockHandle mine = first.acquire(LockRequest.of("mine"))) {
                assertThat(mine.isHeld()).isTrue();
                assertThat(first.inspect("mine").orElseThrow().owner()).isNotEqualTo(other);
            }
        }
    }

    @Test
    void inspectCountsInstancesThatWait() {
        List<TestCallers.Call<LockHandle>> calls = new ArrayList<>();
        try (LockHandle handle = first.acquire(REQUEST)) {
            for (RedisLockTemplate instance : List.of(second, second, second, first, template(Templates.PATIENT))) {
                calls.add(callers.call(() -> {
                    try (LockHandle granted = instance.acquire(REQUEST)) {
                        return granted;
                    }
                }));
            }
            calls.forEach(TestCallers.Call::awaitBlocked);
            await().until(() -> first.inspect("seen").orElseThrow().waitingInstances() == 2);
            HoldAssertions.assertHeldFor(
                    handle,
                    millis(250),
                    () -> assertThat(first.inspect("seen").orElseThrow().waitingInstances())
                            .isEqualTo(2));
        }
        calls.forEach(TestCallers.Call::get);
    }

    /** A reader of the id of an acquisition could release it, so it is shown nowhere. */
    @Test
    void inspectKeepsTheAcquisitionSecret() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            String key = onlyKey();
            try (RespClient client = redisOf(key)) {
                LockState state = second.inspect("seen").orElseThrow();
                List<String> secrets = client.list("HVALS", key).stream()
                        .filter(value -> value.length() > 20)
                        .toList();
                assertThat(secrets).isNotEmpty();
                for (String secret : secrets) {
                    assertThat(state.toString()).doesNotContain(secret.substring(secret.length() - 20));
                    assertThat(handle.toString()).doesNotContain(secret.substring(secret.length() - 20));
                }
            }
        }
    }

    @Test
    void holdsOneKeyWhichAlwaysExpires() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            assertThat(handle.isHeld()).isTrue();
            TestCallers.Call<?> waiter = callers.call(() -> second.tryAcquire(REQUEST.waitUpTo(millis(300))));
            HoldAssertions.assertAllTheTime(
                    millis(200), () -> assertThat(onlyTtl()).isBetween(1L, 20_000L));
            waiter.get();
        }
        // A waiter that gives up sends that on a connection of its own, perhaps after the lock was handed to it.
        await().until(() -> keys().isEmpty());
    }

    @Test
    void aKeyOfAWrongTypeIsAnErrorAtOnceAndIsLeftAlone() {
        LockHandle handle = first.acquire(REQUEST);
        String key = onlyKey();
        handle.close();
        try (RespClient client = redisOf(key)) {
            client.call("SET", key, "garbage");
            assertUnavailableAtOnce();
            assertThat(client.text("GET", key)).isEqualTo("garbage");
            client.call("DEL", key);
            client.call("RPUSH", key, "garbage");
            assertUnavailableAtOnce();
            client.call("DEL", key);
            client.call("HSET", key, "their", "field");
            assertUnavailableAtOnce();
            assertThat(client.list("HGETALL", key)).containsExactly("their", "field");
            client.call("DEL", key);
        }
        first.acquire(REQUEST).close();
    }

    private void assertUnavailableAtOnce() {
        Duration took = Stopwatch.time(() -> {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> first.acquire(REQUEST))
                    .satisfies(e -> assertThat(e.lockName()).isEqualTo("seen"))
                    .withMessageContaining("WRONGTYPE");
            assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> second.tryAcquire(REQUEST));
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> second.tryAcquire(REQUEST.noWait()));
        });
        assertThat(took).isLessThan(Noise.now());
    }

    /** It is the lease of the holder, however short that of the one who asks is. */
    @Test
    void aKeyWithoutExpiryGetsOneAndTheHolderKeepsTheLock() {
        LockHandle handle = first.acquire(leased("seen", 60_000));
        String key = onlyKey();
        try (RespClient client = redisOf(key)) {
            assertThat(client.number("PERSIST", key)).isEqualTo(1);
            assertThat(second.tryAcquire(leased("seen", 15_000).noWait())).isEmpty();
            assertThat(client.number("PTTL", key)).isBetween(40_000L, 60_000L);
        }
        assertThat(handle.isHeld()).isTrue();
        handle.close();
        try (LockHandle next = second.acquire(REQUEST)) {
            assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
        }
    }

    @Test
    void forgottenScriptsAreTransparent() {
        AtomicBoolean stop = new AtomicBoolean();
        TestCallers.Call<Integer> flusher = callers.call(() -> {
            int flushes = 0;
            try (RespClient client = server.servers().get(0).connect()) {
                for (; !stop.get(); flushes++) {
                    client.call("SCRIPT", "FLUSH");
                }
            }
            return flushes;
        });
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        for (RedisLockTemplate instance : List.of(first, first, second, second)) {
            calls.add(callers.call(() -> {
                for (int i = 0; i < 60; i++) {
                    instance.acquire(REQUEST).close();
                    instance.inspect("seen");
                }
                return instance;
            }));
        }
        calls.forEach(TestCallers.Call::get);
        stop.set(true);
        assertThat(flusher.get()).isGreaterThan(20);
    }

    @Test
    void manyLocksLeaveNothingBehind() {
        for (int round = 0; round < 2; round++) {
            List<LockHandle> handles = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                handles.add(first.acquire(leased("many:" + i, 6_000)));
            }
            if (round == 0) {
                HoldAssertions.awaitRenewalOfEach(handles);
            }
            assertThat(keys()).hasSize(2_000);
            handles.forEach(LockHandle::close);
            assertThat(keys()).isEmpty();
        }
    }
}
