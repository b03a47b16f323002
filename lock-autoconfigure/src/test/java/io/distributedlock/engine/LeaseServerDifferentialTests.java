/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.Seeds;
import io.distributedlock.testing.TestLength;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the tests of the engine take for Redis does what the scripts do: random commands of a few instances go to both,
 * and each reply is compared, and what is kept after it. {@code -Ddifferential.seed=…} repeats a run,
 * {@code -Ddifferential.sequences=…} makes it longer.
 */
@Tag(TestLength.RANDOM)
class LeaseServerDifferentialTests {

    private static final int SEQUENCES = TestLength.of("differential.sequences", 1_000, 4_000);

    private static final int STEPS = 100;

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void everyCommandHasTheSameReplyAndTheSameEffect() {
        long seed = Seeds.of("differential.seed");
        long begin = System.nanoTime();
        int granted = 0;
        int handedOver = 0;
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                RespClient client = redis.connect();
                RespClient limited = redis.connect();
                RespClient listening = redis.connect()) {
            // The last of the instances does not listen.
            for (int i = 0; i < DifferentialRun.INSTANCES - 1; i++) {
                listening.call("SUBSCRIBE", "lock:instance:" + DifferentialRun.instance(i));
            }
            client.call("ACL", "SETUSER", "limited", "on", ">pw", "~*", "&*", "+@all", "-pubsub");
            limited.call("AUTH", "limited", "pw");
            ScriptReplies scripts = new ScriptReplies(client, DifferentialRun.NAMES);
            ScriptReplies uncounted = new ScriptReplies(limited, DifferentialRun.NAMES);
            for (int i = 0; i < SEQUENCES; i++) {
                // In some sequences, the scripts may not count who listens.
                boolean counts = Math.floorMod(seed + i, 4) != 0;
                DifferentialRun run = new DifferentialRun(counts ? scripts : uncounted, new Random(seed + i), counts);
                try {
                    for (int step = 0; step < STEPS; step++) {
                        run.step();
                    }
                    run.end();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError(
                            "seed " + (seed + i) + ", -Ddifferential.sequences=1: " + e.getMessage()
                                    + "\nafter, last first:\n" + run.story(),
                            e);
                }
                granted += run.granted();
                handedOver += run.handedOver();
            }
        }
        System.out.println(SEQUENCES * STEPS + " commands in "
                + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) + " ms, " + granted + " grants, "
                + handedOver
                + " hand-overs");
        assertThat(granted).isGreaterThan(SEQUENCES);
        assertThat(handedOver).isGreaterThan(SEQUENCES);
    }
}
