/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** CPU time and heap of this JVM. */
final class Cpu {

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private Cpu() {}

    static long nanos() {
        return SYSTEM.getProcessCpuTime();
    }

    /** The CPU time of the calling thread. */
    static long nanosOfThread() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** The bytes in use after collections that found nothing more to free. */
    @SuppressWarnings("SystemGc")
    static long usedHeap() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            used = Math.min(
                    used,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return used;
    }

    @SuppressWarnings("SystemGc")
    static void collectGarbage() {
        System.gc();
    }
}
