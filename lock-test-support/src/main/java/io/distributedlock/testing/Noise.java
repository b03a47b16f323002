/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;

/**
 * What the machine may add to any time that a test measures. It is little where nothing else runs; otherwise it grows
 * with the load, and with how late a thread of this JVM was woken up during the last seconds. Ask for it after the
 * measured time.
 */
public final class Noise {

    /** The limit for what has to happen some time. */
    public static final Duration LATEST = Duration.ofSeconds(10);

    private static final Duration LEAST = Duration.ofMillis(250);

    private static final Duration REMEMBERED = Duration.ofSeconds(15);

    private static final Duration STEP = Duration.ofMillis(5);

    /** Lateness below this is ordinary. */
    private static final Duration ORDINARY = Duration.ofMillis(5);

    private static final int FACTOR = 2;

    private record Delay(long at, long nanos) {}

    private static final ConcurrentLinkedDeque<Delay> DELAYS = new ConcurrentLinkedDeque<>();

    static {
        Thread watch = new Thread(Noise::watch, "noise");
        watch.setDaemon(true);
        watch.start();
    }

    private static volatile boolean ignored;

    private Noise() {}

    /** As if nothing else ran on this machine, for a JVM in which a test has to fail. */
    public static void ignore() {
        ignored = true;
    }

    /** How long to wait for what has to happen in any case. */
    public static Duration patience() {
        return ignored ? LATEST : LATEST.multipliedBy(3);
    }

    /** For a time that ends now. */
    public static Duration now() {
        if (ignored) {
            return LEAST;
        }
        long oldest = System.nanoTime() - REMEMBERED.toNanos();
        long late = 0;
        for (Iterator<Delay> each = DELAYS.descendingIterator(); each.hasNext(); ) {
            Delay delay = each.next();
            if (delay.at() - oldest < 0) {
                break;
            }
            late += delay.nanos();
        }
        return Duration.ofNanos((long) (LEAST.toNanos() * loadOfACore()) + FACTOR * late);
    }

    /**
     * The longest time by which a thread of this JVM was woken up too late since then. A few milliseconds are ordinary
     * and do not count.
     *
     * @param begin by {@link System#nanoTime()}
     */
    public static Duration longestSince(long begin) {
        long longest = DELAYS.stream()
                .filter(delay -> delay.at() - begin > 0)
                .mapToLong(Delay::nanos)
                .max()
                .orElse(0);
        return ignored ? Duration.ZERO : Duration.ofNanos(longest);
    }

    /** How many threads want a core, and 1 at least. */
    private static double loadOfACore() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return Math.max(1, load / Runtime.getRuntime().availableProcessors());
    }

    private static void watch() {
        while (true) {
            long begin = System.nanoTime();
            LockSupport.parkNanos(STEP.toNanos());
            long end = System.nanoTime();
            long late = end - begin - STEP.toNanos();
            if (late > ORDINARY.toNanos()) {
                DELAYS.addLast(new Delay(end, late));
            }
            Delay first = DELAYS.peekFirst();
            if (first != null && end - first.at() > REMEMBERED.toNanos()) {
                DELAYS.pollFirst();
            }
        }
    }
}
