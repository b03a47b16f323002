/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.History;
import io.distributedlock.redis.history.RecordedLocks;
import io.distributedlock.testing.StopSignal;
import java.time.Duration;
import java.util.List;

/**
 * What the workers of one JVM work on.
 *
 * @param pauseMicros how long a worker rests between two locks, on average
 */
record Workload(
        History history, RecordedLocks locks, List<String> names, Duration lease, int pauseMicros, StopSignal over) {

    /** An explicit owner that all instances share. It enters one lock only, where it may keep others out for long. */
    static final String TEAM = "team";

    /** The only lock that the team takes. */
    String ofTeam() {
        return names.get(0);
    }

    /** One that callers read more often than others, so that readers meet. */
    String ofReaders() {
        return names.get(1);
    }

    /** Those that callers also acquire together. */
    List<String> ofSets() {
        return names.subList(2, 5);
    }

    /** The only lock that is taken away by force, so that what is said of the others has no such excuse. */
    String forced() {
        return forced(names);
    }

    static String forced(List<String> names) {
        return names.get(names.size() - 1);
    }
}
