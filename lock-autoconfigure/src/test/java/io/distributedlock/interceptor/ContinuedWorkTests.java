/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOwner;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.interceptor.PromisedLocks.Hold;
import io.distributedlock.logging.FailingLog;
import io.distributedlock.transaction.TransactionalHold;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Holds that outlast their methods, or are to. */
class ContinuedWorkTests {

    private final PromisedLocks locks = new PromisedLocks();

    private final Work work = LockedProxies.by(locks).byClass(new Work());

    private final Streams streams = LockedProxies.by(locks).byClass(new Streams());

    private final Hold hold = new Hold();

    @AfterEach
    void endTransaction() {
        TransactionSynchronizationManager.clear();
        assertThat(LockHandle.current()).isEmpty();
    }

    private ContinuedWork held(WhenLost whenLost) {
        return new ContinuedWork(
                hold,
                LockOwner.nestedInCurrent(),
                new CallPolicy(WhenBusy.THROW, whenLost, true, () -> false, null, null));
    }

    private static void beginTransaction() {
        TransactionSynchronizationManager.setActualTransactionActive(true);
        TransactionSynchronizationManager.initSynchronization();
    }

    @Test
    void aLossCancelsTheFutureThatContinuesTheWork() {
        CompletableFuture<String> rest = new CompletableFuture<>();
        CompletableFuture<Object> ended = held(WhenLost.INTERRUPT).endWith(rest);
        hold.lose();

        assertThat(rest).isCancelled();
        assertThat(ended)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(LockLostException.class);
    }

    /** The conversion is optional for a stage of another library. */
    @Test
    void aStageThatIsNotConvertedToAFutureContinuesTheWork() {
        CompletableFuture<String> rest = new CompletableFuture<>() {
            @Override
            public CompletableFuture<String> toCompletableFuture() {
                throw new UnsupportedOperationException();
            }
        };
        CompletableFuture<Object> ended = held(WhenLost.THROW).endWith(rest);
        assertThat(hold.closed).isZero();

        rest.complete("done");
        assertThat(hold.closed).isOne();
        assertThat(ended).isCompletedWithValue("done");
    }

    @Test
    void aFutureWhoseLossIsIgnoredCompletesAlthoughTheLoggerFails() {
        CompletableFuture<String> rest = new CompletableFuture<>();
        CompletableFuture<Object> ended = held(WhenLost.IGNORE).endWith(rest);
        hold.lose();
        try (FailingLog log = FailingLog.of(CallPolicy.class)) {
            rest.complete("done");
            assertThat(log.isStarted()).isTrue();
        }

        assertThat(ended).isCompletedWithValue("done");
    }

    /** The thread that runs the work ends it. */
    @Test
    void theEndOfTheRequestDoesNotReleaseTheLockOfWorkThatRuns() {
        ContinuedWork held = held(WhenLost.THROW);
        held.begin();
        held.endUnlessBegun();
        assertThat(hold.closed).isZero();

        held.end();
        assertThat(hold.closed).isOne();
    }

    /** The loss has not interrupted it. */
    @Test
    void anInterruptOfTheApplicationIsNoConsequenceOfALossThatDoesNotInterrupt() {
        Throwable failure = new InterruptedException();
        hold.lose();

        assertThat(held(WhenLost.THROW).end(failure)).isSameAs(failure);
        assertThat(failure.getSuppressed()).hasOnlyElementsOfType(LockLostException.class);
    }

    @Test
    void anErrorOfTheReleaseDoesNotReplaceTheFailureOfTheWork() {
        Error ofRelease = new AssertionError("for the test");
        LockHandle failing = new Hold() {
            @Override
            public void close() {
                throw ofRelease;
            }
        };
        Throwable failure = new IllegalStateException("of the work");
        ContinuedWork held = new ContinuedWork(
                failing,
                LockOwner.nestedInCurrent(),
                new CallPolicy(WhenBusy.THROW, WhenLost.THROW, true, () -> false, null, null));

        assertThat(held.end(failure)).isSameAs(failure).hasSuppressedException(ofRelease);
    }

    @Test
    void aMethodThatReturnsNoStreamHasReleasedItsLock() {
        assertThat(work.none()).isNull();
        assertThat(locks.promise().grantedHold().closed).isOne();
    }

    @Test
    void aLossThatInterruptsFailsAStreamAtItsNextElement() {
        List<Function<Streams, BaseStream<?, ?>>> methods =
                List.of(Streams::objects, Streams::ints, Streams::longs, Streams::doubles);
        for (int i = 0; i < methods.size(); i++) {
            BaseStream<?, ?> stream = methods.get(i).apply(streams);
            Hold held = locks.promises.get(i).grantedHold();
            Iterator<?> elements = stream.iterator();
            assertThat(elements.next()).isNotNull();
            held.lose();

            // An iterator may have read one element ahead.
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> List.of(elements.next(), elements.next(), elements.next()));
            assertThatExceptionOfType(LockLostException.class).isThrownBy(stream::close);
            assertThat(held.closed).isOne();
        }
    }

    @Test
    void anotherLossFailsAStreamWhenItIsClosed() {
        Stream<String> stream = work.stream();
        locks.promise().grantedHold().lose();

        assertThat(stream.toList()).containsExactly("a", "b");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(stream::close);
    }

    /** The stream re-enters the hold of the thread, which is no nested call of the application. */
    @Test
    void aStreamInATransactionEntersTheHoldOfItsMethodAtOnce() {
        beginTransaction();
        work.notReentrant().close();

        assertThat(locks.requests).hasSize(2);
        assertThat(locks.requests.get(0).reentrant()).isFalse();
        assertThat(locks.requests.get(1).reentrant()).isTrue();
        assertThat(locks.requests.get(1).waitUpTo()).isZero();
    }

    /** Callbacks are sorted when they are read, by code of the application. */
    @Test
    void aHoldThatTheTransactionCannotKeepIsReleased() {
        beginTransaction();
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {});
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public int getOrder() {
                throw new IllegalStateException("no order");
            }
        });
        assertThatIllegalStateException().isThrownBy(work::run).withMessage("no order");
        assertThat(locks.promise().grantedHold().closed).isOne();

        assertThatIllegalStateException()
                .isThrownBy(() -> TransactionalHold.run(hold, handle -> "done"))
                .withMessage("no order");
        assertThat(hold.closed).isOne();
    }

    static class Streams {

        @DistributedLocked(key = "'work'", whenLost = WhenLost.INTERRUPT)
        Stream<String> objects() {
            return Stream.generate(() -> "a");
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.INTERRUPT)
        IntStream ints() {
            return IntStream.iterate(0, i -> i + 1);
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.INTERRUPT)
        LongStream longs() {
            return LongStream.iterate(0, i -> i + 1);
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.INTERRUPT)
        DoubleStream doubles() {
            return DoubleStream.generate(() -> 1);
        }
    }

    static class Work {

        @DistributedLocked("'work'")
        Stream<String> stream() {
            return Stream.of("a", "b");
        }

        @DistributedLocked("'work'")
        Stream<String> none() {
            return null;
        }

        @DistributedLocked(key = "'work'", reentrant = false)
        Stream<String> notReentrant() {
            return Stream.of("done");
        }

        @DistributedLocked("'work'")
        void run() {}
    }
}
