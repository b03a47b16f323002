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

/** Each fault of servers under Sentinel by itself, judged by the history of several JVMs. See {@link FaultMatrix}. */
@Tag(TestLength.FULL)
@ExtendWith(SafetyViolations.class)
class SentinelFaultMatrixTests {

    private static FaultMatrix<SentinelTarget> matrix;

    @BeforeAll
    static void start() {
        matrix = new FaultMatrix<>("sentinel.md", new SentinelTarget());
    }

    @AfterAll
    static void stop() {
        matrix.close();
    }

    static Stream<SentinelScenario> rows() {
        return FaultMatrix.chosen(SentinelScenario.values());
    }

    @ParameterizedTest
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    @MethodSource("rows")
    void keepsItsPromises(SentinelScenario row) {
        matrix.play(row);
    }
}
