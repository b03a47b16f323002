/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An outage is a line in the log, not a flood. */
class QuietOutageTests extends AbstractFaultTests {

    private static final Duration OUTAGE = millis(3_000);

    @Test
    void isLoggedOnceHoweverManyCallersAndHoldsThereAre() {
        RedisLockTemplate locks = direct();
        List<TestCallers.Call<LockHandle>> calls = new ArrayList<>();
        try (Logs logs = Logs.capture(Level.INFO)) {
            List<LockHandle> held = IntStream.range(0, 5)
                    .mapToObj(i -> locks.acquire(leased("held-" + i, 1_000)))
                    .toList();
            crash();
            for (int i = 0; i < 20; i++) {
                String name = "wanted-" + i % 10;
                calls.add(callers.call(() -> {
                    LockHandle granted = locks.acquire(leased(name, 1_000).waitForever());
                    closeInTime(granted);
                    return granted;
                }));
            }
            HoldAssertions.assertAllTheTime(OUTAGE, () -> assertThat(calls).noneMatch(TestCallers.Call::isDone));
            held.forEach(handle -> assertThat(catchThrowable(handle::close)).isInstanceOf(LockLostException.class));
            restart();
            calls.forEach(TestCallers.Call::get);

            assertThat(logs.of("io.distributedlock"))
                    .as("down, up, and one line for each loss")
                    .hasSizeLessThanOrEqualTo(2 + held.size())
                    .filteredOn(line -> line.contains("was lost"))
                    .hasSize(held.size());
            assertThat(logs.of("io.lettuce"))
                    .as("a few of Lettuce, for two connections")
                    .hasSizeBetween(2, 16);
        }
    }
}
