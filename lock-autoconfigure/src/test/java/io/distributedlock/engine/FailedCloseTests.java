/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A close that fails before it has changed anything, as after an overflow of the stack. */
class FailedCloseTests {

    private static final int NEVER = -1;

    private final ManualClock clock = ManualClock.startingAt(0);

    private final SharedLeases leases = new SharedLeases(clock);

    /** The reads of the clock until one fails; negative if none does. */
    private final AtomicInteger left = new AtomicInteger(NEVER);

    private final Instance one = new Instance("one", leases, EngineSettings.DEFAULTS, this::failingNanos);

    private long failingNanos() {
        if (left.getAndUpdate(known -> Math.max(NEVER, known - 1)) == 0) {
            throw new StackOverflowError("for the test");
        }
        return clock.nanos();
    }

    /** The stack ends where the command is written, after everything was decided. */
    @Test
    void aReleaseThatCouldNotBeSentIsSentByTheTimer() {
        AsyncAttempt held = one.acquire("a");
        one.network.failSending(new StackOverflowError("for the test"));
        CompletionStage<Void> closing = held.handle().closeAsync();

        one.engine.runTimers();

        assertThat(closing.toCompletableFuture()).isCompleted();
        assertThat(leases.leftovers()).isEmpty();
    }

    /** The first read belongs to the check for an inner entry, the second one to the release. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void isRepeatedByTheTimer(int reads) {
        AsyncAttempt held = one.acquire("a");
        left.set(reads);
        assertThatExceptionOfType(StackOverflowError.class)
                .isThrownBy(() -> held.handle().closeAsync());
        assertThat(one.engine.locks().size()).isOne();

        one.engine.runTimers();

        assertThat(one.engine.locks().size()).isZero();
        assertThat(leases.leftovers()).isEmpty();
    }
}
