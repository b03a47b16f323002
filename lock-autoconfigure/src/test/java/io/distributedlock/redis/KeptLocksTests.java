/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.Noise;
import io.distributedlock.transaction.LockReleaseSynchronization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/** The locks that a transaction keeps are released together at its end. */
class KeptLocksTests extends AbstractFaultTests {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

    private static final int LOCKS = 10;

    private List<LockHandle> completeWith(RedisLockTemplate locks, Runnable before) {
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
        try {
            List<LockHandle> handles = IntStream.range(0, LOCKS)
                    .mapToObj(i -> locks.acquire(LockRequest.of("kept-" + i)))
                    .toList();
            handles.forEach(handle -> assertThat(LockReleaseSynchronization.deferRelease(handle, true))
                    .isTrue());
            before.run();
            TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_COMMITTED);
            return handles;
        } finally {
            TransactionSynchronizationManager.clear();
        }
    }

    @Test
    void areAllReleased() {
        List<LockHandle> handles =
                completeWith(patient(), () -> assertThat(keys()).hasSize(LOCKS));

        assertThat(handles).noneMatch(LockHandle::isHeld);
        assertThat(keys()).isEmpty();
    }

    @Test
    void takeOneCommandTimeOutWhenRedisIsSilent() {
        RedisLockTemplate locks = direct(Templates.settings(COMMAND_TIMEOUT, Duration.ZERO));
        long begin = System.nanoTime();
        try (Logs logs = Logs.capture(Level.WARN)) {
            List<Stopwatch> watch = new ArrayList<>();

            completeWith(locks, () -> {
                redis.signal("STOP");
                watch.add(Stopwatch.start());
            });

            assertThat(watch.get(0).elapsed())
                    .isBetween(
                            COMMAND_TIMEOUT,
                            COMMAND_TIMEOUT.multipliedBy(LOCKS / 2).plus(Noise.longestSince(begin)));
            assertThat(logs.of("io.distributedlock.transaction")).hasSize(LOCKS);
        }
        redis.signal("CONT");
    }
}
