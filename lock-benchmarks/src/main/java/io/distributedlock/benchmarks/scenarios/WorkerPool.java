/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.machine.WorkerJvm;
import io.distributedlock.benchmarks.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** JVMs to put load on locks, all with the same heap. In a quick run, scenarios share them. */
final class WorkerPool implements AutoCloseable {

    private final boolean shared;

    private final List<WorkerJvm> workers = new ArrayList<>();

    WorkerPool(boolean shared) {
        this.shared = shared;
    }

    static WorkerJvm startOne() {
        return WorkerJvm.start(List.of("-Xmx512m"), Worker.class);
    }

    /** Returns the given number of JVMs, which the caller has to release. */
    List<WorkerJvm> take(int count) {
        if (workers.stream().anyMatch(worker -> !worker.isAlive())) {
            close();
        }
        IntStream.range(workers.size(), count)
                .parallel()
                .mapToObj(i -> startOne())
                .toList()
                .forEach(workers::add);
        return List.copyOf(workers.subList(0, count));
    }

    void release() {
        if (!shared) {
            close();
        }
    }

    @Override
    public void close() {
        workers.forEach(WorkerJvm::close);
        workers.clear();
    }
}
