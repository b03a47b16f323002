/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RandomMoments;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.SafetyViolation;
import io.distributedlock.testing.SafetyViolations;
import io.distributedlock.testing.Seeds;
import io.distributedlock.testing.StopSignal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Everything at once, in an order that a seed decides. Redis loses nothing, so no two callers may hold a lock. */
@ExtendWith(SafetyViolations.class)
class ChaosTests extends AbstractFaultTests {

    private static final Duration TIME = Duration.ofSeconds(6);

    private static final Duration LEASE = millis(1_500);

    private static final int NAMES = 3;

    private final long seed = Seeds.of("chaos.seed");

    /** Also set by the first violation: nothing more needs to happen then. */
    private final StopSignal over = new StopSignal();

    private final Map<String, AtomicReference<Optional<LockHandle>>> latest = new ConcurrentHashMap<>();

    private final Set<String> tokens = ConcurrentHashMap.newKeySet();

    private final AtomicInteger holds = new AtomicInteger();

    private final Map<String, AtomicInteger> outcomes = new ConcurrentHashMap<>();

    private final Map<String, Integer> faults = new TreeMap<>();

    @Test
    void noTwoCallersHoldTheLockAtOnce() {
        List<RedisLockTemplate> instances = List.of(direct(), proxied(), proxied());
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            RedisLockTemplate instance = instances.get(i % instances.size());
            Random random = new Random(seed + i);
            calls.add(callers.call(() -> {
                while (!over.isSet()) {
                    attempt(instance, random);
                }
                return instance;
            }));
        }
        breakThings(new Random(seed));
        over.set();
        proxy.heal();
        calls.forEach(TestCallers.Call::get);
        System.out.println(
                "ChaosTests.noTwoCallersHoldTheLockAtOnce: " + holds + " holds, " + outcomes + ", faults " + faults);
        assertThat(holds.get())
                .as("a run in which nothing happens proves nothing")
                .isGreaterThan(20);
        await("nothing is left, seed " + seed)
                .atMost(LEASE.multipliedBy(2).plus(Noise.LATEST))
                .until(() -> keys().isEmpty());
        for (int i = 0; i < NAMES; i++) {
            closeInTime(instances.get(i).acquire(request(i).waitUpTo(Noise.LATEST)));
        }
    }

    private static LockRequest request(int name) {
        return leased("chaos-" + name, LEASE.toMillis());
    }

    private void attempt(RedisLockTemplate instance, Random random) {
        LockRequest request = request(random.nextInt(NAMES));
        try {
            switch (random.nextInt(5)) {
                case 0 -> instance.tryAcquire(request.noWait()).ifPresent(handle -> hold(handle, random));
                case 1 -> cancelled(instance, request, random);
                case 2 -> hold(instance.acquire(request.renew(false).waitUpTo(millis(300))), random);
                case 3 -> hold(instance.acquire(request.waitUpTo(millis(1))), random);
                default -> hold(instance.acquire(request.waitUpTo(millis(500))), random);
            }
        } catch (DistributedLockException e) {
            outcomes.computeIfAbsent(e.getClass().getSimpleName(), type -> new AtomicInteger())
                    .incrementAndGet();
        }
    }

    private void cancelled(RedisLockTemplate instance, LockRequest request, Random random) {
        CompletableFuture<LockHandle> future =
                instance.acquireAsync(request.waitForever()).toCompletableFuture();
        if (RandomMoments.isDoneWithin(random.nextInt(2_000_000), future) || !future.cancel(true)) {
            hold(TestCallers.get(future), random);
        }
    }

    private void hold(LockHandle handle, Random random) {
        try (handle) {
            Optional<LockHandle> before = latest.computeIfAbsent(
                            handle.name(), name -> new AtomicReference<>(Optional.empty()))
                    .getAndSet(Optional.of(handle));
            boolean stillHeld = before.filter(LockHandle::isHeld).isPresent();
            if (stillHeld && handle.isHeld()) {
                throw violation("two at once", before + " " + handle);
            }
            if (!tokens.add(handle.name() + " " + handle.fencingToken())) {
                throw violation("a token that another hold has", handle.toString());
            }
            holds.incrementAndGet();
            over.isSetWithin(random.nextInt(random.nextInt(20) == 0 ? 30_000_000 : 300_000));
        }
    }

    private SafetyViolation violation(String what, String holds) {
        over.set();
        return new SafetyViolation(what + ", seed " + seed + ": " + holds);
    }

    private void breakThings(Random random) {
        Stopwatch watch = Stopwatch.start();
        while (!over.isSet() && watch.elapsed().compareTo(TIME) < 0) {
            pause(random.nextInt(150));
            switch (random.nextInt(7)) {
                case 0 -> broken("subscriptions", Integer.parseInt(call("CLIENT", "KILL", "TYPE", "pubsub")));
                case 1 -> broken("connections", killCommandConnections());
                case 2 -> broken("proxied connections", proxy.cut());
                case 3 -> broken("scripts", call("SCRIPT", "FLUSH").equals("OK") ? 1 : 0);
                case 4 -> heldUp(random.nextInt(600));
                case 5 -> lateBytes(random.nextInt(300));
                default -> stopped(random.nextInt(300));
            }
        }
    }

    private int killCommandConnections() {
        try (RespClient client = redis.connect()) {
            return (int) client.number("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        }
    }

    private void heldUp(int millis) {
        proxy.blackHole();
        pause(millis);
        broken("bytes held up", (int)
                (proxy.requests().pending() + proxy.replies().pending()));
        proxy.heal();
    }

    private void lateBytes(int millis) {
        proxy.requests().hold();
        pause(20);
        broken("abandoned connections", proxy.abandon());
        proxy.heal();
        pause(millis);
        proxy.deliverAbandoned();
    }

    private void stopped(int millis) {
        redis.signal("STOP");
        pause(millis);
        redis.signal("CONT");
        broken("stops", 1);
    }

    private void broken(String what, int count) {
        faults.merge(what, count, Integer::sum);
    }

    /** A fault lasts so long, unless a violation has ended the run. */
    private void pause(int millis) {
        over.isSetWithin(millis(millis).toNanos());
    }
}
