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
    void oneMoreThanTheLimitIsRefusedAtOnceAndSaysWhichPropertyItIs() {
        Attempt holder = one.acquire("a");
        Attempt first = one.acquire("a");
        Attempt second = one.acquire("a");

        Attempt third = one.acquire("a");

        assertThat(third.failure())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("'a'")
                .hasMessageContaining("distributed-lock.max-waiters");
        holder.close();
        Attempt fourth = one.acquire("a");
        assertThat(fourth.isPending()).isTrue();
        first.close();
        second.close();
        fourth.close();
    }

    @Test
    void whoLeavesMakesRoom() {
        Attempt holder = one.acquire("a");
        Attempt first = one.acquire("a");
        Attempt second = one.acquire("a");
        first.cancel();
        Attempt third = one.acquire("a");
        assertThat(third.isPending()).isTrue();
        holder.close();
        second.close();
        third.close();
    }

    @Test
    void holdsOfAnExplicitOwnerAreNoWaiters() {
        LockRequest owned = LockRequest.of("a").owner("job");
        Attempt[] holds = new Attempt[4];
        for (int i = 0; i < holds.length; i++) {
            holds[i] = one.acquire(owned);
            assertThat(holds[i].isHeld()).isTrue();
        }
        for (Attempt hold : holds) {
            hold.close();
        }
    }

    @Test
    void whoTriesOnceIsToldThatItIsBusy() {
        Attempt holder = one.acquire("a");
        Attempt first = one.acquire("a");
        Attempt second = one.acquire("a");
        assertThat(one.tryOnce("a").failure()).isInstanceOf(LockNotAcquiredException.class);
        holder.close();
        first.close();
        second.close();
    }

    @Test
    void eachLockHasItsOwnLimit() {
        Attempt holder = one.acquire("a");
        Attempt first = one.acquire("a");
        Attempt second = one.acquire("a");
        Attempt other = one.acquire("b");
        assertThat(other.isHeld()).isTrue();
        other.close();
        holder.close();
        first.close();
        second.close();
    }

    @Test
    void acquisitionsOfExplicitOwnersAreCountedByName() {
        LockRequest mine = LockRequest.of("a").owner("me").waitForever();
        Attempt holder = one.acquire("a");
        Attempt first = one.acquire(mine);
        Attempt second = one.acquire(mine);

        assertThat(one.acquire(mine).failure()).hasMessageContaining("distributed-lock.max-waiters");

        holder.close();
        first.close();
        second.close();
    }
}
