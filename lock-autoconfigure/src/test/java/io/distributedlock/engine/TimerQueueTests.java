/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.Seeds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerQueueTests {

    private static final class Timer extends TimerTask {
        @Override
        void onDue(long now) {}
    }

    /** Some steps around a start time, compared with a map that is searched for its least entry. */
    private static final class Model {

        final Map<TimerTask, Long> armed = new HashMap<>();

        long leastAfter(long start) {
            return armed.values().stream().mapToLong(due -> due - start).min().orElseThrow();
        }
    }

    private final AtomicInteger wakeUps = new AtomicInteger();

    private final TimerQueue queue = new TimerQueue(wakeUps::incrementAndGet);

    @ParameterizedTest
    @ValueSource(longs = {0, -1_000, Long.MAX_VALUE - 5_000, Long.MIN_VALUE})
    void behavesLikeASortedList(long start) {
        long seed = Seeds.of("timers.seed");
        Random random = new Random(seed);
        List<Timer> timers = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            timers.add(new Timer());
        }
        Model model = new Model();
        long now = start;
        for (int step = 0; step < 50_000; step++) {
            Timer timer = timers.get(random.nextInt(step < 25_000 ? 500 : 20));
            switch (random.nextInt(8)) {
                case 0, 1, 2, 3 -> arm(model, timer, now + random.nextInt(10_000) - 100);
                case 4 -> disarm(model, timer);
                default -> {
                    now += random.nextInt(40);
                    pollAll(model, start, now);
                }
            }
            assertThat(queue.size()).isEqualTo(model.armed.size());
        }
    }

    private void arm(Model model, Timer timer, long due) {
        queue.arm(timer, due);
        model.armed.merge(timer, due, (armed, wanted) -> wanted - armed < 0 ? wanted : armed);
    }

    private void disarm(Model model, Timer timer) {
        queue.disarm(timer);
        model.armed.remove(timer);
    }

    private void pollAll(Model model, long start, long now) {
        for (TimerTask due = queue.pollDue(now); due != null; due = queue.pollDue(now)) {
            assertThat(due.due - start).isEqualTo(model.leastAfter(start));
            assertThat(due.due - now).isNotPositive();
            assertThat(model.armed.remove(due)).isEqualTo(due.due);
        }
        if (!model.armed.isEmpty()) {
            assertThat(model.leastAfter(start)).isGreaterThan(now - start);
        }
    }

    @Test
    void timersRunInTheOrderOfTheirTimes() {
        for (int i = 0; i < 1_000; i++) {
            queue.arm(new Timer(), (i * 7_919L) % 1_000);
        }
        List<TimerTask> polled = new ArrayList<>();
        for (TimerTask due = queue.pollDue(1_000); due != null; due = queue.pollDue(1_000)) {
            polled.add(due);
        }

        assertThat(polled).hasSize(1_000).isSortedAccordingTo(Comparator.comparingLong(timed -> timed.due));
    }

    @Test
    void disarmingWhatIsNotArmedDoesNothing() {
        Timer timer = new Timer();
        queue.disarm(timer);
        queue.arm(timer, 5);
        queue.disarm(timer);
        queue.disarm(timer);

        assertThat(queue.size()).isZero();
        assertThat(queue.pollDue(10)).isNull();
    }

    @Test
    void thePlanIsTheTimeToTheEarliestWithinTheLimit() {
        assertThat(queue.plan(0, 100)).isEqualTo(100);
        queue.arm(new Timer(), 40);

        assertThat(queue.plan(0, 100)).isEqualTo(40);
        assertThat(queue.plan(30, 5)).isEqualTo(5);
        assertThat(queue.plan(50, 100)).isZero();
    }

    @Test
    void onlyATimerThatIsEarlierThanPlannedWakesUp() {
        queue.plan(0, 100);
        queue.arm(new Timer(), 200);
        assertThat(wakeUps).hasValue(0);

        queue.arm(new Timer(), 50);
        assertThat(wakeUps).hasValue(1);
        queue.arm(new Timer(), 20);

        assertThat(wakeUps).as("it is awake already, and will plan anew").hasValue(1);
    }

    @Test
    void aTimerThatIsMovedForwardWakesUp() {
        Timer timer = new Timer();
        queue.arm(timer, 80);
        queue.plan(0, 100);

        queue.arm(timer, 30);

        assertThat(wakeUps).hasValue(1);
        assertThat(queue.plan(0, 100)).isEqualTo(30);
    }

    @Test
    void aTimerThatIsPutOffIsCalledAtItsOldTime() {
        Timer timer = new Timer();
        queue.arm(timer, 10);
        queue.arm(timer, 80);

        assertThat(queue.pollDue(10)).isSameAs(timer);
        assertThat(queue.size()).isZero();
    }
}
