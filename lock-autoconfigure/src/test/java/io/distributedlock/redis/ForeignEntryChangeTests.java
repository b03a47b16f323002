/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Another client changes the entry of a lock that has a holder, and waiters in two instances. */
class ForeignEntryChangeTests extends AbstractFaultTests {

    private static final String KEY = "lock:{foreign}";

    private static final LockRequest REQUEST = leased("foreign", 750);

    /** Of a hold that lasts, and is renewed each second. */
    private static final LockRequest LASTING = leased("foreign", 3_000);

    /** A renewal interval and one time-out: until then a holder that has lost its lock is notified. */
    private static final Duration TOLD = REQUEST.lease().dividedBy(3).plus(TIMEOUT);

    private final List<Long> tokens = new CopyOnWriteArrayList<>();

    private final CountDownLatch firstMayEnd = new CountDownLatch(1);

    private RedisLockTemplate one;

    private RedisLockTemplate two;

    private LockHandle handle;

    private final CountDownLatch lost = new CountDownLatch(1);

    private void hold(LockRequest request) {
        one = patient();
        two = patient();
        handle = one.acquire(request);
        handle.onLost(lost::countDown);
        tokens.add(handle.fencingToken());
    }

    private List<TestCallers.Call<LockHandle>> waiters() {
        List<TestCallers.Call<LockHandle>> waiters = new ArrayList<>();
        for (RedisLockTemplate instance : List.of(one, one, two, two)) {
            waiters.add(callers.call(() -> {
                try (LockHandle granted = acquireInTheEnd(instance)) {
                    tokens.add(granted.fencingToken());
                    firstMayEnd.await();
                    assertThat(granted.isHeld())
                            .as("not touched by the late one")
                            .isTrue();
                    return granted;
                }
            }));
        }
        await().until(() -> one.inspect("foreign").orElseThrow().waitingInstances() == 1);
        AbstractLockContract.awaitWaitingIn(one, 2);
        AbstractLockContract.awaitWaitingIn(two, 2);
        return waiters;
    }

    /** A request is refused while Redis is out of memory. */
    private static LockHandle acquireInTheEnd(RedisLockTemplate instance) {
        while (true) {
            try {
                return instance.acquire(leased("foreign", 3_000).waitForever());
            } catch (LockUnavailableException e) {
                if (!String.valueOf(e.getMessage()).contains("OOM")) {
                    throw e;
                }
            }
        }
    }

    /** Not through the connection of the instances, and several in one step. */
    private void run(String commands) {
        try (RespClient client = redis.connect()) {
            client.callAll(Arrays.stream(commands.split(";", -1))
                    .map(command -> command.split(" ", -1))
                    .toList());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DEL lock:{foreign}",
                "FLUSHALL",
                "PEXPIRE lock:{foreign} 1",
                "HSET lock:{foreign} o somebody",
                "RENAME lock:{foreign} elsewhere",
                "CONFIG SET maxmemory-policy volatile-lru;CONFIG SET maxmemory 1;PING;CONFIG SET maxmemory 0",
                "CONFIG SET maxmemory-policy allkeys-random;CONFIG SET maxmemory 1;PING;CONFIG SET maxmemory 0",
                "force"
            })
    void theHolderLearnsOfItsLossAndTheNextTokensAreHigher(String how) {
        hold(REQUEST);
        List<TestCallers.Call<LockHandle>> waiters = waiters();

        Stopwatch watch = Stopwatch.start();
        if (how.equals("force")) {
            assertThat(two.forceRelease("foreign")).isTrue();
        } else {
            run(how);
        }
        AbstractLockContract.awaitLatch(lost, TOLD);
        await().until(() -> tokens.size() > 1);
        // Another caller's entry lives as long as it had to live.
        assertThat(watch.elapsed())
                .isLessThan(REQUEST.lease().plus(millis(1_000)).plus(Noise.now()));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        firstMayEnd.countDown();

        waiters.forEach(TestCallers.Call::get);
        assertThat(tokens).hasSize(5).isSorted().doesNotHaveDuplicates();
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PERSIST lock:{foreign}",
                "PEXPIRE lock:{foreign} 3600000",
                "PEXPIRE lock:{foreign} 2400",
                "HSET lock:{foreign} their field",
                "HDEL lock:{foreign} q"
            })
    void aChangeThatDoesNotEndTheHoldHasNoEffect(String how) {
        hold(LASTING);
        List<TestCallers.Call<LockHandle>> waiters = waiters();

        run(how);
        HoldAssertions.awaitRenewals(handle, 1, () -> assertThat(tokens).hasSize(1));
        assertThat(Long.parseLong(call("PTTL", KEY))).isPositive();
        handle.close();
        firstMayEnd.countDown();

        waiters.forEach(TestCallers.Call::get);
        assertThat(tokens).hasSize(5).isSorted().doesNotHaveDuplicates();
        assertNothingIsLeft();
    }

    /** The key of this lock now belongs to something else: it is not ours to remove. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET lock:{foreign} garbage",
                "DEL lock:{foreign};LPUSH lock:{foreign} garbage",
                "DEL lock:{foreign};HSET lock:{foreign} their field",
                "HDEL lock:{foreign} o;PERSIST lock:{foreign}",
                "HSET lock:{foreign} t garbage o garbage;PERSIST lock:{foreign}"
            })
    void aKeyOfAnotherTypeIsAnErrorForAllCallersAndIsNotChanged(String how) {
        hold(REQUEST);
        List<TestCallers.Call<LockHandle>> waiters = waiters();

        run(how);
        Map<String, String> before = content();
        try (CommandCounter counter = CommandCounter.start(redis)) {
            Stopwatch watch = Stopwatch.start();
            AbstractLockContract.awaitLatch(lost, TOLD);
            for (TestCallers.Call<LockHandle> waiter : waiters) {
                assertThat(waiter.failure())
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageContainingAll("'foreign'", "WRONGTYPE");
            }
            assertThat(watch.elapsed())
                    .as("no caller waits for ever")
                    .isLessThan(millis(1_000).plus(Noise.now()));
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
            HoldAssertions.assertAllTheTime(
                    millis(400), () -> assertThat(content()).isEqualTo(before));
            assertThat(counter.scriptsTried())
                    .as("scripts in %s, of four waiters and a holder", watch.elapsed())
                    .isLessThanOrEqualTo(10);
        }
        assertThat(content()).isEqualTo(before);
        run("DEL " + KEY);
        two.acquire(LASTING).close();
        assertNothingIsLeft();
    }

    /** It was "Unexpected reply of Redis", or no lock at all. */
    @ParameterizedTest
    @ValueSource(strings = {"HSET lock:{foreign} o theirs", "HSET lock:{foreign} o theirs t garbage"})
    void aHashThatIsNoLockIsNotShownAsOne(String how) {
        one = patient();
        two = patient();
        run(how);

        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> one.inspect("foreign"))
                .withMessageContainingAll("'foreign'", "WRONGTYPE", "a hash that is not a lock");

        run("DEL " + KEY);
        assertNothingIsLeft();
    }

    /** It was zero, as if the lock were about to become free. */
    @Test
    void aLockWhoseExpiryWasRemovedIsShownWithTheLongestLease() {
        one = patient();
        two = patient();
        handle = one.acquire(leased("foreign", 20_000));
        run("PERSIST " + KEY);

        assertThat(one.inspect("foreign").orElseThrow().remainingLease()).isEqualTo(LockRequest.MAX_LEASE);

        assertThat(two.tryAcquire(
                        LockRequest.of("foreign").lease(millis(20_000)).noWait()))
                .isEmpty();
        assertThat(one.inspect("foreign").orElseThrow().remainingLease()).isLessThanOrEqualTo(millis(20_000));
        handle.close();
        assertNothingIsLeft();
    }

    /** Where ids that must not win are kept, there is something else. */
    @Test
    void garbageAmongTheCancelledIsAnErrorAndDoesNotKeepAHolderFromReleasing() {
        hold(LASTING);
        run("SET " + KEY + "cancelled garbage");
        TestCallers.Call<LockHandle> waiter = callers.call(() -> two.acquire(REQUEST));
        assertThat(waiter.failure())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContainingAll("'foreign'", "WRONGTYPE");
        HoldAssertions.awaitRenewals(handle, 1);
        handle.close();
        assertThat(keys()).containsExactly(KEY + "cancelled");
        assertThat(catchThrowable(() -> one.acquire(REQUEST))).hasMessageContaining("WRONGTYPE");
        run("DEL " + KEY + "cancelled");
        one.acquire(LASTING).close();
        assertNothingIsLeft();
    }

    /** An unreadable line does not keep the lock from being released. */
    @Test
    void garbageInTheLineIsDroppedWithTheRelease() {
        hold(REQUEST);
        run("HSET " + KEY + " q garbage");
        handle.close();
        assertNothingIsLeft();
    }

    private Map<String, String> content() {
        String type = call("TYPE", KEY);
        return Map.of(
                type,
                switch (type) {
                    case "hash" -> call("HGETALL", KEY);
                    case "list" -> call("LRANGE", KEY, "0", "-1");
                    default -> call("GET", KEY);
                });
    }

    private void assertNothingIsLeft() {
        await().atMost(REQUEST.lease().multipliedBy(2).plus(Noise.LATEST)).until(() -> keys().isEmpty());
        Engines.awaitEmpty(one, REQUEST.lease());
        Engines.awaitEmpty(two, REQUEST.lease());
    }

    /** Before any renewal could find it out. */
    @Test
    void aReleaseOfALockThatWasOverwrittenReportsItsLoss() {
        LockHandle handle = direct().acquire(LockRequest.of("foreign"));
        run("SET " + KEY + " garbage");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        run("DEL " + KEY);
    }
}
