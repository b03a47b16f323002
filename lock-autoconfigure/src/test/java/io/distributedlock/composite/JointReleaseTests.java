/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import java.io.IOException;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The release of several holds, some of which fail, and the failure that the caller gets. */
class JointReleaseTests {

    private final List<String> releases = new ArrayList<>();

    private final TestHold a = new TestHold("a", 1, releases);

    private final TestHold b = new TestHold("b", 2, releases);

    private final TestHold c = new TestHold("c", 3, releases);

    private static List<Throwable> endsOf(JointRelease release) {
        return release.ends().stream().map(CompletableFuture::join).toList();
    }

    @Test
    void sendsAllInTheReverseOrderBeforeTheFirstReply() {
        Stream.of(a, b, c).forEach(hold -> hold.reply = new CompletableFuture<>());
        CompletionStage<Void> all =
                JointRelease.of(List.of(a, b, c), LockHandle::closeAsync).whenAll();

        assertThat(releases).containsExactly("close c", "close b", "close a");
        a.reply.complete(null);
        c.reply.complete(null);
        assertThat(all.toCompletableFuture()).isNotDone();
        b.reply.complete(null);
        assertThat(all.toCompletableFuture()).isCompletedWithValue(null);
    }

    @Test
    void aRollBackIsTheReleaseOfUnusedHolds() {
        JointRelease.rollBack(List.of(a, b));

        assertThat(releases).containsExactly("unused b", "unused a");
    }

    static Stream<Throwable> thrown() {
        return Stream.of(new IllegalStateException(), new AssertionError(), new IOException());
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void aReleaseThatThrowsDoesNotKeepTheOthers(Throwable thrown) {
        b.failureOfRelease = thrown;
        JointRelease release = JointRelease.rollBack(List.of(a, b, c));

        assertThat(releases).containsExactly("unused c", "unused b", "unused a");
        assertThat(release.ends().get(1)).isCompletedWithValue(thrown);
        assertThat(endsOf(release)).containsExactly(null, thrown, null);
    }

    /** As that of a mock. */
    @Test
    void aReleaseWithoutAStageIsDone() {
        b.reply = null;

        assertThat(endsOf(JointRelease.rollBack(List.of(a, b, c)))).containsExactly(null, null, null);
        assertThat(releases).hasSize(3);
    }

    @Test
    void theFailuresAreThoseOfTheHoldsInTheirOrder() {
        IllegalStateException ofA = new IllegalStateException("a");
        IllegalStateException ofC = new IllegalStateException("c");
        a.reply = CompletableFuture.failedFuture(ofA);
        c.reply = CompletableFuture.failedFuture(new CompletionException(ofC));
        JointRelease release = JointRelease.rollBack(List.of(a, b, c));

        assertThat(endsOf(release)).containsExactly(ofA, null, ofC);
        assertThat(release.whenAll().toCompletableFuture()).isCompletedWithValue(null);
    }

    @Test
    void theOutcomesWaitForEach() throws Exception {
        b.reply = new CompletableFuture<>();
        JointRelease release = JointRelease.rollBack(List.of(a, b, c));
        Thread joining = new Thread(release::outcomes);
        joining.start();
        Awaitility.await().until(() -> Set.of(State.WAITING, State.TERMINATED).contains(joining.getState()));
        assertThat(joining.isAlive()).isTrue();
        b.reply.complete(null);
        joining.join(60_000);

        assertThat(joining.isAlive()).isFalse();
    }

    @Test
    void noFailureIsNone() {
        assertThat(JointRelease.asOne(List.of())).isNull();
    }

    @Test
    void theFirstFailureHasTheOthersAsSuppressed() {
        List<Throwable> failures = failures(3);

        assertThat(JointRelease.asOne(failures)).isSameAs(failures.get(0));
        assertThat(failures.get(0).getSuppressed()).containsExactly(failures.get(1), failures.get(2));
    }

    @Test
    void aLossIsReportedInPreferenceToOtherFailures() {
        List<Throwable> failures = new ArrayList<>(failures(2));
        LockLostException loss = new LockLostException("b", "lost", Duration.ZERO);
        failures.add(1, loss);
        failures.add(new LockLostException("c", "lost", Duration.ZERO));

        assertThat(JointRelease.asOne(failures)).isSameAs(loss);
        assertThat(loss.getSuppressed()).containsExactly(failures.get(0), failures.get(2), failures.get(3));
    }

    @Test
    void eightSuppressedFailuresAreKept() {
        List<Throwable> failures = failures(100);

        assertThat(JointRelease.asOne(failures).getSuppressed()).containsExactlyElementsOf(failures.subList(1, 9));
    }

    @Test
    void aFailureThatSeveralHoldsShareIsNotSuppressedByItself() {
        IllegalStateException shared = new IllegalStateException();

        assertThat(JointRelease.asOne(Arrays.asList(shared, shared)))
                .isSameAs(shared)
                .hasNoSuppressedExceptions();
    }

    private static List<Throwable> failures(int count) {
        return IntStream.range(0, count)
                .<Throwable>mapToObj(i -> new IllegalStateException("failure " + i))
                .toList();
    }

    @Test
    void stagesAndFuturesWrapAFailureInAnyDepth() {
        IOException bare = new IOException();
        CompletionException withoutCause = new CompletionException("none", null);

        assertThat(StageFailures.unwrap(new CompletionException(new ExecutionException(new CompletionException(bare)))))
                .isSameAs(bare);
        assertThat(StageFailures.unwrap(new ExecutionException(bare))).isSameAs(bare);
        assertThat(StageFailures.unwrap(bare)).isSameAs(bare);
        assertThat(StageFailures.unwrap(new CompletionException(withoutCause))).isSameAs(withoutCause);
        assertThat(StageFailures.unwrap(null)).isNull();
    }

    @Test
    void aFailureWithACauseOfItsOwnStays() {
        IllegalStateException own = new IllegalStateException(new IOException());

        assertThat(StageFailures.unwrap(new CompletionException(own))).isSameAs(own);
    }
}
