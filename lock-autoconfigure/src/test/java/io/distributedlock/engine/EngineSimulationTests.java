/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.SafetyViolation;
import io.distributedlock.testing.SafetyViolations;
import io.distributedlock.testing.Seeds;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Many random runs of several engines over one store through bad networks. A run that fails is repeated by
 * {@code -Dsimulation.seed=…}, with {@code -Dsimulation.times=…} as often as it takes, since the order of what is in
 * hash tables differs; {@code -Dsimulation.seconds=…} makes it search longer.
 */
@Tag(TestLength.RANDOM)
@ExtendWith(SafetyViolations.class)
class EngineSimulationTests {

    private static final Duration BUDGET = Duration.ofSeconds(TestLength.of("simulation.seconds", 4, 150));

    private int grants;

    private int losses;

    @Test
    void whateverGoesWrongHoldsExcludeEachOtherTokensGrowWaitsEndAndNothingIsLeft() {
        long first = Seeds.of("simulation.seed");
        if (System.getProperty("simulation.seed") != null) {
            for (int i = 0; i < Integer.getInteger("simulation.times", 1); i++) {
                run(first);
            }
            return;
        }
        long start = System.nanoTime();
        int runs = 0;
        while (System.nanoTime() - start < BUDGET.toNanos()) {
            run(first + runs++);
        }
        System.out.println("runs=" + runs + " grants=" + grants + " losses=" + losses);
        assertThat(grants)
                .as("a simulation in which nothing happens proves nothing")
                .isGreaterThan(runs * 20);
        assertThat(losses).isPositive();
    }

    private void run(long seed) {
        Simulation simulation = new Simulation(seed);
        try {
            simulation.run();
        } catch (RuntimeException | Error ex) {
            throw new SafetyViolation("Repeat with -Dsimulation.seed=" + seed, ex);
        }
        grants += simulation.checker.grants();
        losses += simulation.checker.losses();
    }
}
