/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distributedlock.LockLostException;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Closing without blocking has the outcomes of closing. */
class PendingReleaseTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private static CompletableFuture<Void> close(AsyncAttempt attempt) {
        return attempt.handle().closeAsync().toCompletableFuture();
    }

    private static Throwable failureOf(CompletableFuture<Void> closing) {
        assertThat(closing).isCompletedExceptionally();
        return StoreFailures.unwrap(catchThrowable(closing::join));
    }

    @Test
    void isDoneWhenTheReplyHasArrived() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();

        CompletableFuture<Void> closing = close(attempt);

        assertThat(closing).isNotDone();
        assertThat(attempt.isHeld()).isFalse();
        one.network.take().run();
        assertThat(closing).isCompleted();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void onlyTheFirstCallDoesAnything() {
        AsyncAttempt attempt = one.acquire("a");

        assertThat(close(attempt)).isCompleted();
        attempt.close();
        assertThat(close(attempt)).isCompleted();
        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);
    }

    @Test
    void anInnerEntryIsClosedAtOnce() {
        var outer = one.engine.acquire(LockRequest.of("a"));
        var inner = one.engine.acquire(LockRequest.of("a"));

        assertThat(inner.closeAsync()).isCompleted();
        assertThat(outer.isHeld()).isTrue();
        assertThat(outer.closeAsync()).isCompleted();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void whatALateReplySaysIsNotReportedOnceTheStageHasFailed() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.disconnect();
        CompletableFuture<Void> closing = close(attempt);
        world.advanceSeconds(3);
        assertThat(failureOf(closing)).isInstanceOf(LockReleaseUnconfirmedException.class);

        world.leases.forgetAll();
        one.reconnect();
        world.advanceSeconds(1);

        assertThat(one.network.sent(ReleaseCommand.class)).isNotEmpty();
        assertThat(one.events).isEmpty();
        assertThat(one.listener.told)
                .filteredOn(told -> told.startsWith("a lost"))
                .isEmpty();
    }

    @Test
    void endsWithTheEngineAlthoughTheStoreIsSilent() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        CompletableFuture<Void> closing = close(attempt);

        one.engine.close();

        assertThat(failureOf(closing)).isInstanceOf(LockReleaseUnconfirmedException.class);
        one.network.take().run();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void reportsALossBeforeTheRelease() {
        AsyncAttempt attempt = one.acquire("a");
        world.pauseMillis(31_000);

        assertThat(failureOf(close(attempt))).isInstanceOf(LockLostException.class);
        assertThat(close(attempt)).isCompleted();
    }

    @Test
    void reportsALossThatOnlyTheStoreKnows() {
        AsyncAttempt attempt = one.acquire("a");
        world.leases.forgetAll();

        assertThat(failureOf(close(attempt)))
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("it no longer existed");
    }

    @Test
    void failsWhenTheStoreRefuses() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.failNext(1, Effect.REFUSED);

        assertThat(failureOf(close(attempt))).hasMessageContaining("is not confirmed");
        world.advanceSeconds(61);
    }

    @Test
    void failsWhenTheReplyTakesTooLongAndContinuesToRelease() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.disconnect();
        CompletableFuture<Void> closing = close(attempt);

        world.advanceMillis(1_990);
        assertThat(closing).isNotDone();
        world.advanceMillis(20);

        assertThat(failureOf(closing)).hasMessageContaining("is not confirmed");
        one.reconnect();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    /** The error comes after the decision to send, where there may be no memory for the attempt. */
    @Test
    void isRetriedAlthoughARetryHasFailedBeforeItWasSent() {
        AtomicBoolean fails = new AtomicBoolean();
        NanoClock clock = () -> {
            if (fails.get() && isCalledBy(ReleaseAttempt.class)) {
                fails.set(false);
                throw new OutOfMemoryError("for the test");
            }
            return world.clock.nanos();
        };
        Instance failing = new Instance("failing", world.leases, EngineSettings.DEFAULTS, clock);
        AsyncAttempt attempt = failing.acquire("a");
        failing.network.disconnect();
        CompletableFuture<Void> closing = close(attempt);
        failing.network.reconnect();
        fails.set(true);

        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> failing.engine.locks().connected());
        for (int i = 0; i < 15; i++) {
            world.pauseMillis(100);
            failing.engine.runTimers();
        }

        assertThat(closing).isCompleted();
        assertThat(world.leases.inspect("a")).isEmpty();
    }

    private static boolean isCalledBy(Class<?> caller) {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(caller.getName())));
    }
}
