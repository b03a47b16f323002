/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.InMemoryLeaseStore.Renew;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReentryTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private LockHandle enter() {
        return one.engine.acquire(LockRequest.of("a"));
    }

    @Test
    void enteringAgainCostsNoCommandAndHasTheSameToken() {
        LockHandle outer = enter();
        long token = outer.fencingToken();
        LockHandle inner = enter();

        assertThat(one.network.sent()).hasSize(1);
        assertThat(inner.fencingToken()).isEqualTo(token);
        assertThat(outer.fencingToken()).isEqualTo(token);
        inner.close();
        outer.close();
    }

    /** As if the stack had run out at the beginning of the close. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEntryWhoseCloseFailsIsLeftByTheTimer(boolean innerFails) {
        AtomicBoolean failing = new AtomicBoolean();
        LockEngine engine = TestEngine.of(new InMemoryLeaseStore(world.leases, "failing", new TestNetwork()))
                .at(() -> {
                    if (failing.compareAndSet(true, false)) {
                        throw new StackOverflowError("on purpose");
                    }
                    return world.clock.nanos();
                });
        LockHandle outer = engine.acquire(LockRequest.of("a"));
        LockHandle inner = engine.acquire(LockRequest.of("a"));

        failing.set(true);
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(innerFails ? inner::close : outer::close);
        engine.runTimers();
        (innerFails ? inner : outer).close();
        assertThat((innerFails ? outer : inner).isHeld()).isTrue();
        (innerFails ? outer : inner).close();

        assertThat(world.leases.leftovers()).isEmpty();
        assertThat(engine.locks().size()).isZero();
        engine.close();
    }

    @Test
    void theLockIsFreeWhenTheLastEntryIsClosedInWhateverOrder() {
        LockHandle outer = enter();
        LockHandle inner = enter();

        outer.close();

        assertThat(outer.isHeld()).isFalse();
        assertThat(inner.isHeld()).isTrue();
        assertThat(one.tryOnce("a").failure()).isInstanceOf(LockNotAcquiredException.class);
        inner.close();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void closingAnEntryTwiceCountsOnce() {
        LockHandle outer = enter();
        LockHandle inner = enter();

        inner.close();
        inner.close();

        assertThat(outer.isHeld()).isTrue();
        outer.close();
    }

    @Test
    void aRequestThatIsNotReentrantIsRefusedAtOnce() {
        LockHandle outer = enter();

        assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(() ->
                        one.engine.acquire(LockRequest.of("a").reentrant(false).waitForever()))
                .withMessageContaining("not re-entrant");
        assertThat(outer.isHeld()).isTrue();
        outer.close();
    }

    @Test
    void asynchronousCallersAreDifferentOwnersEvenOnOneThread() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");

        assertThat(second.isPending()).isTrue();
        first.close();
        second.close();
    }

    @Test
    void theSettingsOfTheOuterHoldStay() {
        LockHandle outer = enter();
        LockHandle inner = one.engine.acquire(
                LockRequest.of("a").lease(Duration.ofSeconds(1)).renew(false));

        world.advanceSeconds(10);

        assertThat(one.network.sent(Renew.class).get(0).leases())
                .singleElement()
                .satisfies(renewal -> assertThat(renewal.leaseMillis()).isEqualTo(30_000));
        inner.close();
        outer.close();
    }

    @Test
    void aLostHoldIsNotEnteredAgain() {
        LockHandle outer = enter();
        world.pauseMillis(31_000);

        LockHandle next = enter();

        assertThat(next.fencingToken()).isGreaterThan(outer.fencingToken());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::close);
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void everyHandleOfALostHoldLearnsOfTheLoss() {
        LockHandle outer = enter();
        LockHandle inner = enter();
        world.pauseMillis(31_000);

        assertThatExceptionOfType(LockLostException.class).isThrownBy(inner::close);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::close);
        outer.close();
    }

    @Test
    void anEntryThatWasClosedBeforeTheLossReportsNone() {
        LockHandle outer = enter();
        LockHandle inner = enter();
        inner.close();
        world.pauseMillis(31_000);

        assertThatCode(inner::throwIfLost).doesNotThrowAnyException();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::throwIfLost);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::close);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::throwIfLost);
    }

    @Test
    void whatWasToBeRunForAnInnerEntryIsDroppedWithIt() {
        LockHandle outer = enter();
        LockHandle inner = enter();
        List<String> told = new ArrayList<>();
        outer.onLost(() -> told.add("outer"));
        inner.onLost(() -> told.add("inner"));

        inner.close();
        world.advanceSeconds(1);
        one.network.disconnect();
        world.advanceSeconds(60);

        assertThat(told).containsExactly("outer");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::close);
    }

    @Test
    void anInterruptedCallerDoesNotEnterAgainAndKeepsItsFlag() {
        LockHandle outer = enter();
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(this::enter);
        assertThat(Thread.interrupted()).isTrue();
        outer.close();
    }
}
