/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.entry;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.testing.Background;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Several holds as one: its tokens, its loss and the outcome of its release. */
class CompositeLockHandleTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final List<String> releases = Collections.synchronizedList(new ArrayList<>());

    private final TestHold a = new TestHold("a", 5, releases);

    private final TestHold b = new TestHold("b", 7, releases);

    private final TestHold c = new TestHold("c", 6, releases);

    private final CompositeLockHandle all = new CompositeLockHandle(List.of(a, b, c));

    @Test
    void hasTheFirstNameAndTheHighestToken() {
        assertThat(all.name()).isEqualTo("a");
        assertThat(all.fencingToken()).isEqualTo(7);
        assertThat(all.fencingTokens()).containsExactly(entry("a", 5L), entry("b", 7L), entry("c", 6L));
        assertThatThrownBy(() -> all.fencingTokens().put("d", 1L)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(new CompositeLockHandle(List.of(c, a)).fencingTokens())
                .containsExactly(entry("c", 6L), entry("a", 5L));
        assertThat(all).hasToString("LockHandle[tokens={a=5, b=7, c=6}, held=true]");
    }

    @Test
    void showsItsNamesOnOneLineAndTruncated() {
        LockHandle handle = new CompositeLockHandle(
                List.of(new TestHold("a\nb", 5, releases), new TestHold("c".repeat(300), 6, releases)));

        assertThat(handle)
                .hasToString(
                        "LockHandle[tokens={a\\u000Ab=5, " + "c".repeat(200) + "... (300 characters)=6}, held=true]");
    }

    /** As a mock, which answers default methods too, and knows nothing of several locks. */
    @Test
    void holdsThatOnlyHaveATokenOfTheirOwnHaveTheHighestOfThese() {
        LockHandle handle = new CompositeLockHandle(List.of(withoutTokens("a", 5), withoutTokens("b", 7)));

        assertThat(handle.fencingToken()).isEqualTo(7);
        assertThat(handle.fencingTokens()).isEmpty();
    }

    private TestHold withoutTokens(String name, long token) {
        return new TestHold(name, token, releases) {
            @Override
            public Map<String, Long> fencingTokens() {
                return Map.of();
            }
        };
    }

    @Test
    void keepsItsHoldsWhateverBecomesOfTheList() {
        List<LockHandle> list = new ArrayList<>(List.of(a, b, c));
        LockHandle handle = new CompositeLockHandle(list);
        list.clear();
        handle.closeUnused();

        assertThat(releases).hasSize(3);
    }

    /** Two servers may have a lock of the same name. */
    @Test
    void aNameThatOccursTwiceHasTheHigherToken() {
        TestHold other = new TestHold("b", 2, releases);

        assertThat(new CompositeLockHandle(List.of(b, other)).fencingTokens()).containsExactly(entry("b", 7L));
        assertThat(new CompositeLockHandle(List.of(other, b)).fencingTokens()).containsExactly(entry("b", 7L));
    }

    @Test
    void isHeldUntilTheFirstLoss() {
        assertThat(all.isHeld()).isTrue();
        all.throwIfLost();
        b.lose();

        assertThat(all.isHeld()).isFalse();
        assertThatThrownBy(all::throwIfLost)
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        loss -> assertThat(loss.lockName()).isEqualTo("b"));
        assertThat(all.toString()).contains("held=false");
    }

    @Test
    void hasTheShortestLease() {
        b.lease = Duration.ofSeconds(2);
        assertThat(all.remainingLease()).isEqualTo(b.lease);

        all.extend(Duration.ofSeconds(50));
        assertThat(all.remainingLease()).isEqualTo(Duration.ofSeconds(50));
    }

    @Test
    void aCallbackRunsOnceAtTheFirstLoss() {
        AtomicInteger calls = new AtomicInteger();
        all.onLost(calls::incrementAndGet);
        assertThat(calls).hasValue(0);
        c.lose();
        assertThat(calls).hasValue(1);
        a.lose();
        b.lose();

        assertThat(calls).hasValue(1);
    }

    @Test
    void aCallbackMayBeForSomeOfTheHolds() {
        AtomicInteger calls = new AtomicInteger();
        all.onLost(calls::incrementAndGet, part -> part == 1);
        a.lose();
        c.lose();
        assertThat(calls).hasValue(0);
        b.lose();

        assertThat(calls).hasValue(1);
    }

    @Test
    void aMissingCallbackIsRefused() {
        assertThatThrownBy(() -> all.onLost(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void closeSendsAllReleasesBeforeItWaits() {
        c.reply = new CompletableFuture<>();
        CompletableFuture<Void> closing = Background.run(all::close);
        Awaitility.await().atMost(LONG).until(() -> releases.size() == 3);
        assertThat(closing).isNotDone();
        c.reply.complete(null);

        assertThat(closing).succeedsWithin(LONG);
    }

    @Test
    void closeAsyncEndsWithTheLastRelease() {
        Stream.of(a, b, c).forEach(hold -> hold.reply = new CompletableFuture<>());
        CompletableFuture<Void> closed = all.closeAsync().toCompletableFuture();
        a.reply.complete(null);
        c.reply.complete(null);
        assertThat(closed).isNotDone();
        b.reply.complete(null);

        assertThat(closed).isCompletedWithValue(null);
    }

    static Stream<Function<LockHandle, Throwable>> ways() {
        return Stream.of(
                handle -> catchThrowable(handle::close),
                handle -> failureOf(handle.closeAsync()),
                handle -> failureOf(handle.closeUnused()));
    }

    /** The failure itself, which a stage that depends on others would wrap. */
    private static Throwable failureOf(CompletionStage<Void> stage) {
        List<Throwable> failures = new ArrayList<>();
        stage.whenComplete((done, failure) -> failures.add(failure));
        return failures.get(0);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aReleaseInTheReverseOrderReportsALossFirst(Function<LockHandle, Throwable> close) {
        LockLostException loss = new LockLostException("b", "lost", Duration.ZERO);
        IllegalStateException unconfirmed = new IllegalStateException();
        a.reply = CompletableFuture.failedFuture(unconfirmed);
        b.reply = CompletableFuture.failedFuture(loss);

        assertThat(close.apply(all)).isSameAs(loss).hasSuppressedException(unconfirmed);
        assertThat(releases.stream().map(each -> each.substring(each.length() - 1)))
                .containsExactly("c", "b", "a");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aReleaseThatSucceedsReportsNothing(Function<LockHandle, Throwable> close) {
        assertThat(close.apply(all)).isNull();
        assertThat(releases).hasSize(3);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aReleaseReportsAnError(Function<LockHandle, Throwable> close) {
        b.failureOfRelease = new StackOverflowError();

        assertThat(close.apply(all)).isSameAs(b.failureOfRelease);
        assertThat(releases).hasSize(3);
    }

    @Test
    void aCheckedExceptionIsWrappedOnlyIfItIsThrown() {
        b.failureOfRelease = new IOException();

        assertThatThrownBy(all::close).isInstanceOf(IllegalStateException.class).hasCause(b.failureOfRelease);
        assertThat(failureOf(all.closeAsync())).isSameAs(b.failureOfRelease);
    }

    @Test
    void onlyAnUnusedHoldIsReleasedAsUnused() {
        all.close();
        all.closeAsync();
        assertThat(releases).hasSize(6).allMatch(each -> each.startsWith("close"));
        releases.clear();
        all.closeUnused();

        assertThat(releases).containsExactly("unused c", "unused b", "unused a");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aSubclassDecidesWhichFailuresCount(Function<LockHandle, Throwable> close) {
        a.reply = CompletableFuture.failedFuture(new IllegalStateException("a"));
        c.reply = CompletableFuture.failedFuture(new IllegalStateException("c"));
        LockHandle tolerant = new CompositeLockHandle(List.of(a, b, c)) {
            @Override
            protected Throwable failureOf(int part, Throwable outcome) {
                return part == 0 ? null : outcome;
            }
        };

        assertThat(close.apply(tolerant)).hasMessage("c").hasNoSuppressedExceptions();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aSubclassThatFailsDoesNotKeepTheCallerWaiting(Function<LockHandle, Throwable> close) {
        LockHandle broken = new CompositeLockHandle(List.of(a, b, c)) {
            @Override
            protected Throwable failureOf(int part, Throwable outcome) {
                throw new AssertionError("broken");
            }
        };

        assertThat(close.apply(broken)).hasMessage("broken");
        assertThat(releases).hasSize(3);
    }

    @Test
    void failuresAreThrownAsOne() {
        IllegalStateException first = new IllegalStateException();
        IllegalStateException second = new IllegalStateException();
        a.reply = CompletableFuture.failedFuture(first);
        c.reply = CompletableFuture.failedFuture(second);

        assertThatThrownBy(all::close).isSameAs(first).hasSuppressedException(second);
    }
}
