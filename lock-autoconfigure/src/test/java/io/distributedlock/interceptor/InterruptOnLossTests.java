/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockInterruptedException;
import io.distributedlock.interceptor.PromisedLocks.Hold;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InterruptOnLossTests {

    private final Hold outerHold = new Hold();

    private final Hold innerHold = new Hold();

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @Test
    void anOuterMethodThatHasHandledItsInterruptIsNotInterruptedAgain() {
        InterruptOnLoss outer = InterruptOnLoss.of(outerHold);
        outerHold.lose();
        assertThat(Thread.interrupted()).isTrue();
        InterruptOnLoss inner = InterruptOnLoss.of(innerHold);
        inner.end();

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        outer.end();
    }

    /** The first inner method is over, and must not stand between the second and the outer one. */
    @Test
    void theOuterMethodIsInterruptedAfterEachInnerOne() {
        InterruptOnLoss outer = InterruptOnLoss.of(outerHold);
        InterruptOnLoss first = InterruptOnLoss.of(innerHold);
        innerHold.lose();
        first.end();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        Hold secondHold = new Hold();
        InterruptOnLoss second = InterruptOnLoss.of(secondHold);
        secondHold.lose();
        outerHold.lose();
        second.end();

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        outer.end();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void theOutermostOfThreeMethodsIsInterruptedToo() {
        InterruptOnLoss outermost = InterruptOnLoss.of(outerHold);
        InterruptOnLoss middle = InterruptOnLoss.of(new Hold());
        InterruptOnLoss inner = InterruptOnLoss.of(innerHold);
        innerHold.lose();
        outerHold.lose();
        inner.end();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        middle.end();
        outermost.end();
    }

    @Test
    void aLossAfterTheEndOfAMethodInterruptsNothing() {
        InterruptOnLoss.of(innerHold).end();
        innerHold.lose();

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** As by {@code shutdownNow()} of the executor that runs the method. */
    @Test
    void anInterruptByAnotherBeforeTheLossOutlivesTheMethod() {
        InterruptOnLoss method = InterruptOnLoss.of(innerHold);
        Thread.currentThread().interrupt();
        innerHold.lose();
        method.end();

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void anInterruptByAnotherAfterTheLossOfAnEarlierMethodOutlivesTheMethod() {
        InterruptOnLoss outer = InterruptOnLoss.of(outerHold);
        InterruptOnLoss first = InterruptOnLoss.of(innerHold);
        innerHold.lose();
        first.end();
        Thread.currentThread().interrupt();
        outerHold.lose();
        outer.end();

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    static List<Throwable> consequences() {
        return List.of(
                new InterruptedException(),
                new InterruptedIOException(),
                new ClosedByInterruptException(),
                new FileLockInterruptionException(),
                new LockInterruptedException("work", "interrupted", null),
                new IllegalStateException(new UncheckedIOException(new InterruptedIOException())));
    }

    @ParameterizedTest
    @MethodSource("consequences")
    void aFailureByAnInterruptIsAConsequence(Throwable failure) {
        assertThat(InterruptOnLoss.isConsequence(failure)).isTrue();
    }

    static List<Throwable> others() {
        Exception cyclic = new IllegalStateException();
        cyclic.initCause(new IllegalStateException(cyclic));
        return List.of(new IllegalStateException(), new SocketTimeoutException(), cyclic);
    }

    /** A socket that times out was not interrupted, although its exception inherits from that of an interrupt. */
    @ParameterizedTest
    @MethodSource("others")
    void anotherFailureIsNone(Throwable failure) {
        assertThat(InterruptOnLoss.isConsequence(failure)).isFalse();
    }
}
