/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.InMemoryLeaseStore.Renew;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.distributedlock.testing.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Locks that were renewed for ever although no caller held them any more. */
class OrphanedRenewalTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    /** The release ended with an error, and the watchdog went on. */
    @ParameterizedTest
    @EnumSource(Effect.class)
    void aReleaseThatFailsEndsRenewalAllTheSame(Effect effect) {
        AsyncAttempt attempt = one.acquire("a");
        world.advanceSeconds(15);
        assertThat(one.network.sent(Renew.class))
                .as("renewals while it was held")
                .isNotEmpty();
        one.network.forgetSent();
        one.network.failNext(Integer.MAX_VALUE, effect);

        attempt.abandon();
        world.advanceSeconds(31);

        assertThat(one.network.sent(Renew.class)).isEmpty();
        assertThat(world.leases.leftovers()).isEmpty();
        AsyncAttempt next = two.tryOnce("a");
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    /** The count of what has to be renewed went wrong when a lock was entered again, and never came back to zero. */
    @Test
    void noOrderOfReentriesAndClosesLeavesARenewalBehind() {
        long seed = Seeds.of("orphanedRenewal.seed");
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            List<LockHandle> open = new ArrayList<>();
            for (int step = 0; step < 15; step++) {
                if (open.isEmpty() || random.nextInt(5) < 3) {
                    open.add(one.engine.acquire(LockRequest.of("a" + random.nextInt(3))));
                } else {
                    LockHandle closed = open.remove(random.nextInt(open.size()));
                    closed.close();
                    closed.close();
                }
                world.advanceSeconds(random.nextInt(20));
                assertThat(open).as("seed %d", seed).allMatch(LockHandle::isHeld);
            }
            Collections.shuffle(open, random);
            open.forEach(LockHandle::close);

            assertThat(one.engine.locks().size()).as("seed %d", seed).isZero();
            assertThat(one.engine.timers().size()).as("seed %d", seed).isZero();
            one.network.forgetSent();
            world.advanceSeconds(30);
            assertThat(one.network.sent()).as("seed %d", seed).isEmpty();
        }
    }
}
