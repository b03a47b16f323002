/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MaxWaitersTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one", EngineSettings.DEFAULTS.withMaxWaiters(2));

    @Test
    void oneMoreThanTheLimitIsRefusedAtOnceAndTheMessageNamesTheProperty() {
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");

        AsyncAttempt third = one.acquire("a");

        assertThat(third.failure())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("'a'")
                .hasMessageContaining("(maxWaiters)");
        holder.close();
        AsyncAttempt fourth = one.acquire("a");
        assertThat(fourth.isPending()).isTrue();
        first.close();
        second.close();
        fourth.close();
    }

    @Test
    void aCallerThatLeavesMakesRoom() {
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");
        first.cancel();
        AsyncAttempt third = one.acquire("a");
        assertThat(third.isPending()).isTrue();
        holder.close();
        second.close();
        third.close();
    }

    @Test
    void holdsOfAnExplicitOwnerAreNoWaiters() {
        LockRequest owned = LockRequest.of("a").owner("job");
        AsyncAttempt[] holds = new AsyncAttempt[4];
        for (int i = 0; i < holds.length; i++) {
            holds[i] = one.acquire(owned);
            assertThat(holds[i].isHeld()).isTrue();
        }
        for (AsyncAttempt hold : holds) {
            hold.close();
        }
    }

    @Test
    void aSingleTryIsBusy() {
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");
        assertThat(one.tryOnce("a").failure()).isInstanceOf(LockNotAcquiredException.class);
        holder.close();
        first.close();
        second.close();
    }

    @Test
    void eachLockHasItsOwnLimit() {
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");
        AsyncAttempt other = one.acquire("b");
        assertThat(other.isHeld()).isTrue();
        other.close();
        holder.close();
        first.close();
        second.close();
    }

    @Test
    void acquisitionsOfExplicitOwnersAreCountedByName() {
        LockRequest mine = LockRequest.of("a").owner("me").waitForever();
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt first = one.acquire(mine);
        AsyncAttempt second = one.acquire(mine);

        assertThat(one.acquire(mine).failure()).hasMessageContaining("(maxWaiters)");

        holder.close();
        first.close();
        second.close();
    }
}
