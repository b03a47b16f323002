/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import java.time.Duration;

/**
 * How long things may take.
 *
 * @param decision how much later than the end of its wait a call may return, and how long a release may take
 * @param handOver how long a lock may be free while a caller waits for it, outside of faults
 * @param lease the longest lease of the run: a fault is felt for that long after it is over
 */
public record CheckerBounds(Duration decision, Duration handOver, Duration lease) {}
