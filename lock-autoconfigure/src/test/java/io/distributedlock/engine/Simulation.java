/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Time, chance and the instances of one simulated run. Everything happens on one thread, event after event; all chance
 * comes from one seed. First with faults, then without, until no caller wants anything any more.
 */
final class Simulation {

    static final long MILLI = 1_000_000;

    static final long LONGEST_LEASE = 1_000 * MILLI;

    private static final long FAULTY = 8_000 * MILLI;

    private static final long CALM = 120_000 * MILLI;

    private record Event(long time, long order, @Nullable SimNode node, int channel, Runnable work)
            implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return time == other.time ? Long.compare(order, other.order) : Long.compare(time, other.time);
        }
    }

    final Random random;

    final ManualClock clock;

    final SharedLeases leases;

    final SimChecker checker;

    final List<SimNode> nodes = new ArrayList<>();

    private final PriorityQueue<Event> events = new PriorityQueue<>();

    private long elapsed;

    private long order;

    private boolean faulty = true;

    private int standstill;

    Simulation(long seed) {
        random = new Random(seed);
        clock = random.nextBoolean()
                ? ManualClock.startingAt(random.nextLong())
                : ManualClock.overflowingAfterMillis(random.nextInt(10_000));
        leases = new SharedLeases(clock);
        checker = new SimChecker(this);
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            nodes.add(new SimNode(this, "node" + i));
        }
    }

    // ---- what the parts ask for

    long elapsed() {
        return elapsed;
    }

    boolean isFaulty() {
        return faulty;
    }

    /** True so many times out of a hundred, while there are faults. */
    boolean fault(int percent) {
        return faulty && random.nextInt(1_000) < percent * 10;
    }

    long millisUpTo(int bound) {
        return (long) (random.nextDouble() * bound * MILLI);
    }

    void after(long delay, Runnable work) {
        events.add(new Event(elapsed + delay, order++, null, 0, work));
    }

    /** Happens in an instance, so not while it is stopped. What has the same channel stays in order. */
    void after(long delay, SimNode node, int channel, Runnable work) {
        events.add(new Event(elapsed + delay, order++, node, channel, work));
    }

    // ---- the run

    void run() {
        nodes.forEach(SimNode::start);
        advanceTo(FAULTY, false);
        faulty = false;
        nodes.forEach(SimNode::heal);
        advanceTo(FAULTY + CALM, true);
        checker.verifyAllDecided();
        advanceTo(elapsed + 8 * LONGEST_LEASE, false);
        checker.verifyNothingIsLeft();
    }

    private void advanceTo(long end, boolean stopWhenDone) {
        while (!(stopWhenDone && checker.isDone())) {
            long next = nextTime();
            if (next > end) {
                moveTo(end);
                return;
            }
            moveTo(next);
            step();
            checker.verifyHolds();
        }
    }

    private long nextTime() {
        Event first = events.peek();
        long next = first == null ? Long.MAX_VALUE : first.time();
        for (SimNode node : nodes) {
            next = Math.min(next, node.nextTick());
        }
        return Math.max(next, elapsed);
    }

    private void moveTo(long time) {
        standstill = time == elapsed ? standstill + 1 : 0;
        if (standstill > 100_000) {
            throw new AssertionError("Something is due and stays so after " + elapsed / MILLI + " ms");
        }
        clock.advanceNanos(time - elapsed);
        elapsed = time;
    }

    private void step() {
        for (SimNode node : nodes) {
            if (node.nextTick() <= elapsed) {
                node.tick();
                return;
            }
        }
        Event event = events.remove();
        SimNode node = event.node();
        if (node != null && node.isPaused()) {
            events.add(new Event(node.resumesAt(event.channel()), order++, node, event.channel(), event.work()));
        } else {
            event.work().run();
        }
    }
}
