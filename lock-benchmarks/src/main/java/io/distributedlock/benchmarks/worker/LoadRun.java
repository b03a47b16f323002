/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import io.distributedlock.benchmarks.contenders.Contender;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Puts the load of one JVM on a lock. */
final class LoadRun {

    /** How long a thread may wait for the lock after time is up. Some locks leave their waiters asleep for long. */
    private static final long PATIENCE_SECONDS = 40;

    private LoadRun() {}

    static LoadResult run(LoadOrder order, Contender contender) throws InterruptedException {
        MeetingPage page = MeetingPage.open(order.page());
        List<LoadThread> threads = IntStream.range(0, order.threads())
                .mapToObj(index -> new LoadThread(order, contender, page, index))
                .toList();
        long cpu = Cpu.nanos();
        threads.forEach(Thread::start);
        await(threads, order.end() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
        return result(threads, Cpu.nanos() - cpu);
    }

    private static void await(List<LoadThread> threads, long limit) throws InterruptedException {
        for (LoadThread thread : threads) {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, limit - System.nanoTime()));
        }
        for (LoadThread thread : threads) {
            if (thread.isAlive()) {
                throw new IllegalStateException("A thread still waits " + PATIENCE_SECONDS + " s after the end");
            }
        }
    }

    private static LoadResult result(List<LoadThread> threads, long cpuNanos) {
        Recording sum = new Recording();
        threads.forEach(thread -> sum.add(thread.recording));
        List<Long> cycles =
                threads.stream().map(thread -> thread.recording.inTime).toList();
        String error = sum.firstError == null ? "" : sum.firstError;
        return new LoadResult(
                cycles, sum.all, sum.violations, sum.self, sum.remote, sum.errors, error, cpuNanos, sum.times());
    }
}
