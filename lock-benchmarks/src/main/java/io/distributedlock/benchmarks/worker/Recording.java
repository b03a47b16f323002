/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The records of one thread. */
final class Recording {

    final Histogram wait = Histograms.create();

    final Histogram cycle = Histograms.create();

    final Histogram handOver = Histograms.create();

    final Histogram stretch = Histograms.create();

    long inTime;

    long all;

    long violations;

    long self;

    long remote;

    long errors;

    @Nullable
    String firstError;

    void failed(Throwable error) {
        errors++;
        if (firstError == null) {
            firstError = error.toString();
        }
    }

    void add(Recording other) {
        wait.add(other.wait);
        cycle.add(other.cycle);
        handOver.add(other.handOver);
        stretch.add(other.stretch);
        all += other.all;
        violations += other.violations;
        self += other.self;
        remote += other.remote;
        errors += other.errors;
        firstError = firstError == null ? other.firstError : firstError;
    }

    LoadResult.Times times() {
        return new LoadResult.Times(
                Histograms.write(wait), Histograms.write(cycle), Histograms.write(handOver), Histograms.write(stretch));
    }
}
