/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distributedlock.testing.Background;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The current hold, and the assertion that there is one. */
class LockScopeTests {

    @AfterEach
    void nothingIsLeft() {
        assertThat(LockHandle.current()).isEmpty();
    }

    @Test
    void workThatHasBegunDelaysTheReleaseAndLaterWorkDoesNot() {
        LockScope scope = LockScope.ofSubscription(new StubHandle(false), true, LockOwner.nestedInCurrent(), null);
        assertThat(scope.beginWork()).isTrue();
        assertThat(scope.beginWork()).isTrue();
        scope.endWork();
        CompletableFuture<?> ended = scope.whenWorkHasEnded().toCompletableFuture();

        assertThat(scope.beginWork()).isFalse();
        assertThat(ended).isNotDone();
        scope.endWork();
        assertThat(ended).isDone();
        assertThat(scope.whenWorkHasEnded().toCompletableFuture()).isDone();
    }

    @Test
    void aSecondCloseShowsNothing() {
        StubHandle outer = new StubHandle(false);
        LockScope one = LockScope.open(outer);
        LockScope two = LockScope.open(new StubHandle(false));
        two.close();
        one.close();
        two.close();

        assertThat(LockHandle.current()).isEmpty();
    }

    @Test
    void thereIsNoHoldOutside() {
        assertThat(LockHandle.current()).isEmpty();
        assertThatIllegalStateException()
                .isThrownBy(LockAssert::assertLocked)
                .withMessageContaining("@DistributedLocked");
    }

    @Test
    void theInnermostIsCurrent() {
        StubHandle outer = new StubHandle(false);
        StubHandle inner = new StubHandle(false);
        try (LockScope one = LockScope.open(outer)) {
            assertThat(LockHandle.current()).containsSame(outer);
            try (LockScope two = LockScope.open(inner)) {
                assertThat(one).isNotSameAs(two);
                assertThat(LockHandle.current()).containsSame(inner);
                try (LockScope three = LockScope.open(inner)) {
                    assertThat(two).isNotSameAs(three);
                    assertThat(LockHandle.current()).containsSame(inner);
                }
                assertThat(LockHandle.current()).containsSame(inner);
            }
            assertThat(LockHandle.current()).containsSame(outer);
            LockAssert.assertLocked();
        }
    }

    @Test
    void otherThreadsHaveTheirOwn() throws Exception {
        try (LockScope scope = LockScope.open(new StubHandle(false))) {
            assertThat(scope).isNotNull();
            assertThat(Background.supply(LockHandle::current).get(10, TimeUnit.SECONDS))
                    .isEmpty();
        }
    }

    @Test
    void isClosedAfterAFailure() {
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> {
            try (LockScope scope = LockScope.open(new StubHandle(false))) {
                assertThat(scope).isNotNull();
                throw new UnsupportedOperationException();
            }
        });
    }

    @Test
    void aLostHoldDoesNotPassTheAssertion() {
        try (LockScope scope = LockScope.open(new StubHandle(true))) {
            assertThat(scope).isNotNull();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(LockAssert::assertLocked);
        }
        StubHandle held = new StubHandle(false);
        try (LockScope outer = LockScope.open(new StubHandle(true));
                LockScope inner = LockScope.open(held)) {
            assertThat(outer).isNotSameAs(inner);
            LockAssert.assertLocked();
        }
    }

    /** The work has closed the handle itself. */
    @Test
    void aReleasedHoldDoesNotPassTheAssertion() {
        StubHandle released = new StubHandle(false, false);
        try (LockScope scope = LockScope.open(released)) {
            assertThat(scope).isNotNull();
            assertThatIllegalStateException()
                    .isThrownBy(LockAssert::assertLocked)
                    .withMessageContaining("'stub' was released before the end of the work");
        }
    }

    /** Held, lost or released, and nothing else. */
    private record StubHandle(boolean lost, boolean isHeld) implements LockHandle {

        StubHandle(boolean lost) {
            this(lost, !lost);
        }

        @Override
        public String name() {
            return "stub";
        }

        @Override
        public long fencingToken() {
            return 1;
        }

        @Override
        public Duration remainingLease() {
            return Duration.ZERO;
        }

        @Override
        public void extend(Duration lease) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onLost(Runnable callback) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void throwIfLost() {
            if (lost) {
                throw new LockLostException("stub", "lost", Duration.ZERO);
            }
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    }
}
