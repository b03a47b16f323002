/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.Mockito.mock;

import io.distributedlock.LockAssert;
import io.distributedlock.LockDeadlockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a call does around the method: acquire, run, release, and which failure the caller gets. */
class BlockingCallTests {

    private final List<String> events = new ArrayList<>();

    private final RecordingLocks locks = new RecordingLocks(events);

    private final Work work = LockedProxies.by(locks).byClass(new Work(events));

    @AfterEach
    void leavesNoCurrentHandle() {
        assertThat(LockHandle.current()).isEmpty();
    }

    @Test
    void runsTheMethodBetweenAcquireAndRelease() throws Throwable {
        assertThat(work.run(() -> "result")).isEqualTo("result");
        assertThat(events).containsExactly("acquire", "run", "close");
    }

    @Test
    void makesTheHandleTheCurrentOne() throws Throwable {
        String name = (String) work.run(() -> {
            LockAssert.assertLocked();
            return LockHandle.current().orElseThrow().name();
        });
        assertThat(name).isEqualTo("work");
    }

    @Test
    void requestsWhatTheAnnotationDeclares() {
        work.inDetail();
        LockRequest request = locks.request();
        assertThat(request.name()).isEqualTo("detail:k");
        assertThat(request.lease()).isEqualTo(Duration.ofSeconds(3));
        assertThat(request.waitUpTo()).isNegative();
        assertThat(request.maxHold()).isEqualTo(Duration.ofMinutes(1));
        assertThat(request.renew()).isTrue();
        assertThat(request.reentrant()).isFalse();
    }

    @Test
    void requestsTheDefaultsIfTheAnnotationHasNoAttributes() throws Throwable {
        work.run(() -> null);
        assertThat(locks.request())
                .usingRecursiveComparison()
                .ignoringFields("origin")
                .isEqualTo(LockRequest.of("work"));
    }

    @Test
    void requestsAHardEndAndASingleTry() {
        work.hardEnd();
        assertThat(locks.request().renew()).isFalse();
        assertThat(locks.request().waitUpTo()).isZero();
    }

    static List<Throwable> failuresOfTheMethod() {
        return List.of(
                new IllegalStateException("unchecked"),
                new IOException("checked"),
                new StackOverflowError("error"),
                new LockLostException("work", "lost", Duration.ZERO));
    }

    @ParameterizedTest
    @MethodSource("failuresOfTheMethod")
    void throwsWhatTheMethodThrows(Throwable failure) {
        assertThat(catchThrowable(() -> work.run(() -> sneaky(failure)))).isSameAs(failure);
        assertThat(events).containsExactly("acquire", "run", "close");
    }

    @ParameterizedTest
    @MethodSource("failuresOfTheMethod")
    void addsAFailureOfTheReleaseToThatOfTheMethod(Throwable failure) {
        RuntimeException second = new LockUnavailableException("work", "down", null);
        locks.failClose(second);
        assertThat(catchThrowable(() -> work.run(() -> sneaky(failure)))).isSameAs(failure);
        assertThat(failure.getSuppressed()).containsExactly(second);
    }

    @Test
    void addsAnErrorOfTheReleaseToTheFailureOfTheMethod() {
        Throwable failure = new IOException();
        Error second = new NoClassDefFoundError();
        locks.failClose(second);
        assertThat(catchThrowable(() -> work.run(() -> sneaky(failure)))).isSameAs(failure);
        assertThat(failure.getSuppressed()).containsExactly(second);
    }

    @Test
    void doesNotAddAFailureToItself() {
        RuntimeException both = new LockLostException("work", "lost", Duration.ZERO);
        locks.failClose(both);
        assertThat(catchThrowable(() -> work.run(() -> sneaky(both)))).isSameAs(both);
        assertThat(both.getSuppressed()).isEmpty();
    }

    @Test
    void reportsALossOnce() {
        RuntimeException failure = new LockLostException("work", "lost before the commit", Duration.ZERO);
        locks.failClose(new LockLostException("work", "lost", Duration.ZERO));
        assertThat(catchThrowable(() -> work.run(() -> sneaky(failure)))).isSameAs(failure);
        assertThat(failure.getSuppressed()).isEmpty();
    }

    @Test
    void reportsTheLossesOfTwoLocks() {
        RuntimeException failure = new LockLostException("inner", "lost", Duration.ZERO);
        RuntimeException second = new LockLostException("work", "lost", Duration.ZERO);
        locks.failClose(second);
        assertThat(catchThrowable(() -> work.run(() -> sneaky(failure)))).isSameAs(failure);
        assertThat(failure.getSuppressed()).containsExactly(second);
    }

    /** As a mock without stubs does. */
    @Test
    void refusesLockOperationsThatReturnNull() {
        Work mocked =
                LockedProxies.by(mock(LockOperations.class, invocation -> null)).byClass(new Work(events));
        assertThat(catchThrowable(() -> mocked.run(() -> "result")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("LockOperations.acquire returned null")
                .hasMessageContaining("stub acquire");
        assertThat(catchThrowable(mocked::skippedVoid))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("LockOperations.tryAcquire returned null");
        assertThat(events).isEmpty();
    }

    @Test
    void throwsThatTheLockWasLostOnceTheMethodHasReturned() {
        locks.failClose(new LockLostException("work", "lost", Duration.ZERO));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> work.run(() -> "result"));
        assertThat(events).containsExactly("acquire", "run", "close");
    }

    @Test
    void ignoresThatTheLockWasLostIfConfigured() {
        locks.failClose(new LockLostException("work", "lost", Duration.ZERO));
        assertThat(work.ignoringLoss()).isEqualTo("result");
        assertThat(events).containsExactly("acquire", "run", "close");
    }

    @Test
    void addsNoLossThatIsIgnoredToTheFailureOfTheMethod() {
        RuntimeException failure = new IllegalStateException("of the method");
        locks.failClose(new LockLostException("work", "lost", Duration.ZERO));

        assertThatThrownBy(() -> work.ignoringLossOf(() -> {
                    throw failure;
                }))
                .isSameAs(failure)
                .hasNoSuppressedExceptions();
    }

    @Test
    void ignoresNothingButLoss() {
        locks.failClose(new LockUnavailableException("work", "down", null));
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(work::ignoringLoss);
    }

    static List<RuntimeException> failuresOfTheAcquire() {
        return List.of(
                new LockUnavailableException("work", "down", null),
                new LockInterruptedException("work", "interrupted", null));
    }

    @ParameterizedTest
    @MethodSource("failuresOfTheAcquire")
    void doesNotRunTheMethodWithoutTheLock(RuntimeException failure) {
        locks.failAcquire(failure);
        assertThat(catchThrowable(() -> work.run(() -> "result"))).isSameAs(failure);
        assertThat(catchThrowable(work::skippedObject)).isSameAs(failure);
        assertThat(events).containsExactly("acquire", "tryAcquire");
    }

    @Test
    void throwsIfTheLockIsBusy() {
        locks.busy();
        assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> work.run(() -> "result"));
        assertThat(events).containsExactly("acquire");
    }

    @Test
    void skipsTheMethodIfTheLockIsBusyAndSkipIsConfigured() {
        locks.busy();
        assertThat(work.skippedObject()).isNull();
        assertThat(work.skippedBox()).isNull();
        assertThat(work.skippedOptional()).isEmpty();
        assertThat(work.skippedInt()).isEmpty();
        assertThat(work.skippedLong()).isEmpty();
        assertThat(work.skippedDouble()).isEmpty();
        work.skippedVoid();
        assertThat(events).hasSize(7).containsOnly("tryAcquire");
    }

    /** As futures and publishers do. */
    @Test
    void skipsTheMethodIfItsWaitEndsADeadlock() {
        locks.failAcquire(new LockDeadlockException("work", "deadlock", Duration.ZERO));
        assertThat(work.skippedOptional()).isEmpty();
        assertThat(events).containsExactly("tryAcquire");
    }

    @Test
    void doesNotSkipIfTheLockIsFree() {
        assertThat(work.skippedObject()).isEqualTo("result");
        assertThat(events).containsExactly("tryAcquire", "run", "close");
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> Object sneaky(Throwable failure) throws E {
        throw (E) failure;
    }

    static class Work {

        private final List<String> events;

        Work(List<String> events) {
            this.events = events;
        }

        @DistributedLocked("'work'")
        Object run(Callable<?> body) throws Exception {
            events.add("run");
            return body.call();
        }

        @DistributedLocked(
                name = "detail",
                key = "'k'",
                lease = "3s",
                waitUpTo = "-1",
                maxHold = "PT1M",
                reentrant = false)
        void inDetail() {}

        @DistributedLocked(renew = false, waitUpTo = "0")
        void hardEnd() {}

        @DistributedLocked(whenLost = WhenLost.IGNORE)
        String ignoringLoss() {
            events.add("run");
            return "result";
        }

        @DistributedLocked(whenLost = WhenLost.IGNORE)
        Object ignoringLossOf(Callable<?> body) throws Exception {
            return body.call();
        }

        @DistributedLocked(whenBusy = WhenBusy.SKIP)
        String skippedObject() {
            events.add("run");
            return "result";
        }

        @DistributedLocked(whenBusy = WhenBusy.SKIP)
        Integer skippedBox() {
            return 1;
        }

        @DistributedLocked(whenBusy = WhenBusy.SKIP)
        Optional<String> skippedOptional() {
            return Optional.of("result");
        }

        @DistributedLocked(whenBusy = WhenBusy.SKIP)
        OptionalInt skippedInt() {
            return OptionalInt.of(1);
        }

        @DistributedLocked(whenBusy = WhenBusy.SKIP)
        OptionalLong skippedLong() {
            return OptionalLong.of(1);
        }

        @DistributedLocked(whenBusy = WhenBusy.SKIP)
        OptionalDouble skippedDouble() {
            return OptionalDouble.of(1);
        }

        @DistributedLocked(whenBusy = WhenBusy.SKIP)
        void skippedVoid() {
            events.add("run");
        }
    }
}
