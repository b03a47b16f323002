/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.History;
import io.distributedlock.redis.history.RecordedLocks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What the workers of one JVM work on.
 *
 * @param pauseMicros how long a worker rests between two locks, on average
 */
record Workload(
        History history,
        RecordedLocks locks,
        List<String> names,
        Duration lease,
        int pauseMicros,
        AtomicBoolean over) {}
