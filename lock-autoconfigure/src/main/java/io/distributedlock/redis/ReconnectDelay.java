/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * From 10 ms to a second, twice as long each time; a random part of it, so that instances do not reconnect all at once.
 */
final class ReconnectDelay extends Delay {

    private static final long FIRST_MILLIS = 10;

    private static final long LONGEST_MILLIS = 1_000;

    @Override
    public Duration createDelay(long attempt) {
        long doubled = FIRST_MILLIS << Math.min(Math.max(attempt, 1) - 1, 10);
        return Duration.ofMillis(spread(Math.min(doubled, LONGEST_MILLIS)));
    }

    /** From half of it to all of it. */
    static long spread(long millis) {
        return millis - ThreadLocalRandom.current().nextLong(millis / 2 + 1);
    }
}
