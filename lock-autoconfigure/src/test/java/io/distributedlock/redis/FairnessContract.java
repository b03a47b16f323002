/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.CommandLog;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many callers in many instances: who is next, and what it costs to tell. */
abstract class FairnessContract extends AbstractLockContract {

    private static final LockRequest REQUEST = LockRequest.of("shared").waitForever();

    /** Until then, an instance has heard that another one waits. */
    private static final Duration REACTION = millis(30);

    FairnessContract(LockServer server) {
        super(server);
    }

    /** To the first in line, and to no other caller. */
    @Test
    void handingOverIsOneMessageToOneInstance() {
        List<RedisLockTemplate> instances =
                List.of(first, second, template(Templates.PATIENT), template(Templates.PATIENT));
        LockHandle handle = first.acquire(REQUEST);
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        for (int i = 1; i < instances.size(); i++) {
            RedisLockTemplate instance = instances.get(i);
            calls.add(callers.call(() -> {
                try (LockHandle granted = instance.acquire(REQUEST)) {
                    HoldAssertions.assertHeldFor(granted, millis(20), () -> {});
                    return granted;
                }
            }));
            awaitWaiting(i);
        }
        try (CommandLog log = logOf(onlyKey())) {
            handle.close();
            calls.forEach(TestCallers.Call::get);
            List<String> grants = log.calls(server.publishCommand()).stream()
                    .filter(entry -> entry.words().get(1).startsWith("grant "))
                    .map(entry -> entry.words().get(0))
                    .toList();
            assertThat(grants).as("channels").hasSize(3).doesNotHaveDuplicates();
        }
    }

    /** Whatever their number: those who wait do nothing for it. */
    @Test
    void handingOverTakesTwoCommandsAtMostHoweverManyWait() {
        int instances = 5;
        int threads = 6;
        int cycles = 20;
        List<RedisLockTemplate> templates = IntStream.range(0, instances)
                .mapToObj(i -> template(Templates.fairness(0, Duration.ZERO)))
                .toList();
        templates.forEach(instance -> instance.acquire(REQUEST).close());
        AtomicBoolean go = new AtomicBoolean();
        List<Long> tokens = new CopyOnWriteArrayList<>();
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        LockHandle handle = templates.get(0).acquire(REQUEST);
        for (RedisLockTemplate instance : templates) {
            for (int i = 0; i < threads; i++) {
                calls.add(callers.call(() -> {
                    for (int n = 0; n < cycles; n++) {
                        try (LockHandle granted = instance.acquire(REQUEST)) {
                            tokens.add(granted.fencingToken());
                        }
                    }
                    return go;
                }));
            }
        }
        templates.forEach(instance -> awaitWaitingIn(instance, threads));
        awaitWaiting(instances - 1);
        try (CommandCounter counter = CommandCounter.start(server.serverOf(onlyKey()))) {
            Stopwatch watch = Stopwatch.start();
            handle.close();
            calls.forEach(TestCallers.Call::get);
            int handOvers = instances * threads * cycles;
            long routine = instances * (watch.elapsed().toMillis() / 500 + 2);
            assertThat(tokens).hasSize(handOvers).isSorted().doesNotHaveDuplicates();
            assertThat(counter.scripts()).as("scripts").isBetween((long) handOvers / 2, 2L * handOvers + routine);
        }
    }

    @Test
    void withoutLocalHandOversTheInstancesTakeTurns() {
        List<RedisLockTemplate> instances = IntStream.range(0, 3)
                .mapToObj(i -> template(Templates.fairness(0, Duration.ofHours(1))))
                .toList();
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        LockHandle handle = first.acquire(REQUEST);
        for (int i = 0; i < 3; i++) {
            int number = i;
            for (int thread = 0; thread < 10; thread++) {
                calls.add(callers.call(() -> {
                    try (LockHandle granted = instances.get(number).acquire(REQUEST)) {
                        assertThat(granted.isHeld()).isTrue();
                        served.add(number);
                        return number;
                    }
                }));
                awaitWaitingIn(instances.get(number), thread + 1);
            }
            awaitWaiting(i + 1);
        }
        handle.close();
        calls.forEach(TestCallers.Call::get);
        assertThat(served)
                .containsExactlyElementsOf(
                        IntStream.range(0, 30).mapToObj(i -> i % 3).toList());
    }

    /** What the instance did before does not count against it. */
    @Test
    void thePassesCountFromWhenTheOtherInstanceBeganToWait() {
        RedisLockTemplate busy = template(Templates.fairness(32, Duration.ofHours(1)));
        HoldAssertions.assertUnlessStalled(REACTION, () -> assertPassesCountFromTheWait(busy));
    }

    private void assertPassesCountFromTheWait(RedisLockTemplate busy) {
        List<String> served = passOnAndLetIn(busy, 100, 60, Duration.ZERO);
        assertThat(served.indexOf("other")).as("served in the instance first").isBetween(100 + 32, 100 + 50);
    }

    @Test
    void theTimeCountsFromWhenTheOtherInstanceBeganToWait() {
        Duration batch = millis(800);
        RedisLockTemplate busy = template(Templates.fairness(1_000_000, batch));
        HoldAssertions.assertUnlessStalled(batch.dividedBy(4), () -> assertPassesCountFromTheWait(busy, batch));
    }

    private void assertPassesCountFromTheWait(RedisLockTemplate busy, Duration batch) {
        Duration section = millis(16);
        Stopwatch watch = Stopwatch.start();
        List<String> served = passOnAndLetIn(busy, 60, 100, section);
        long passes = served.indexOf("other") - 60;
        assertThat(watch.elapsed()).isGreaterThan(section.multipliedBy(60));
        assertThat(passes)
                .as("passes of %s within %s", section, batch)
                .isBetween(2L, batch.plus(Noise.now()).dividedBy(section));
    }

    /**
     * The instance passes the lock on among its callers; from the last of the first ones on, one of another instance
     * wants it too. Returns who was served, in order.
     */
    private List<String> passOnAndLetIn(RedisLockTemplate busy, int before, int after, Duration section) {
        List<String> served = Collections.synchronizedList(new ArrayList<>());
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        LockHandle handle = busy.acquire(REQUEST);
        for (int i = 0; i < before + after; i++) {
            int number = i;
            calls.add(callers.call(() -> {
                try (LockHandle granted = busy.acquire(REQUEST)) {
                    served.add("own");
                    HoldAssertions.assertHeldFor(granted, section, () -> {});
                    if (number == before - 1) {
                        letIn(served);
                        HoldAssertions.assertHeldFor(granted, REACTION, () -> {});
                    }
                    return granted;
                }
            }));
            awaitWaitingIn(busy, i + 1);
        }
        handle.close();
        calls.forEach(TestCallers.Call::get);
        await().until(() -> served.contains("other"));
        return List.copyOf(served);
    }

    private void letIn(List<String> served) {
        callers.call(() -> {
            try (LockHandle granted = second.acquire(REQUEST)) {
                served.add("other");
                return granted;
            }
        });
        awaitWaiting(1);
    }

    private void awaitWaiting(int expected) {
        await().pollInterval(millis(2))
                .until(() ->
                        first.inspect("shared").map(LockState::waitingInstances).orElse(0) == expected);
    }
}
