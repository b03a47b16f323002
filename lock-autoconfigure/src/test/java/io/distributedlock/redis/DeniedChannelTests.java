/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** The user of the locks may not listen for a while, which a change of rights by mistake does. */
class DeniedChannelTests extends AbstractFaultTests {

    private RespClient operator;

    @BeforeEach
    void login() {
        call("ACL", "SETUSER", "operator", "on", "nopass", "~*", "&*", "+@all");
        operator = redis.connect();
        operator.call("AUTH", "operator", "any");
    }

    @AfterEach
    void logout() {
        operator.close();
    }

    private int channels() {
        return operator.list("PUBSUB", "CHANNELS").size();
    }

    private boolean subscriptionRefused() {
        return operator.text("INFO", "errorstats").contains("errorstat_NOPERM");
    }

    /** Redis ends the connection of who listens to what it may not any more. */
    @Test
    void subscribesAgainWhenTheRightIsGranted() {
        RedisLockTemplate locks = patient();
        await().until(() -> channels() == 1);
        operator.call("ACL", "SETUSER", "default", "resetchannels");
        await().until(() -> channels() == 0 && subscriptionRefused());
        operator.call("ACL", "SETUSER", "default", "allchannels");
        await().until(() -> channels() == 1);
        assertThat(locks.isRunning()).isTrue();
    }

    /** The others hand the lock on among themselves all the time, so it is never free. */
    @Test
    void anInstanceThatMayNotListenGetsItsTurn() {
        RedisLockTemplate deaf = notListening();
        LockRequest request = LockRequest.of("busy").lease(Duration.ofSeconds(30));
        AtomicBoolean stop = new AtomicBoolean();
        List<TestCallers.Call<Integer>> busy = IntStream.range(0, 4)
                .mapToObj(i -> direct(Templates.PATIENT))
                .map(locks -> callers.call(() -> {
                    int turns = 0;
                    while (!stop.get()) {
                        locks.acquire(request.waitForever()).close();
                        turns++;
                    }
                    return turns;
                }))
                .toList();
        await().until(() ->
                deaf.inspect("busy").map(LockState::waitingInstances).orElse(0) >= 2);

        deaf.acquire(request.waitUpTo(Duration.ofSeconds(40))).close();

        stop.set(true);
        assertThat(busy).allSatisfy(call -> assertThat(call.get()).isPositive());
    }

    /**
     * No other instance is in line, so each release frees the lock, and the same caller has it again long before the
     * next request of the instance that does not listen.
     */
    @Test
    void anInstanceThatMayNotListenGetsItsTurnBesideACallerThatNeverWaits() {
        RedisLockTemplate deaf = notListening();
        RedisLockTemplate locks = direct(Templates.PATIENT);
        LockRequest request = LockRequest.of("looped").lease(Duration.ofSeconds(30));
        AtomicBoolean stop = new AtomicBoolean();
        TestCallers.Call<Integer> loop = callers.call(() -> {
            int turns = 0;
            while (!stop.get()) {
                try (LockHandle held = locks.acquire(request.waitForever())) {
                    await().pollDelay(Duration.ofMillis(20)).until(held::isHeld);
                    turns++;
                }
            }
            return turns;
        });
        await().until(() -> deaf.inspect("looped").isPresent());

        for (int turn = 0; turn < 3; turn++) {
            Optional<LockHandle> held = deaf.tryAcquire(request.waitUpTo(Duration.ofSeconds(10)));
            assertThat(held).isPresent();
            held.get().close();
        }

        stop.set(true);
        assertThat(loop.get()).isPositive();
    }

    private RedisLockTemplate notListening() {
        operator.call("ACL", "SETUSER", "deaf", "reset", "on", ">pw", "~*", "+@all", "resetchannels");
        RedisStandaloneConfiguration target = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
        target.setUsername("deaf");
        target.setPassword("pw");
        return templates.on(StandaloneServer.connectionFactory(target));
    }

    @Test
    void listensWhenTheRightComesAfterTheStart() {
        operator.call("ACL", "SETUSER", "default", "resetchannels");
        RedisLockTemplate locks = direct();
        await().until(this::subscriptionRefused);
        operator.call("ACL", "SETUSER", "default", "allchannels");
        await().until(() -> channels() == 1);
        assertThat(locks.isRunning()).isTrue();
    }
}
