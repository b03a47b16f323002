/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.report.ScenarioInfo;

/** A measurement of all contenders. */
public interface Scenario {

    ScenarioInfo info();

    /** The approximate duration. */
    double seconds(Pace pace);

    /** Runs the scenario. If a contender fails, the result is a measurement without figures, not an exception. */
    void run(Bench bench);
}
