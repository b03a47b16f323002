/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The bytes of all reachable objects of this JVM. The heap in use would count the unused rest of each thread's buffer
 * as well, which is up to a megabyte each.
 */
public final class ReachableHeap {

    private static final Pattern TOTAL = Pattern.compile("\\nTotal +[0-9]+ +([0-9]+)");

    /** Less than that is no change. */
    private static final long SETTLED = 50_000;

    private static final int LOOKS = 5;

    private static final long LIMIT = TimeUnit.MINUTES.toNanos(1);

    private ReachableHeap() {}

    /** At this moment. This collects the garbage and takes a moment. */
    public static long bytes() {
        Matcher total = TOTAL.matcher(histogram());
        if (!total.find()) {
            throw new IllegalStateException("The histogram has no total");
        }
        return Long.parseLong(total.group(1));
    }

    /**
     * As soon as it no longer shrinks: garbage of an earlier test may go as late as its threads, and would count
     * against what is measured next.
     */
    public static long settledBytes() {
        long deadline = System.nanoTime() + LIMIT;
        long latest = bytes();
        int settled = 0;
        while (settled < LOOKS) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("The heap still shrinks after a minute");
            }
            long now = bytes();
            settled = latest - now < SETTLED ? settled + 1 : 0;
            latest = now;
        }
        return latest;
    }

    private static String histogram() {
        try {
            Object[] onlyReachable = {new String[0]};
            return (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            onlyReachable,
                            new String[] {String[].class.getName()});
        } catch (JMException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
