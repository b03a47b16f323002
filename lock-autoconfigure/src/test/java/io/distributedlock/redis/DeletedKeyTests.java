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
import io.distributedlock.LockState;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An operator deletes the entry of a lock, and with it its holder and its waiters. */
class DeletedKeyTests extends AbstractFaultTests {

    private static final LockRequest REQUEST = LockRequest.of("deleted").waitForever();

    /** Every waiter asks again after this time. */
    private static final Duration POLL = Duration.ofSeconds(1);

    @ParameterizedTest
    @ValueSource(strings = {"DEL lock:{deleted}", "FLUSHALL;SCRIPT FLUSH"})
    void waitersGetTheLockSoonAndTokensGrow(String commands) {
        RedisLockTemplate holder = patient();
        List<RedisLockTemplate> others = List.of(patient(), patient());
        LockHandle handle = holder.acquire(leased("deleted", 1_500));
        List<Long> tokens = new CopyOnWriteArrayList<>(List.of(handle.fencingToken()));
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        for (RedisLockTemplate instance : others) {
            for (int i = 0; i < 3; i++) {
                calls.add(callers.call(() -> {
                    try (LockHandle granted = instance.acquire(REQUEST)) {
                        tokens.add(granted.fencingToken());
                        return granted;
                    }
                }));
            }
        }
        await().until(() ->
                holder.inspect("deleted").map(LockState::waitingInstances).orElse(0) == 2);
        others.forEach(instance -> AbstractLockContract.awaitWaitingIn(instance, 3));
        Stopwatch watch = Stopwatch.start();
        try (RespClient client = redis.connect()) {
            for (String command : commands.split(";", -1)) {
                client.call(command.split(" ", -1));
            }
        }
        calls.forEach(TestCallers.Call::get);
        assertThat(watch.elapsed()).isLessThan(POLL.plus(Noise.now()));
        assertThat(tokens).hasSize(7).isSorted().doesNotHaveDuplicates();
        HoldAssertions.awaitLoss(handle, millis(1_500));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        assertThat(keys()).isEmpty();
    }

    /**
     * It happens again and again: no waiter is forgotten, and Redis assigns no token twice. An instance that has not
     * noticed it yet may count on locally to the token of the next owner.
     */
    @Test
    void aKeyThatIsDeletedRepeatedlyDoesNotStopTheCallers() {
        AtomicBoolean stop = new AtomicBoolean();
        List<Set<Long>> tokens = new ArrayList<>();
        AtomicReference<Duration> longest = new AtomicReference<>(Duration.ZERO);
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        for (RedisLockTemplate instance : List.of(patient(), patient(), patient())) {
            Set<Long> its = ConcurrentHashMap.newKeySet();
            tokens.add(its);
            for (int i = 0; i < 2; i++) {
                calls.add(callers.call(() -> {
                    while (!stop.get()) {
                        Stopwatch watch = Stopwatch.start();
                        LockHandle handle = instance.acquire(REQUEST);
                        longest.accumulateAndGet(watch.elapsed(), (a, b) -> a.compareTo(b) > 0 ? a : b);
                        assertThat(its.add(handle.fencingToken())).isTrue();
                        try {
                            handle.close();
                        } catch (LockLostException e) {
                            // Its key was deleted.
                        }
                    }
                    return stop;
                }));
            }
        }
        Stopwatch deleting = Stopwatch.start();
        try (RespClient client = redis.connect()) {
            long[] deletions = {0, 0};
            await().atMost(Noise.patience()).pollInterval(millis(5)).until(() -> {
                deletions[0] += client.number("DEL", "lock:{deleted}");
                return ++deletions[1] >= 300 && deletions[0] > 50;
            });
        }
        Duration deletedFor = deleting.elapsed();
        stop.set(true);
        calls.forEach(TestCallers.Call::get);
        assertThat(tokens.stream().mapToInt(Set::size).sum()).isGreaterThan(100);
        for (Set<Long> its : tokens) {
            for (Set<Long> others : tokens) {
                assertThat(its)
                        .as("tokens that Redis has assigned")
                        .noneMatch(token -> its != others
                                && others.contains(token)
                                && !its.contains(token - 1)
                                && !others.contains(token - 1));
            }
        }
        // An unlucky waiter loses each new place in line as well, until it ends.
        assertThat(longest.get()).isLessThan(deletedFor.plus(POLL).plus(Noise.now()));
        assertThat(keys()).isEmpty();
    }
}
