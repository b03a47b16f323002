/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What tokens show of the server's clock. Both clocks stand still until a test moves them. */
class ServerClockMonitorTests {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(2));

    private final ServerClockMonitor clock = new ServerClockMonitor(nanos::get);

    private long server = TimeUnit.DAYS.toMicros(20_000);

    private long floor;

    /** A token as the script makes it. */
    private @Nullable Duration acquire() {
        long token = Math.max(server, floor + 1);
        Duration setBack = clock.saw(token, floor, nanos.get());
        floor = token;
        return setBack;
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        server += TimeUnit.NANOSECONDS.toMicros(time.toNanos());
    }

    @Test
    void aClockThatRunsIsNotSetBack() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(acquire()).isNull();
            pass(Duration.ofMillis(17).multipliedBy(i));
        }
    }

    @Test
    void aStepBackIsReportedOnce() {
        acquire();
        pass(Duration.ofSeconds(60));
        server -= TimeUnit.SECONDS.toMicros(90);
        assertThat(acquire()).isBetween(Duration.ofSeconds(59), Duration.ofSeconds(60));
        for (int i = 0; i < 1_000; i++) {
            pass(Duration.ofMillis(20));
            assertThat(acquire()).isNull();
        }
        pass(Duration.ofSeconds(60));
        assertThat(acquire()).as("tokens are the clock again").isNull();
        pass(Duration.ofSeconds(60));
        server -= TimeUnit.SECONDS.toMicros(30);
        assertThat(acquire()).as("the next one").isBetween(Duration.ofSeconds(29), Duration.ofSeconds(30));
    }

    @Test
    void aStepBackIsSeenAlthoughTheClockIsAheadOfEveryToken() {
        acquire();
        pass(Duration.ofHours(1));
        server -= TimeUnit.MINUTES.toMicros(30);
        assertThat(acquire()).isBetween(Duration.ofMinutes(29), Duration.ofMinutes(30));
    }

    @Test
    void driftAndSmallStepsAreNoStepBack() {
        acquire();
        pass(Duration.ofDays(30));
        server -= TimeUnit.DAYS.toMicros(30) / 2_000;
        assertThat(acquire()).isNull();
        pass(Duration.ofSeconds(10));
        server -= TimeUnit.SECONDS.toMicros(1);
        assertThat(acquire()).isNull();
    }

    /** Local passes may hand out tokens faster than one in a microsecond. */
    @Test
    void tokensThatAreAheadOfTheClockShowNothing() {
        acquire();
        floor += TimeUnit.SECONDS.toMicros(30);
        for (int i = 0; i < 100; i++) {
            pass(Duration.ofSeconds(1));
            assertThat(acquire()).isNull();
        }
    }

    @Test
    void aReplyThatWasLongUnderWayProvesNothing() {
        acquire();
        long sentAt = nanos.get();
        long token = server + 1;
        pass(Duration.ofSeconds(60));
        assertThat(clock.saw(token, floor, sentAt)).isNull();
    }
}
