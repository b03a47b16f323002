/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.micro;

import io.distributedlock.benchmarks.contenders.Contender;
import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.benchmarks.contenders.Held;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/** The operations of the engine without Redis, although a Redis is connected. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EngineBenchmark {

    private static Contender open(ContenderKind kind) {
        return kind.open(Integer.getInteger(MicroRun.REDIS_PORT));
    }

    /** A lock that the measuring thread holds already. */
    @State(Scope.Thread)
    public static class Owned {

        private Contender locks = open(ContenderKind.OURS);

        private Held outer = () -> {};

        @Setup(Level.Iteration)
        public void acquire() throws Exception {
            outer = locks.acquire("re-entry");
        }

        @TearDown(Level.Iteration)
        public void release() throws Exception {
            outer.release();
        }

        @TearDown
        public void close() {
            locks.close();
        }
    }

    /** A lock for which all threads contend. */
    @State(Scope.Benchmark)
    public static class Contended {

        private final Contender locks = open(ContenderKind.OURS);

        @TearDown
        public void close() {
            locks.close();
        }
    }

    /** A lock whose lease stays in this instance for a moment after a release. */
    @State(Scope.Benchmark)
    public static class Retained {

        private final Contender locks = open(ContenderKind.OURS_RETENTION);

        @TearDown
        public void close() {
            locks.close();
        }
    }

    @Benchmark
    public void reentry(Owned owned) throws Exception {
        owned.locks.acquire("re-entry").release();
    }

    /** Eight threads pass the lock on to each other; the time is that of one hand-over, not of one thread's wait. */
    @Benchmark
    @Threads(8)
    public void localHandOver(Contended contended) throws Exception {
        contended.locks.acquire("hand-over").release();
    }

    @Benchmark
    public void retainedReacquire(Retained retained) throws Exception {
        retained.locks.acquire("retained").release();
    }
}
