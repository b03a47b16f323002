/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.report.ScenarioInfo;

/** Something that is done to all contenders. */
public interface Scenario {

    ScenarioInfo info();

    /** About how long it takes. */
    double seconds(Pace pace);

    /** Does it. What one contender cannot do becomes a measurement without figures, not a failure. */
    void run(Bench bench);
}
