/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.testing.SafetyViolations;
import io.distributedlock.testing.TestLength;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each fault of a Redis Cluster by itself, judged by the history of several JVMs. See {@link FaultMatrix}. */
@Tag(TestLength.RANDOM)
@ExtendWith(SafetyViolations.class)
class ClusterFaultMatrixTests {

    private static FaultMatrix<ClusterTarget> matrix;

    @BeforeAll
    static void start() {
        matrix = new FaultMatrix<>("cluster.md", new ClusterTarget());
    }

    @AfterAll
    static void stop() {
        matrix.close();
    }

    static Stream<ClusterScenario> rows() {
        return FaultMatrix.chosen(ClusterScenario.values());
    }

    @ParameterizedTest
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    @MethodSource("rows")
    void keepsItsPromises(ClusterScenario row) {
        matrix.play(row);
    }
}
