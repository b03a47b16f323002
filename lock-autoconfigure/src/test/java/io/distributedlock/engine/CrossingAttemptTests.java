/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A message grants the lock while a request for it is still under way. */
class CrossingAttemptTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    private final AsyncAttempt elsewhere = two.acquire("a");

    @Test
    void aGrantThatCrossesARequestCountsAndTheReplyIsIgnored() {
        AsyncAttempt waiting = one.acquire("a");
        one.network.holdCommands();
        world.advanceMillis(1_020);
        SimulatedCall<?> command = one.network.take();
        elsewhere.close();
        assertThat(waiting.isHeld()).isTrue();
        Duration left = waiting.handle().remainingLease();

        command.run();

        assertThat(waiting.handle().remainingLease()).isEqualTo(left);
        one.network.flow();
        waiting.close();
    }

    @Test
    void theReleaseWaitsForARequestThatIsStillUnderWay() {
        AsyncAttempt waiting = one.acquire("a");
        one.network.holdCommands();
        world.advanceMillis(1_020);
        SimulatedCall<?> command = one.network.take();
        elsewhere.close();
        one.network.flow();
        waiting.abandon();
        assertThat(one.network.sent(ReleaseCommand.class)).isEmpty();

        command.run();

        assertThat(one.network.sent(ReleaseCommand.class))
                .singleElement()
                .satisfies(release -> assertThat(release.tombstoneMillis()).isZero());
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void theReleaseWaitsForARequestNoLongerThanTheCommandTimeoutAndThenCancelsIt() {
        AsyncAttempt waiting = one.acquire("a");
        one.network.holdCommands();
        world.advanceMillis(1_020);
        SimulatedCall<?> command = one.network.take();
        elsewhere.close();
        one.network.flow();
        world.advanceMillis(1_000);
        waiting.abandon();
        world.advanceMillis(1_000);
        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);

        command.run();

        assertThat(world.leases.inspect("a")).isEmpty();
    }

    @Test
    void aRequestThatFailsAfterTheGrantIsCancelledByTheRelease() {
        AsyncAttempt waiting = one.acquire("a");
        one.network.holdCommands();
        world.advanceMillis(1_020);
        SimulatedCall<?> command = one.network.take();
        elsewhere.close();
        one.network.flow();
        command.fail(LeaseStoreException.Effect.UNKNOWN);
        waiting.close();

        command.execute();

        assertThat(world.leases.inspect("a")).isEmpty();
    }
}
