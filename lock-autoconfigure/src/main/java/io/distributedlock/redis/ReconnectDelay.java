/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * From 10 ms to a limit, twice as long each time; a random part of it, so that instances do not reconnect all at once.
 */
final class ReconnectDelay extends Delay {

    private static final long FIRST_MILLIS = 10;

    private static final long LONGEST_MILLIS = 1_000;

    private static final long LONGEST_MILLIS_TO_A_MASTER = 200;

    private final long longestMillis;

    private ReconnectDelay(long longestMillis) {
        this.longestMillis = longestMillis;
    }

    /** To a server that has one address. */
    static ReconnectDelay toOneAddress() {
        return new ReconnectDelay(LONGEST_MILLIS);
    }

    /**
     * To the master that Sentinels name. While it is down, the attempts continue until another one is the master, and
     * the next attempt after that moment leads there: nothing else ends the pause.
     */
    static ReconnectDelay toMasterOfSentinels() {
        return new ReconnectDelay(LONGEST_MILLIS_TO_A_MASTER);
    }

    @Override
    public Duration createDelay(long attempt) {
        long doubled = FIRST_MILLIS << Math.min(Math.max(attempt, 1) - 1, 10);
        return Duration.ofMillis(spread(Math.min(doubled, longestMillis)));
    }

    /** From half of it to all of it. */
    static long spread(long millis) {
        return millis - ThreadLocalRandom.current().nextLong(millis / 2 + 1);
    }
}
