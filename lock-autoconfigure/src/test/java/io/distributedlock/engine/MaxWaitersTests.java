/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MaxWaitersTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one", EngineSettings.DEFAULTS.withMaxWaiters(2));

    private final Instance two = world.instance("two");

    private static final LockRequest READ =
            LockRequest.of("a").mode(LockMode.SHARED).waitForever();

    private static LockRequest owner(String id) {
        return LockRequest.of("a").owner(id).waitForever();
    }

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

    /** It was refused before the store was asked, which grants it at once. */
    @Test
    void anExplicitOwnerThatHoldsTheLockEntersAgain() {
        AsyncAttempt holder = one.acquire(owner("me"));
        AsyncAttempt first = one.acquire(owner("you"));
        AsyncAttempt second = one.acquire(owner("you"));

        AsyncAttempt again = one.acquire(owner("me"));

        assertThat(again.isHeld()).isTrue();
        again.close();
        holder.close();
        first.close();
        second.close();
    }

    @Test
    void aReaderThatHasToWaitIsRefused() {
        AsyncAttempt writer = one.acquire("a");
        AsyncAttempt waiting = one.acquire(owner("me"));
        AsyncAttempt next = one.acquire(owner("me"));
        AsyncAttempt refused = one.acquire(READ);
        assertThat(refused.failure())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("(maxWaiters)");
        writer.close();
        waiting.close();
        next.close();
    }

    @Test
    void aSingleTryOfAnExplicitOwnerOrReaderIsBusy() {
        AsyncAttempt holder = one.acquire(owner("me"));
        AsyncAttempt first = one.acquire(owner("you"));
        AsyncAttempt second = one.acquire(owner("you"));

        assertThat(one.acquire(owner("other").noWait()).failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(one.acquire(READ.noWait()).failure()).isInstanceOf(LockNotAcquiredException.class);

        holder.close();
        first.close();
        second.close();
    }

    /** Single tries do not wait behind others, so they take no place from a caller that does. */
    @Test
    void singleTriesTakeNoPlace() {
        AsyncAttempt elsewhere = two.acquire("a");
        one.network.holdCommands();
        AsyncAttempt[] tries = {one.tryOnce("a"), one.tryOnce("a"), one.tryOnce("a")};
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");
        assertThat(first.isPending() && second.isPending()).isTrue();
        assertThat(one.acquire("a").failure()).hasMessageContaining("(maxWaiters)");
        one.network.flow();
        one.network.take().run();

        for (AsyncAttempt single : tries) {
            assertThat(single.failure()).isInstanceOf(LockNotAcquiredException.class);
        }
        elsewhere.close();
        first.close();
        second.close();
    }

    /** Whether it has to wait is not known before the reply, but the number of those that wait for one is limited. */
    @Test
    void anExplicitOwnerWithoutAPlaceWaitsForOneReplyOnly() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt first = one.acquire(owner("me"));
        AsyncAttempt second = one.acquire(owner("me"));
        one.network.holdCommands();
        AsyncAttempt replied = one.acquire(owner("you"));
        AsyncAttempt unanswered = one.acquire(owner("you"));
        assertThat(replied.isPending() && unanswered.isPending()).isTrue();

        one.network.take().run();
        assertThat(replied.failure()).hasMessageContaining("(maxWaiters)");
        one.network.flow();
        world.advance(EngineSettings.DEFAULTS.commandTimeout());
        assertThat(unanswered.failure()).hasMessageContaining("(maxWaiters)");

        elsewhere.close();
        first.close();
        second.close();
    }

    @Test
    void anExplicitOwnerWithoutAPlaceIsRefusedDuringAnOutage() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt first = one.acquire(owner("me"));
        AsyncAttempt second = one.acquire(owner("me"));
        one.network.disconnect();

        assertThat(one.acquire(owner("you")).failure()).hasMessageContaining("(maxWaiters)");

        one.reconnect();
        elsewhere.close();
        world.advanceSeconds(1);
        first.close();
        second.close();
    }

    @Test
    void anExplicitOwnerGetsThePlaceOfOneThatHasLeftMeanwhile() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt first = one.acquire(owner("me"));
        AsyncAttempt second = one.acquire(owner("me"));
        one.network.holdCommands();
        AsyncAttempt third = one.acquire(owner("you"));
        one.network.flow();
        first.cancel();

        one.network.take().run();

        assertThat(third.isPending()).isTrue();
        elsewhere.close();
        second.close();
        assertThat(third.isHeld()).isTrue();
        third.close();
    }
}
