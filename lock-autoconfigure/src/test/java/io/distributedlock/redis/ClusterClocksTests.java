/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is known of the clocks of a cluster, with clocks that the test moves. */
class ClusterClocksTests {

    private static final long EPOCH = 1_700_000_000_000_000L;

    private final AtomicLong nanos = new AtomicLong(5_000_000_000L);

    private final ClusterClocks clocks = new ClusterClocks(nanos::get);

    /** The clock of a server that is ahead of the others by that many microseconds. */
    private long serverClock(long ahead) {
        return EPOCH + nanos.get() / 1_000 + ahead;
    }

    private void ask(String node, long ahead, Duration there, Duration back) {
        long sentAt = nanos.get();
        nanos.addAndGet(there.toNanos());
        long shown = serverClock(ahead);
        nanos.addAndGet(back.toNanos());
        clocks.replied(node, shown, sentAt);
    }

    @Test
    void knowsNothingAtFirst() {
        assertThat(clocks.mostAdvanced()).isZero();
    }

    @Test
    void isNeverAheadOfTheMostAdvancedClockAndBehindByTheShortestWayOnly() {
        Random random = new Random(17);
        ask("a", 0, Duration.ofMillis(1), Duration.ofMillis(1));
        ask("b", 50_000, Duration.ofMillis(1), Duration.ofNanos(100_000));
        for (int i = 0; i < 1_000; i++) {
            String node = random.nextBoolean() ? "a" : "b";
            long ahead = node.equals("b") ? 50_000 : 0;
            ask(node, ahead, Duration.ofMillis(random.nextInt(3_000)), Duration.ofMillis(random.nextInt(20)));
            long real = serverClock(50_000);
            assertThat(clocks.mostAdvanced()).isBetween(real - 20_000, real);
        }
    }

    /** An instance that starts after a failover asks the servers that are not masters, too. */
    @Test
    void countsAServerThatMayHaveBeenAMaster() {
        ask("a", 0, Duration.ofMillis(1), Duration.ofMillis(1));
        long shown = serverClock(60_000_000);
        try (Logs logs = Logs.capture(Level.WARN)) {
            clocks.surveyed(List.of(serverClock(0), shown));
            assertThat(logs.of("io.distributedlock.redis.ClusterClocks"))
                    .singleElement()
                    .asString()
                    .contains("that is not a master is 60");
        }
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(clocks.mostAdvanced()).isEqualTo(shown);
    }

    /** The masters may reply later than the others. */
    @Test
    void countsAServerFromWhenTheClockOfAMasterIsKnown() {
        long shown = serverClock(60_000_000);
        clocks.surveyed(List.of(shown, shown + Duration.ofDays(30).toNanos() / 1_000));
        assertThat(clocks.mostAdvanced()).isZero();
        ask("a", 0, Duration.ofMillis(1), Duration.ofMillis(1));

        assertThat(clocks.mostAdvanced()).isEqualTo(shown);
    }

    @Test
    void ignoresAServerWhoseClockIsFarAhead() {
        ask("a", 0, Duration.ofMillis(1), Duration.ofMillis(1));
        try (Logs logs = Logs.capture(Level.WARN)) {
            clocks.surveyed(List.of(serverClock(Duration.ofMinutes(11).toNanos() / 1_000)));
            assertThat(logs.of("io.distributedlock.redis.ClockSurvey"))
                    .singleElement()
                    .asString()
                    .contains("It is ignored");
        }
        assertThat(clocks.mostAdvanced()).isLessThanOrEqualTo(serverClock(0));
    }

    @Test
    void followsAClockThatWasSetBack() {
        ask("a", 0, Duration.ofMillis(1), Duration.ofMillis(1));
        ask("b", 60_000_000, Duration.ofMillis(1), Duration.ofMillis(1));
        assertThat(clocks.mostAdvanced()).isGreaterThan(serverClock(59_000_000));

        ask("b", 1_000_000, Duration.ofMillis(1), Duration.ofMillis(1));
        assertThat(clocks.mostAdvanced()).isBetween(serverClock(900_000), serverClock(1_000_000));
    }

    /** Its tokens may be higher than the clocks of all other masters, and an instance may not have seen them. */
    @Test
    void countsTheClockOfAFormerMasterAsItWasWhenItWasLastOne() {
        ask("a", 0, Duration.ofMillis(1), Duration.ofMillis(1));
        ask("b", 60_000_000, Duration.ofMillis(1), Duration.ofMillis(1));
        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        long last = serverClock(60_000_000);

        clocks.retain(Set.of("a"));
        assertThat(clocks.mostAdvanced()).isBetween(last - 10_000, last);

        nanos.addAndGet(Duration.ofSeconds(30).toNanos());
        assertThat(clocks.mostAdvanced()).isBetween(last - 10_000, last);

        nanos.addAndGet(Duration.ofSeconds(31).toNanos());
        assertThat(clocks.mostAdvanced()).isBetween(serverClock(-20_000), serverClock(0));
    }

    @Test
    void warnsOnceOfClocksThatAreApart() {
        try (Logs logs = Logs.capture(Level.WARN)) {
            ask("a", 0, Duration.ofMillis(1), Duration.ofMillis(1));
            ask("b", 400_000, Duration.ofMillis(1), Duration.ofMillis(1));
            assertThat(logs.of(ClusterClocks.class.getName())).isEmpty();
            for (int i = 0; i < 3; i++) {
                ask("b", 700_000, Duration.ofMillis(1), Duration.ofMillis(1));
                ask("a", 0, Duration.ofMillis(1), Duration.ofMillis(1));
            }
            assertThat(logs.of(ClusterClocks.class.getName()))
                    .singleElement()
                    .asString()
                    .contains("node b", "node a");
        }
    }
}
