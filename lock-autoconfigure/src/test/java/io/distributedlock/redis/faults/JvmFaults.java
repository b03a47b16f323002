/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import java.util.Random;

/** What happens to a JVM. */
final class JvmFaults {

    private JvmFaults() {}

    static boolean kill(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        victim.signal("KILL");
        return victim.awaitExit();
    }

    static boolean terminate(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        victim.signal("TERM");
        return victim.awaitExit();
    }

    /** A signal that was sent has stopped all threads. */
    static boolean stopForLong(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        return stop(victim, arena.lease().toMillis() + 100 + random.nextInt(300));
    }

    static boolean stopForAMoment(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        return stop(victim, 20 + random.nextInt((int) arena.lease().toMillis() / 4));
    }

    private static boolean stop(ClientProcess victim, long millis) {
        victim.signal("STOP");
        try {
            Waits.pause(millis);
        } finally {
            victim.signal("CONT");
        }
        return true;
    }
}
