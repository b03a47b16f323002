/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.Metric;
import io.distributedlock.benchmarks.report.Results;
import io.distributedlock.benchmarks.report.Series;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultsTests {

    private final Results results = new Results();

    @Test
    void ratiosAreTakenWithinARound() {
        measure("bare", 1, 100);
        measure("ours", 1, 200);
        measure("bare", 2, 10);
        measure("ours", 2, 30);
        measure("ours", 3, 1);

        assertThat(results.ratio("s", "ours", "bare", Metric.CYCLES).rounds()).containsExactly(2.0, 3.0);
        assertThat(results.median("s", "ours", Metric.CYCLES)).hasValue(30);
        assertThat(results.median("s", "theirs", Metric.CYCLES)).isEmpty();
    }

    @Test
    void spreadIsHalfOfTheRangeInPercentOfTheMedian() {
        Series series = new Series(List.of(90.0, 100.0, 130.0));

        assertThat(series.median()).isEqualTo(100);
        assertThat(series.spread()).isEqualTo(20);
        assertThat(new Series(List.of(1.0, 2.0)).median()).isEqualTo(1.5);
    }

    @Test
    void contendersComeInTheOrderThatWasGiven() {
        results.order(List.of("bare", "ours"));
        measure("other", 1, 1);
        measure("ours", 1, 1);
        measure("bare", 1, 1);

        assertThat(results.contenders("s")).containsExactly("bare", "ours", "other");
    }

    private void measure(String contender, int round, double cycles) {
        results.add(new Measurement("s", contender, round, Map.of(Metric.CYCLES, cycles), ""));
    }
}
