/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Several callers may ask under one id, one after the other, each for its own lease. A request without a reply may have
 * taken effect, so what is given back counts as long as the longest of them.
 */
class UncertainAttemptTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    private static LockRequest request(int leaseSeconds) {
        return LockRequest.of("a").lease(Duration.ofSeconds(leaseSeconds)).waitForever();
    }

    @Test
    void aReleaseIsRetriedUntilTheLongestLeaseHasEnded() {
        one.network.loseAnswers(1);
        AsyncAttempt longer = one.acquire(request(60));
        AsyncAttempt shorter = one.acquire(request(1));
        longer.cancel();
        one.network.failNext(1, Effect.UNKNOWN);
        world.advanceMillis(300);
        one.network.disconnect();
        shorter.cancel();

        world.advanceSeconds(20);
        one.reconnect();

        AsyncAttempt next = two.tryOnce("a");
        assertThat(next.isHeld()).isTrue();
        next.close();
        world.advanceSeconds(121);
    }

    @Test
    void theReleaseOfAHoldIsRetriedUntilTheLongestLeaseHasEnded() {
        one.network.loseAnswers(1);
        AsyncAttempt longer = one.acquire(request(60));
        AsyncAttempt shorter = one.acquire(request(1));
        longer.cancel();
        world.advanceMillis(300);
        assertThat(shorter.isHeld()).isTrue();
        one.network.disconnect();
        shorter.abandon();

        world.advanceSeconds(20);
        one.reconnect();

        AsyncAttempt next = two.tryOnce("a");
        assertThat(next.isHeld()).isTrue();
        next.close();
        world.advanceSeconds(121);
    }

    @Test
    void aLateCopyOfTheLongestIsRefusedForAsLongAsItsLease() {
        one.network.holdCommands();
        AsyncAttempt longer = one.acquire(request(60));
        SimulatedCall<?> late = one.network.take();
        AsyncAttempt shorter = one.acquire(request(1));
        longer.cancel();
        one.network.flow();
        world.advanceSeconds(3);
        if (shorter.isHeld()) {
            shorter.close();
        }
        world.advanceSeconds(30);

        late.execute();

        AsyncAttempt next = two.tryOnce("a");
        assertThat(next.isHeld()).isTrue();
        next.close();
        world.advanceSeconds(121);
    }

    @Test
    void aKnownFailureThatFollowsLeavesTheOutcomeUnknown() {
        one.network.failNext(1, Effect.UNKNOWN);
        AsyncAttempt attempt = one.acquire(request(60));
        one.network.failNext(1, Effect.NOT_EXECUTED);
        world.advanceMillis(200);
        assertThat(one.network.sent(AcquireCommand.class)).hasSize(2);

        attempt.cancel();

        assertThat(one.network.sent(ReleaseCommand.class))
                .singleElement()
                .satisfies(release -> assertThat(release.tombstoneMillis()).isEqualTo(120_000));
        world.advanceSeconds(121);
    }

    /** Too few replicas have it, for example: the request was executed, and is not repeated. */
    @Test
    void aGrantThatIsNotConfirmedIsReleased() {
        one.network.confirmNone(1);
        AsyncAttempt attempt = one.acquire(request(60));

        assertThat(attempt.failure()).isInstanceOf(LockUnavailableException.class);
        assertThat(one.network.sent(ReleaseCommand.class))
                .singleElement()
                .satisfies(release -> assertThat(release.tombstoneMillis()).isZero());
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aRequestThatFailsAfterItsCallerHasLeftIsCancelled() {
        one.network.holdCommands();
        AsyncAttempt attempt = one.acquire(request(60));
        attempt.cancel();
        assertThat(one.network.sent(ReleaseCommand.class)).isEmpty();
        one.network.flow();

        one.network.take().fail(Effect.UNKNOWN);

        assertThat(one.network.sent(ReleaseCommand.class))
                .singleElement()
                .satisfies(release -> assertThat(release.tombstoneMillis()).isEqualTo(120_000));
        world.advanceSeconds(121);
    }
}
