/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.ReleaseResult;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whatever an instance hears of a token counts for all that it asks from then on, of other locks too. */
class SeenTokenTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    /** The highest token that an instance says it has seen, when it asks for a free lock. */
    private long floorOf(Instance instance) {
        instance.acquire("another").close();
        List<AcquireCommand> commands = instance.network.sent(AcquireCommand.class);
        return commands.get(commands.size() - 1).floor();
    }

    @Test
    void theTokenInABusyReplyIsRemembered() {
        AsyncAttempt holder = two.acquire("a");
        assertThat(one.tryOnce("a").failure()).isNotNull();

        assertThat(floorOf(one)).isGreaterThanOrEqualTo(holder.token());
        holder.close();
    }

    @Test
    void thatOfAGrant() {
        AsyncAttempt attempt = one.acquire("a");

        assertThat(floorOf(one)).isGreaterThanOrEqualTo(attempt.token());
        attempt.close();
    }

    /** It asks once more instead of relying on the message, and may get no answer. */
    @Test
    void thatOfAGrantThatIsTooOldToCount() {
        AsyncAttempt holder = two.acquire("a");
        AsyncAttempt waiting = one.acquire("a");
        one.network.holdMessages();
        holder.close();
        one.network.holdCommands();
        world.pauseMillis(29_000);
        one.network.takeMessage().arrive();
        assertThat(waiting.isPending()).isTrue();
        one.network.flow();

        assertThat(floorOf(one)).isGreaterThan(holder.token());
        one.network.held().forEach(SimulatedCall::run);
        world.advanceSeconds(3);
        waiting.close();
    }

    @Test
    void thatOfTheNextOwnerOfALockThatIsReleased() {
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt next = two.acquire("a");
        holder.close();

        assertThat(floorOf(one)).isGreaterThanOrEqualTo(next.token());
        next.close();
    }

    @Test
    void thatOfALockThatIsReleasedByForce() {
        AsyncAttempt holder = two.acquire("a");
        assertThat(one.engine.forceRelease("a")).isTrue();

        assertThat(floorOf(one)).isGreaterThanOrEqualTo(holder.token());
    }

    @Test
    void thatOfTheNextOwnerOfALockThatIsReleasedByForce() {
        two.acquire("a");
        AsyncAttempt next = two.acquire(LockRequest.of("a").owner("next").waitForever());
        assertThat(one.engine.forceRelease("a")).isTrue();

        assertThat(floorOf(one)).isGreaterThanOrEqualTo(next.token());
        next.close();
    }

    @Test
    void thatOfAnExplicitOwner() {
        AsyncAttempt holder = two.acquire(LockRequest.of("a").owner("job"));
        assertThat(one.engine.release("a", "other")).isEqualTo(ReleaseResult.NOT_YOURS);

        assertThat(floorOf(one)).isGreaterThanOrEqualTo(holder.token());
        holder.close();
    }

    @Test
    void thatOfTheNextOwnerOfALockThatWasLost() {
        AsyncAttempt lost = one.acquire("a");
        one.network.holdMessages();
        two.engine.forceRelease("a");
        AsyncAttempt next = two.acquire("a");
        world.advanceSeconds(11);
        assertThat(lost.isHeld()).isFalse();
        one.network.flow();

        assertThat(floorOf(one)).isGreaterThanOrEqualTo(next.token());
        next.close();
    }

    @Test
    void thatOfALockThatItsOwnerMayNotEnterAgain() {
        AsyncAttempt holder = two.acquire(LockRequest.of("a").owner("job"));
        assertThat(one.acquire(LockRequest.of("a").owner("job").reentrant(false))
                        .failure())
                .isInstanceOf(LockNotAcquiredException.class);

        assertThat(floorOf(one)).isGreaterThanOrEqualTo(holder.token());
        holder.close();
    }

    @Test
    void theTokenOfALockThatIsInspected() {
        AsyncAttempt holder = two.acquire("a");
        assertThat(one.engine.inspect("a")).isPresent();

        assertThat(floorOf(one)).isGreaterThanOrEqualTo(holder.token());
        holder.close();
    }
}
