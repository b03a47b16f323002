/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import io.distributedlock.benchmarks.contenders.Contender;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Acquires and releases many locks, each name once. */
final class NamesRun {

    private NamesRun() {}

    /** Returns the time for all locks. */
    static long run(Contender contender, String prefix, int count, int threads) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        long since = System.nanoTime();
        try {
            List<Future<?>> parts = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int first = thread;
                parts.add(executor.submit(() -> {
                    for (int i = first; i < count; i += threads) {
                        contender.run(prefix + i, () -> {});
                    }
                    return null;
                }));
            }
            for (Future<?> part : parts) {
                part.get();
            }
            return System.nanoTime() - since;
        } finally {
            executor.shutdownNow();
        }
    }
}
