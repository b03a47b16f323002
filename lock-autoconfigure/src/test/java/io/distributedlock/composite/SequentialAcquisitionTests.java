/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.Background;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several locks that are acquired one after the other, in each order of grants, failures and cancellations. */
class SequentialAcquisitionTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final List<String> releases = new ArrayList<>();

    private final PromisedSteps steps = new PromisedSteps(3);

    private SequentialAcquisition acquisition;

    private SequentialAcquisition start() {
        acquisition = SequentialAcquisition.start(steps);
        return acquisition;
    }

    private TestHold hold(int index) {
        return new TestHold("lock-" + index, index + 1, releases);
    }

    private TestHold grant(int index) {
        TestHold hold = hold(index);
        steps.requests.get(index).complete(hold);
        return hold;
    }

    private Throwable failure() {
        return catchThrowable(() -> acquisition.get(0, TimeUnit.SECONDS)).getCause();
    }

    @Test
    void requestsEachLockOnceTheOneBeforeIsGranted() {
        start();
        assertThat(steps.requests).hasSize(1);
        LockHandle first = grant(0);
        assertThat(steps.requests).hasSize(2);
        LockHandle second = grant(1);
        LockHandle third = grant(2);

        assertThat(steps.requests).hasSize(3);
        assertThat(acquisition).isCompletedWithValue(steps.result);
        assertThat(steps.together).containsExactly(first, second, third);
        assertThat(releases).isEmpty();
    }

    /** A request that is granted, and of which the result cannot be taken, for lack of stack for example. */
    private static class UnusableRequest extends CompletableFuture<LockHandle> {

        private final StackOverflowError error = new StackOverflowError();

        @Override
        public <U> CompletableFuture<U> handle(BiFunction<? super LockHandle, Throwable, ? extends U> function) {
            throw error;
        }

        @Override
        public CompletableFuture<LockHandle> whenComplete(BiConsumer<? super LockHandle, ? super Throwable> action) {
            throw error;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anErrorBesidesTheStepsReleasesAllAndFails(boolean atOnce) {
        UnusableRequest unusable = new UnusableRequest();
        TestHold second = hold(1);
        steps.instead = index -> index == 1 ? unusable : steps.promise();
        if (atOnce) {
            unusable.complete(second);
        }
        start();
        grant(0);
        if (!atOnce) {
            unusable.complete(second);
        }

        assertThat(failure()).isSameAs(unusable.error);
        assertThat(releases).contains("unused lock-0");
        assertThat(releases).filteredOn("unused lock-1"::equals).hasSize(atOnce ? 1 : 0);
        assertThat(atOnce || unusable.isCancelled()).isTrue();
    }

    /** How a caller, or a time-out of the caller, ends the stage. */
    enum End {
        CANCELLATION(stage -> stage.cancel(true)),
        FAILURE(stage -> stage.completeExceptionally(new TimeoutException())),
        OTHER_HANDLE(stage -> stage.complete(new TestHold("other", 99, new ArrayList<>()))),
        NO_HANDLE(stage -> stage.complete(null));

        private final Consumer<SequentialAcquisition> action;

        End(Consumer<SequentialAcquisition> action) {
            this.action = action;
        }
    }

    @ParameterizedTest
    @EnumSource
    void anEndByTheCallerReleasesInTheReverseOrderAndEndsTheWait(End end) {
        start();
        grant(0);
        grant(1);
        end.action.accept(acquisition);

        assertThat(releases).containsExactly("unused lock-1", "unused lock-0");
        assertThat(steps.requests.get(2)).isCancelled();
        assertThat(steps.requests).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource
    void aGrantAfterTheEndIsReleased(End end) {
        steps.cancellable = false;
        start();
        grant(0);
        end.action.accept(acquisition);
        grant(1);

        assertThat(releases).containsExactly("unused lock-0", "unused lock-1");
        assertThat(steps.requests).hasSize(2);
        assertThat(steps.together).isNull();
    }

    @Test
    void aLastGrantAfterTheEndIsReleased() {
        steps.cancellable = false;
        start();
        grant(0);
        grant(1);
        acquisition.cancel(true);
        grant(2);

        assertThat(releases).containsExactly("unused lock-1", "unused lock-0", "unused lock-2");
        assertThat(steps.together).isNull();
    }

    @Test
    void aCancellationBeforeTheFirstGrantEndsItsWait() {
        start().cancel(true);

        assertThat(steps.requests)
                .singleElement()
                .satisfies(request -> assertThat(request).isCancelled());
        assertThat(releases).isEmpty();
    }

    @Test
    void aCancellationAfterTheResultChangesNothing() {
        start();
        grant(0);
        grant(1);
        grant(2);

        assertThat(acquisition.cancel(true)).isFalse();
        assertThat(acquisition).isCompletedWithValue(steps.result);
        assertThat(releases).isEmpty();
    }

    @Test
    void aCancellationDuringTheReleaseNeitherWaitsNorReleasesAgain() {
        start();
        TestHold first = grant(0);
        first.reply = new CompletableFuture<>();
        steps.requests.get(1).completeExceptionally(new IllegalStateException("busy"));
        acquisition.cancel(true);

        assertThat(acquisition).isCancelled();
        assertThat(releases).containsExactly("unused lock-0");
        first.reply.complete(null);
        assertThat(acquisition).isCancelled();
    }

    @Test
    void aLossEndsTheWaitAndIsReportedAfterTheOthersAreReleased() {
        start();
        TestHold first = grant(0);
        TestHold second = grant(1);
        second.reply = new CompletableFuture<>();
        first.lose();

        assertThat(steps.requests.get(2)).isCancelled();
        assertThat(releases).containsExactly("unused lock-1", "unused lock-0");
        assertThat(acquisition).isNotDone();
        second.reply.complete(null);
        assertThat(failure())
                .hasMessage("step 2")
                .cause()
                .isInstanceOf(LockUnavailableException.class)
                .hasCauseInstanceOf(LockLostException.class);
    }

    /** A request that learns why it ends, as the engine's own do. */
    private static final class Part extends CompletableFuture<LockHandle> implements PartOfAcquisition {

        private Throwable loss;

        @Override
        public void endAfterLoss(Throwable cause) {
            loss = cause;
            cancel(false);
        }
    }

    /** One of several annotations may have several keys. */
    @Test
    void aLossIsTheReasonForTheEndOfARequestInsideOfAnotherAcquisition() {
        PromisedSteps nested = new PromisedSteps(2);
        Part open = new Part();
        nested.instead = index -> index == 1 ? open : nested.promise();
        steps.instead = index -> index == 1 ? SequentialAcquisition.start(nested) : steps.promise();
        start();
        TestHold first = grant(0);
        nested.requests.get(0).complete(hold(7));
        first.lose();

        assertThat(open.loss).isNotNull();
        assertThat(open).isCancelled();
        assertThat(releases).containsExactly("unused lock-7", "unused lock-0");
        assertThat(acquisition).isCompletedExceptionally();
    }

    /** For lack of stack, for example. */
    @Test
    void aRequestThatCannotBeEndedAfterALossKeepsNoOtherLock() {
        class Unendable extends CompletableFuture<LockHandle> implements PartOfAcquisition {

            @Override
            public void endAfterLoss(Throwable loss) {
                throw new StackOverflowError();
            }
        }

        steps.instead = index -> index == 1 ? new Unendable() : steps.promise();
        start();
        grant(0).lose();

        assertThat(releases).containsExactly("unused lock-0");
        assertThat(acquisition).isCompletedExceptionally();
    }

    @Test
    void aLossAfterTheResultReleasesNone() {
        start();
        TestHold first = grant(0);
        grant(1);
        grant(2);
        first.lose();

        assertThat(acquisition).isCompletedWithValue(steps.result);
        assertThat(releases).isEmpty();
    }

    @Test
    void aFailureIsReportedAfterTheOtherLocksAreReleased() {
        start();
        TestHold first = grant(0);
        TestHold second = grant(1);
        first.reply = new CompletableFuture<>();
        second.reply = new CompletableFuture<>();
        IllegalStateException busy = new IllegalStateException("busy");
        steps.requests.get(2).completeExceptionally(new CompletionException(busy));

        assertThat(releases).containsExactly("unused lock-1", "unused lock-0");
        second.reply.complete(null);
        assertThat(acquisition).isNotDone();
        first.reply.complete(null);
        assertThat(failure()).hasMessage("step 2").cause().isSameAs(busy);
    }

    @Test
    void aFailureIsReportedIfTheReleaseOfTheOthersFails() {
        start();
        grant(0).reply = CompletableFuture.failedFuture(new IllegalStateException("unconfirmed"));
        grant(1).failureOfRelease = new IllegalStateException("broken");
        steps.requests.get(2).completeExceptionally(new IllegalStateException("busy"));

        assertThat(releases).containsExactly("unused lock-1", "unused lock-0");
        assertThat(failure()).hasMessage("step 2").cause().hasMessage("busy");
    }

    @Test
    void aFailureThatCannotBeDescribedIsReportedAsItIs() {
        IllegalStateException busy = new IllegalStateException("busy");
        StackOverflowError second = new StackOverflowError();
        steps.description = (index, failure) -> {
            throw second;
        };
        start();
        steps.requests.get(0).completeExceptionally(busy);

        assertThat(failure()).isSameAs(busy).hasSuppressedException(second);
    }

    @Test
    void aFailureThatIsThrownInsteadOfReturnedIsReported() {
        steps.description = (index, failure) -> {
            throw (RuntimeException) failure;
        };
        start();
        steps.requests.get(0).completeExceptionally(new IllegalStateException("busy"));

        assertThat(failure()).hasMessage("busy").hasNoSuppressedExceptions();
    }

    @Test
    void aRequestThatGivesNoHandleFails() {
        start();
        grant(0);
        steps.requests.get(1).complete(null);

        assertThat(failure()).hasMessage("step 1").cause().hasMessageContaining("gave no handle");
        assertThat(releases).containsExactly("unused lock-0");
    }

    static Stream<Throwable> thrown() {
        return Stream.of(new IllegalStateException(), new AssertionError(), new IOException());
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void aRequestThatThrowsReleasesTheOthersAndFails(Throwable thrown) {
        steps.instead = index -> {
            if (index == 1) {
                throw TestHold.<RuntimeException>unchecked(thrown);
            }
            return CompletableFuture.completedFuture(hold(index));
        };
        start();

        assertThat(failure()).hasMessage("step 1").hasCause(thrown);
        assertThat(releases).containsExactly("unused lock-0");
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void aResultThatCannotBeMadeReleasesAllAndThenFails(Throwable thrown) {
        steps.failureOfTogether = thrown;
        start();
        TestHold first = grant(0);
        first.reply = new CompletableFuture<>();
        grant(1);
        grant(2);

        assertThat(releases).containsExactly("unused lock-2", "unused lock-1", "unused lock-0");
        assertThat(acquisition).isNotDone();
        first.reply.complete(null);
        assertThat(failure()).isSameAs(thrown);
        assertThat(releases).hasSize(3);
    }

    @Test
    void aCancellationWhileTheResultIsMadeReleasesAll() {
        steps.whileTogether = () -> acquisition.cancel(true);
        start();
        grant(0);
        grant(1);
        grant(2);

        assertThat(acquisition).isCancelled();
        assertThat(steps.together).hasSize(3);
        assertThat(releases).containsExactly("unused lock-2", "unused lock-1", "unused lock-0");
    }

    @Test
    void tenThousandLocksThatAreFreeNeedNoStack() {
        List<String> some = new ArrayList<>();
        PromisedSteps many = new PromisedSteps(10_000);
        many.instead = index -> CompletableFuture.completedFuture(new TestHold("free", index + 1, some));

        assertThat(SequentialAcquisition.start(many)).isCompletedWithValue(many.result);
        assertThat(many.together).hasSize(10_000);
        assertThat(some).isEmpty();
    }

    @Test
    void tenThousandLocksAreReleasedIfTheLastOneIsBusy() {
        PromisedSteps many = new PromisedSteps(10_001);
        many.instead = index -> index < 10_000
                ? CompletableFuture.completedFuture(hold(index))
                : CompletableFuture.failedFuture(new IllegalStateException("busy"));
        acquisition = SequentialAcquisition.start(many);

        assertThat(failure()).hasMessage("step 10000");
        assertThat(releases).hasSize(10_000).startsWith("unused lock-9999").endsWith("unused lock-0");
    }

    @Test
    void aCancellationDoesNotWaitForARequestThatIsBeingSent() throws Exception {
        CountDownLatch sending = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CompletableFuture<LockHandle> second = new CompletableFuture<>();
        steps.instead = index -> {
            if (index == 0) {
                return steps.promise();
            }
            sending.countDown();
            await(cancelled);
            return second;
        };
        start();
        CompletableFuture<Void> granting = Background.run(() -> grant(0));
        await(sending);
        CompletableFuture<Boolean> cancelling = Background.supply(() -> acquisition.cancel(true));

        assertThat(cancelling).succeedsWithin(LONG).isEqualTo(true);
        cancelled.countDown();
        assertThat(granting).succeedsWithin(LONG);
        assertThat(second).isCancelled();
        assertThat(releases).containsExactly("unused lock-0");
    }

    @Test
    void aCancellationInsideOfARequestReleasesItsGrant() {
        steps.instead = index -> {
            if (index == 0) {
                return steps.promise();
            }
            acquisition.cancel(true);
            return CompletableFuture.completedFuture(hold(index));
        };
        start();
        grant(0);

        assertThat(releases).containsExactly("unused lock-0", "unused lock-1");
    }

    @Test
    void aRequestThatCannotBeCancelledDoesNotKeepTheOthers() {
        CompletableFuture<LockHandle> second = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                throw new UnsupportedOperationException();
            }
        };
        steps.instead = index -> index == 0 ? CompletableFuture.completedFuture(hold(0)) : second;
        start().cancel(true);
        assertThat(releases).containsExactly("unused lock-0");

        second.complete(hold(1));
        assertThat(releases).containsExactly("unused lock-0", "unused lock-1");
    }

    @Test
    void aCallbackThatFailsHasNoEffect() {
        List<String> order = new ArrayList<>();
        start();
        acquisition.whenComplete((handle, failure) -> order.add("told"));
        acquisition.whenComplete((handle, failure) -> {
            throw new AssertionError();
        });
        grant(0);
        grant(1);
        grant(2);

        assertThat(order).containsExactly("told");
        assertThat(acquisition).isCompletedWithValue(steps.result);
        assertThat(releases).isEmpty();
    }

    @Test
    void aCancelledDependentStageLeavesTheAcquisition() {
        start();
        AtomicReference<LockHandle> received = new AtomicReference<>();
        CompletableFuture<Void> dependent = acquisition.thenAccept(received::set);
        assertThat(dependent.cancel(true)).isTrue();
        grant(0);
        grant(1);
        grant(2);

        assertThat(acquisition).isCompletedWithValue(steps.result);
        assertThat(received).hasNullValue();
        assertThat(dependent).isCompletedExceptionally();
        assertThat(catchThrowable(dependent::join)).isInstanceOf(CancellationException.class);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Steps that the test completes, unless it gives other stages. */
    private final class PromisedSteps implements SequentialAcquisition.Steps {

        private final int size;

        private final List<CompletableFuture<LockHandle>> requests = new ArrayList<>();

        private final LockHandle result = new TestHold("all", 100, new ArrayList<>());

        private boolean cancellable = true;

        private IntFunction<CompletionStage<LockHandle>> instead = index -> promise();

        private BiFunction<Integer, Throwable, Throwable> description =
                (index, failure) -> new IllegalStateException("step " + index, failure);

        private Throwable failureOfTogether;

        private Runnable whileTogether = () -> {};

        private List<LockHandle> together;

        PromisedSteps(int size) {
            this.size = size;
        }

        CompletableFuture<LockHandle> promise() {
            CompletableFuture<LockHandle> promise = cancellable ? new CompletableFuture<>() : new Uncancellable();
            requests.add(promise);
            return promise;
        }

        @Override
        public int size() {
            return size;
        }

        @Override
        public CompletionStage<LockHandle> request(int index) {
            return instead.apply(index);
        }

        @Override
        public LockHandle together(List<LockHandle> held) {
            whileTogether.run();
            if (failureOfTogether != null) {
                throw TestHold.<RuntimeException>unchecked(failureOfTogether);
            }
            together = held;
            return result;
        }

        @Override
        public Throwable failure(int index, Throwable failure) {
            return description.apply(index, failure);
        }
    }

    /** The grant has been sent before the cancellation arrives. */
    private static final class Uncancellable extends CompletableFuture<LockHandle> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return false;
        }
    }
}
