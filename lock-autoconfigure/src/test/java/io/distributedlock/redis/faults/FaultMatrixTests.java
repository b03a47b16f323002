/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.testing.SafetyViolations;
import io.distributedlock.testing.TestLength;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each fault of one server by itself, judged by the history of several JVMs. See {@link FaultMatrix}. */
@Tag(TestLength.RANDOM)
@ExtendWith(SafetyViolations.class)
class FaultMatrixTests {

    private static FaultMatrix<Server> matrix;

    @BeforeAll
    static void start() {
        matrix = new FaultMatrix<>("matrix.md", new Server());
    }

    @AfterAll
    static void stop() {
        matrix.close();
    }

    static Stream<FaultScenario> rows() {
        return FaultMatrix.chosen(FaultScenario.values());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void keepsItsPromises(FaultScenario row) {
        matrix.play(row);
    }
}
