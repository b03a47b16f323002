package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Callers of one instance among themselves. */
class LocalQueueTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    @Test
    void aFreeLockCostsOneCommandAndItsReleaseAnother() {
        one.acquire("a").close();

        assertThat(one.network.sent()).hasSize(2);
    }

    @Test
    void callersGetTheLockInTheOrderOfTheirArrival() {
        List<Attempt> attempts =
                IntStream.range(0, 20).mapToObj(i -> one.acquire("a")).toList();

        for (int i = 0; i < attempts.size(); i++) {
            assertThat(attempts.get(i).isGranted()).isTrue();
            assertThat(attempts.stream().skip(i + 1)).allMatch(Attempt::isPending);
            attempts.get(i).close();
        }
    }

    @Test
    void passingOnInsideTheInstanceCostsNoCommandAndRaisesTheTokenByOne() {
        Attempt first = one.acquire("a");
        Attempt second = one.acquire("a");
        one.network.forgetSent();
        world.pauseMoment();

        first.close();

        assertThat(one.network.sent()).isEmpty();
        assertThat(second.token()).isEqualTo(first.token() + 1);
        second.close();
    }

    @Test
    void theReleaseBringsTheTokenOfTheLatestPass() {
        Attempt first = one.acquire("a");
        Attempt second = one.acquire("a");
        world.pauseMoment();
        first.close();
        second.close();

        assertThat(one.network.sent(LeaseStore.ReleaseCommand.class))
                .singleElement()
                .satisfies(release -> assertThat(release.floor()).isEqualTo(second.token()));
    }

    @Test
    void differentNamesDoNotWaitForEachOther() {
        Attempt a = one.acquire("a");
        Attempt b = one.acquire("b");

        assertThat(b.isGranted()).isTrue();
        a.close();
        b.close();
    }

    @Test
    void theNextTokenIsHigherAfterARelease() {
        Attempt first = one.acquire("a");
        first.close();
        Attempt second = one.acquire("a");

        assertThat(second.token()).isGreaterThan(first.token());
        second.close();
    }

    @Test
    void tokensGrowAlthoughTheStoreForgotAllAndItsClockWasSetBack() {
        Attempt first = one.acquire("a");
        Attempt second = one.acquire("a");
        Attempt third = one.acquire("a");
        first.close();
        second.close();
        world.leases.forgetAll();
        world.leases.setTimeBack(Duration.ofDays(1));
        world.advanceSeconds(31);
        assertThat(third.isHeld()).isFalse();
        Attempt fourth = one.acquire("a");

        assertThat(fourth.token()).isGreaterThan(third.token());
        fourth.close();
    }

    @Test
    void aCallerThatTriesOnceIsToldBusyAtOnceIfTheLockIsHeldHere() {
        Attempt holder = one.acquire("a");
        one.network.forgetSent();

        Attempt refused = one.tryOnce("a");

        assertThat(refused.failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(one.network.sent()).isEmpty();
        holder.close();
    }

    @Test
    void oneQuestionStandsForAllCallers() {
        Instance two = world.instance("two");
        Attempt elsewhere = two.acquire("a");
        List<Attempt> waiting =
                IntStream.range(0, 10).mapToObj(i -> one.acquire("a")).toList();

        assertThat(one.network.sent()).hasSize(1);
        elsewhere.close();
        waiting.forEach(Attempt::close);
    }

    @Test
    void callersThatTryOnceAreDecidedByTheFirstAnswer() {
        Instance two = world.instance("two");
        one.network.holdCommands();
        Attempt winner = one.tryOnce("a");
        Attempt late = one.tryOnce("a");
        assertThat(winner.isPending()).isTrue();

        one.network.take().run();

        assertThat(winner.isGranted()).isTrue();
        assertThat(late.failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(two.tryOnce("a").failure()).isInstanceOf(LockNotAcquiredException.class);
        one.network.flow();
        winner.close();
    }

    @Test
    void aCallerThatTriesOnceDoesNotQueueInTheStore() {
        Instance two = world.instance("two");
        Attempt elsewhere = two.acquire("a");

        Attempt refused = one.tryOnce("a");

        assertThat(refused.failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(one.network.sent()).hasSize(1);
        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.waitingInstances()).isZero());
        elsewhere.close();
    }

    @Test
    void oneWhoWaitsBesideOneWhoTriesOnceStillQueues() {
        Instance two = world.instance("two");
        Attempt elsewhere = two.acquire("a");
        one.network.holdCommands();
        Attempt once = one.tryOnce("a");
        Attempt waiting = one.acquire("a");
        one.network.flow();
        one.network.take().run();

        assertThat(once.failure()).isInstanceOf(LockNotAcquiredException.class);
        elsewhere.close();
        assertThat(waiting.isGranted()).isTrue();
        waiting.close();
    }

    @Test
    void aWaiterThatLeavesIsSkipped() {
        Attempt first = one.acquire("a");
        Attempt second = one.acquire("a");
        Attempt third = one.acquire("a");

        second.cancel();
        first.close();

        assertThat(third.isGranted()).isTrue();
        third.close();
    }

    @Test
    void aGrantThatMeetsACancelledCallerGoesToTheNext() {
        Attempt first = one.acquire("a");
        Attempt second = one.acquire(LockRequest.of("a").lease(Duration.ofSeconds(1)));
        second.cancel();
        first.close();

        Attempt third = one.tryOnce("a");

        assertThat(third.isGranted()).isTrue();
        third.close();
    }

    @Test
    void aQuestionThatWasSentBeforeItCameDoesNotTellACallerThatTriesOnceThatItIsBusy() {
        Attempt elsewhere = world.instance("two").acquire("a");
        one.network.holdCommands();
        Attempt early = one.tryOnce("a");
        StoreCall<?> question = one.network.take().execute();
        elsewhere.close();
        Attempt once = one.tryOnce("a");
        one.network.flow();

        question.answer();

        assertThat(early.failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(once.isHeld()).isTrue();
        once.close();
    }
}
