/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import io.distributedlock.benchmarks.contenders.Contender;
import io.distributedlock.benchmarks.contenders.Held;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Acquires many locks, holds them, and releases them. The threads that acquired them stay alive meanwhile. */
final class HoldRun {

    private final Contender contender;

    private final int threads;

    private final ExecutorService[] owners;

    private final List<List<Held>> held = new ArrayList<>();

    HoldRun(Contender contender, int threads) {
        this.contender = contender;
        this.threads = threads;
        this.owners = new ExecutorService[threads];
        for (int i = 0; i < threads; i++) {
            owners[i] = Executors.newSingleThreadExecutor();
            held.add(new ArrayList<>());
        }
    }

    /** Acquires the given number of locks with names that begin with the prefix, and returns the time for this. */
    long acquire(String prefix, int count) throws Exception {
        long since = System.nanoTime();
        onAll(owner -> {
            List<Held> mine = held.get(owner);
            for (int i = owner; i < count; i += threads) {
                mine.add(contender.acquire(prefix + i));
            }
            return mine.size();
        });
        return System.nanoTime() - since;
    }

    long stillHeld() {
        return held.stream().flatMap(List::stream).filter(Held::isHeld).count();
    }

    /** Releases all locks, and returns the number of releases that failed, since the lock was lost. */
    long release() throws Exception {
        return onAll(owner -> {
            long failed = 0;
            for (Held lock : held.get(owner)) {
                try {
                    lock.release();
                } catch (Exception e) {
                    failed++;
                }
            }
            held.get(owner).clear();
            return failed;
        });
    }

    void end() {
        for (ExecutorService owner : owners) {
            owner.shutdownNow();
        }
    }

    private interface Work {
        long run(int owner) throws Exception;
    }

    private long onAll(Work work) throws Exception {
        List<Future<Long>> parts = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int owner = i;
            parts.add(owners[i].submit(() -> work.run(owner)));
        }
        long sum = 0;
        for (Future<Long> part : parts) {
            try {
                sum += part.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }
        return sum;
    }
}
