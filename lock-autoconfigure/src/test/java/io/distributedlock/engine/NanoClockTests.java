/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NanoClockTests {

    /** A wall clock would be neither between the two, nor steady when it is set. */
    @Test
    void isTheMonotonicOne() {
        long before = System.nanoTime();
        long time = NanoClock.SYSTEM.nanos();
        long after = System.nanoTime();

        assertThat(time - before).isBetween(0L, after - before);
    }
}
