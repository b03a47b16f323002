/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The calling thread sends all releases, and waits for the replies itself. */
class BlockingJointReleaseTests {

    private final List<String> steps = new ArrayList<>();

    private final Awaited a = new Awaited("a");

    private final Awaited b = new Awaited("b");

    private final Awaited c = new Awaited("c");

    private final LockHandle all = new CompositeLockHandle(List.of(a, b, c));

    private final class Awaited extends TestHold implements AwaitedRelease {

        private final String name;

        @Nullable
        Throwable cannotSend;

        @Nullable
        Throwable outcome;

        boolean endsAtOnce;

        Awaited(String name) {
            super(name, 1, steps);
            this.name = name;
        }

        @Override
        public @Nullable Runnable beginClose() {
            return begin("close " + name);
        }

        @Override
        public @Nullable Runnable beginRollBack() {
            return begin("unused " + name);
        }

        private @Nullable Runnable begin(String how) {
            if (cannotSend != null) {
                throw TestHold.<RuntimeException>unchecked(cannotSend);
            }
            steps.add(how);
            return endsAtOnce ? null : this::await;
        }

        private void await() {
            steps.add("wait " + name);
            if (outcome != null) {
                throw TestHold.<RuntimeException>unchecked(outcome);
            }
        }
    }

    @Test
    void sendsAllBeforeItWaits() {
        assertThatNoException().isThrownBy(all::close);
        assertThat(steps).containsExactly("close c", "close b", "close a", "wait c", "wait b", "wait a");
    }

    @Test
    void doesNotWaitForAHoldThatHasEndedAtOnce() {
        b.endsAtOnce = true;
        assertThatNoException().isThrownBy(all::close);
        assertThat(steps).containsExactly("close c", "close b", "close a", "wait c", "wait a");
    }

    @Test
    void aReleaseThatCannotBeSentDoesNotKeepTheOthers() {
        StackOverflowError error = new StackOverflowError();
        c.cannotSend = error;
        assertThatExceptionOfType(StackOverflowError.class)
                .isThrownBy(all::close)
                .isSameAs(error);
        assertThat(steps).containsExactly("close b", "close a", "wait b", "wait a");
    }

    @Test
    void aWaitThatFailsDoesNotEndTheOthers() {
        StackOverflowError error = new StackOverflowError();
        c.outcome = error;
        assertThatExceptionOfType(StackOverflowError.class)
                .isThrownBy(all::close)
                .isSameAs(error);
        assertThat(steps).containsExactly("close c", "close b", "close a", "wait c", "wait b", "wait a");
    }

    @Test
    void aLossIsReportedInPreferenceToAnUnconfirmedRelease() {
        LockUnavailableException unavailable = new LockUnavailableException("c", "unavailable", null);
        LockLostException lost = new LockLostException("a", "lost", Duration.ZERO);
        c.cannotSend = unavailable;
        a.outcome = lost;
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(all::close)
                .isSameAs(lost)
                .satisfies(thrown -> assertThat(thrown.getSuppressed()).containsExactly(unavailable));
    }

    @Test
    void rollsBackWhateverFailsAndReportsItInTheOrderOfTheHolds() {
        IOException checked = new IOException();
        a.cannotSend = checked;
        c.outcome = new StackOverflowError();
        assertThat(BlockingJointRelease.rollBack(List.of(a, b, c))).containsExactly(checked, null, c.outcome);
        assertThat(steps).containsExactly("unused c", "unused b", "wait c", "wait b");
    }

    /** Such as that of LockOperations which an application has decorated. */
    @Test
    void aHandleOfAnotherKindIsReleasedThroughItsStage() {
        TestHold other = new TestHold("other", 1, steps);
        LockUnavailableException unavailable = new LockUnavailableException("other", "unavailable", null);
        other.reply = CompletableFuture.<Void>failedFuture(unavailable).thenApply(same -> same);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(new CompositeLockHandle(List.of(a, other))::close)
                .isSameAs(unavailable);
        assertThat(steps).containsExactly("close other", "close a", "wait a");
        steps.clear();
        assertThat(BlockingJointRelease.rollBack(List.of(a, other))).containsExactly(null, unavailable);
        assertThat(steps).containsExactly("unused other", "unused a", "wait a");
    }

    @Test
    void sendsAlsoTheReleasesOfAJointHoldBeforeItWaits() {
        LockHandle inner = new CompositeLockHandle(List.of(b, c));
        assertThatNoException().isThrownBy(new CompositeLockHandle(List.of(a, inner))::close);
        assertThat(steps).containsExactly("close c", "close b", "close a", "wait c", "wait b", "wait a");
        steps.clear();
        assertThat(BlockingJointRelease.rollBack(List.of(a, inner))).containsExactly(null, null);
        assertThat(steps).containsExactly("unused c", "unused b", "unused a", "wait c", "wait b", "wait a");
    }

    /** Its stage could be completed by a thread that application code keeps busy. */
    @Test
    void theOnlyHoldIsClosedEvenIfItIsOfAnotherKind() {
        TestHold other = new TestHold("other", 1, steps) {
            @Override
            public void close() {
                steps.add("wait other");
            }
        };
        assertThat(BlockingJointRelease.close(List.of(other))).containsExactly((Throwable) null);
        assertThat(steps).containsExactly("wait other");
    }
}
