/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import java.util.Random;

/**
 * Breaks something once, and mends it.
 *
 * @param <T> the topology that it is about
 */
@FunctionalInterface
interface Injection<T extends FaultTarget> {

    /**
     * Returns when it is whole again.
     *
     * @param victim the JVM to break, or whose network to break, if it is about one
     * @return whether it was certainly felt
     */
    boolean inject(FaultTestbed<T> arena, ClientProcess victim, Random random);
}
