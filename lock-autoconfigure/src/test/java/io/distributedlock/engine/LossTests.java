/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.InMemoryLeaseStore.Renew;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.testing.Background;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A hold that ends although its caller is not done. */
class LossTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final AtomicInteger told = new AtomicInteger();

    private AsyncAttempt holdAndListen() {
        AsyncAttempt attempt = one.acquire("a");
        attempt.handle().onLost(told::incrementAndGet);
        return attempt;
    }

    private AsyncAttempt losing() {
        AsyncAttempt attempt = holdAndListen();
        world.leases.forgetAll();
        world.advanceSeconds(10);
        return attempt;
    }

    @Test
    void theLateReleaseOfALostHoldDoesNotFreeTheNextOne() {
        AsyncAttempt late = one.acquire(LockRequest.of("a").renew(false));
        AsyncAttempt next = one.acquire("a");
        world.advanceSeconds(31);
        assertThat(late.isHeld()).isFalse();
        assertThat(next.isHeld()).isTrue();

        late.abandon();

        assertThat(next.isHeld()).isTrue();
        AsyncAttempt other = one.acquire("a");
        assertThat(other.isPending()).isTrue();
        next.close();
        other.close();
    }

    /** The hold is lost in a transition, and its callbacks are handed on after it: its holder closes in between. */
    @Test
    void aCallbackRunsAlthoughTheHandleIsClosedBetweenTheLossAndTheCallbacks() {
        LockEngine engine = TestEngine.of(new InMemoryLeaseStore(world.leases, "plain", new TestNetwork()))
                .at(world.clock);
        LockHandle next = engine.acquire(LockRequest.of("a"));
        NamedLock lock = Objects.requireNonNull(engine.locks().find("a"));
        long now = world.clock.nanos();
        ResolvedRequest resolved = ResolvedRequest.of(LockRequest.of("a"), EngineSettings.DEFAULTS);
        Lease lease = new Lease(0, 1, now, resolved.lease(), null);
        HandleAnchor anchor = new HandleAnchor();
        Hold hold = new Hold(lock, new Waiter(engine.context(), resolved, new Object(), null), lease, now, now, anchor);
        DefaultLockHandle late = new DefaultLockHandle(hold, anchor);
        late.onLost(told::incrementAndGet);

        hold.lose(LossCause.EXPIRED, now);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(late::close);
        engine.context().events().lost(hold, LossCause.EXPIRED);

        assertThat(told).hasValue(1);
        next.close();
        engine.close();
    }

    @Test
    void aHoldThatTheStoreDoesNotKnowAnyMoreIsLostAtTheNextRenewal() {
        AsyncAttempt attempt = losing();

        assertThat(attempt.isHeld()).isFalse();
        assertThat(attempt.handle().remainingLease()).isZero();
        assertThat(told).hasValue(1);
    }

    @Test
    void aHoldIsLostAtItsDeadlineWithoutAReplyFromTheStore() {
        AsyncAttempt attempt = holdAndListen();
        one.network.disconnect();

        world.advanceMillis(29_699);
        assertThat(attempt.isHeld()).isTrue();
        assertThat(told).hasValue(0);
        world.advanceMillis(1);

        assertThat(attempt.isHeld()).isFalse();
        assertThat(told).hasValue(1);
        world.advanceSeconds(2);
        world.advanceSeconds(61);
    }

    @Test
    void aHoldIsLostAtItsDeadlineIfTheStoreDoesNotReply() {
        AsyncAttempt attempt = holdAndListen();
        one.network.holdCommands();

        world.advanceMillis(29_700);

        assertThat(attempt.isHeld()).isFalse();
        assertThat(told).hasValue(1);
        assertThat(one.network.sent(Renew.class)).hasSizeGreaterThan(5);
        one.network.flow();
        world.advanceSeconds(3);
    }

    @Test
    void closingReportsTheLossOnceAndSendsNothing() {
        AsyncAttempt attempt = losing();
        one.network.forgetSent();

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(attempt::close)
                .satisfies(lost -> assertThat(lost.lockName()).isEqualTo("a"));
        attempt.close();

        assertThat(one.network.sent(ReleaseCommand.class)).isEmpty();
    }

    @Test
    void theExceptionContainsTheHoldTime() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").renew(false));
        world.advanceMillis(29_700);

        LockLostException lost = catchThrowableOfType(
                LockLostException.class, () -> attempt.handle().throwIfLost());

        assertThat(lost.heldFor()).isEqualTo(Duration.ofMillis(29_700));
    }

    @Test
    void aHoldPastItsDeadlineIsLostBeforeAnyTimerRuns() {
        AsyncAttempt attempt = holdAndListen();
        world.pauseMillis(29_700);

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> attempt.handle().throwIfLost());
        assertThat(told).hasValue(1);
    }

    @Test
    void aCallbackOfALostHoldRunsAtOnce() {
        AsyncAttempt attempt = losing();

        attempt.handle().onLost(told::incrementAndGet);

        assertThat(told).hasValue(2);
    }

    @Test
    void aCallbackOfAClosedHoldNeverRuns() {
        AsyncAttempt attempt = holdAndListen();
        attempt.close();
        attempt.handle().onLost(told::incrementAndGet);
        world.leases.forgetAll();
        world.advanceSeconds(60);

        assertThat(told).hasValue(0);
    }

    @Test
    void callersThatWaitBehindALostHoldContinueAtItsDeadline() {
        AsyncAttempt late = one.acquire("a");
        AsyncAttempt next = one.acquire("a");
        one.network.disconnect();
        world.advanceMillis(29_700);
        assertThat(late.isHeld()).isFalse();
        assertThat(next.isPending()).isTrue();

        one.reconnect();
        world.advanceMillis(300);

        assertThat(next.isHeld()).isTrue();
        assertThat(next.token()).isGreaterThan(late.token());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(late::close);
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void theLateReleaseDoesNotTouchTheNextHolder() {
        AsyncAttempt late = one.acquire("a");
        Instance two = world.instance("two");
        world.pauseMillis(30_001);
        AsyncAttempt next = two.acquire("a");

        assertThatExceptionOfType(LockLostException.class).isThrownBy(late::close);

        assertThat(next.isHeld()).isTrue();
        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.owner()).isEqualTo("two"));
        next.close();
    }

    @Test
    void aForcedReleaseEndsTheHold() {
        AsyncAttempt attempt = holdAndListen();
        AsyncAttempt behind = one.acquire("a");

        assertThat(world.instance("two").engine.forceRelease("a")).isTrue();

        assertThat(attempt.isHeld()).isFalse();
        assertThat(told).hasValue(1);
        assertThat(behind.isHeld()).isTrue();
        behind.close();
    }

    @Test
    void aForcedReleaseWhoseMessageIsLostIsNoticedAtTheNextRenewal() {
        AsyncAttempt attempt = holdAndListen();
        one.network.holdMessages();
        world.instance("two").engine.forceRelease("a");
        assertThat(attempt.isHeld()).isTrue();

        world.advanceSeconds(10);

        assertThat(attempt.isHeld()).isFalse();
        assertThat(told).hasValue(1);
    }

    /** The message may come later than the reply. Until then, a nested call would enter a hold that has ended. */
    @Test
    void aForcedReleaseByTheHoldersInstanceNeedsNoMessage() {
        AsyncAttempt attempt = holdAndListen();
        AsyncAttempt behind = one.acquire("a");
        one.network.holdMessages();

        assertThat(one.engine.forceRelease("a")).isTrue();

        assertThat(attempt.isHeld()).isFalse();
        assertThat(told).hasValue(1);
        assertThat(behind.isHeld()).isTrue();
        assertThat(behind.token()).isGreaterThan(attempt.token());
        one.network.takeMessage().arrive();
        assertThat(behind.isHeld()).isTrue();
        behind.close();
    }

    @Test
    void theReplyToAForcedReleaseDoesNotEndAHoldThatCameLater() {
        Instance patient = world.patient("patient");
        AsyncAttempt before = patient.acquire("a");
        AsyncAttempt later = patient.acquire("a");
        patient.network.holdCommands();
        CompletableFuture<Boolean> forced = Background.supply(() -> patient.engine.forceRelease("a"));
        await().until(() -> patient.network.held().size() == 1);
        SimulatedCall<?> command = patient.network.take();
        patient.network.flow();
        command.execute();
        assertThat(before.isHeld()).isFalse();
        assertThat(later.isHeld()).isTrue();

        command.answer();

        assertThat(forced.join()).isTrue();
        assertThat(later.isHeld()).isTrue();
        later.close();
    }

    @Test
    void aForcedReleaseOfAFreeLockReturnsFalse() {
        assertThat(one.engine.forceRelease("a")).isFalse();
    }

    @Test
    void aRevokeOfAnEarlierHoldIsIgnored() {
        one.network.holdMessages();
        AsyncAttempt first = one.acquire("a");
        world.instance("two").engine.forceRelease("a");
        ((DefaultLockHandle) first.handle()).abandon();
        AsyncAttempt second = one.acquire("a");

        one.network.takeMessage().arrive();

        assertThat(second.isHeld()).isTrue();
        second.close();
    }

    @Test
    void aLostLeaseWhoseRequestMayStillBeExecutedIsCancelled() {
        one.network.loseAnswers(1);
        AsyncAttempt attempt = one.acquire("a");
        world.advanceMillis(200);
        assertThat(attempt.isHeld()).isTrue();
        world.leases.forgetAll();
        world.advanceSeconds(10);

        assertThat(attempt.isHeld()).isFalse();
        assertThat(one.network.sent(ReleaseCommand.class))
                .singleElement()
                .satisfies(release -> assertThat(release.tombstoneMillis()).isEqualTo(60_000));
    }
}
