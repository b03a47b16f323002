/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.redis.history.HistoryReport.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories of one of several locks that are acquired all or none. The lease is 100 ms. */
class SetHistoryTests {

    private static final CheckerBounds BOUNDS =
            new CheckerBounds(Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofMillis(100));

    private final HistoryBuilder story = new HistoryBuilder();

    private HistoryReport judge(Renewal... sent) {
        return new HistoryChecker("a row", 42, Model.NO_LOSS, BOUNDS)
                .renewals(List.of(sent))
                .judge(story.events());
    }

    private static Renewal renewal(long at) {
        return new Renewal("a", HistoryBuilder.LOCK, at * 1_000_000, false);
    }

    private void assertFound(String check, Renewal... sent) {
        HistoryReport verdict = judge(sent);
        assertThat(verdict.outcome()).isEqualTo(Outcome.RED);
        assertThat(verdict.violations()).anySatisfy(text -> assertThat(text).startsWith(check + ": "));
    }

    @Test
    void isHeldLikeAnyOther() {
        story.asksForSeveral("a", 1_000).granted(1_001, 5).releases(1_050).released(1_051);
        story.hold("b", 1_002, 1_052, 1_100, 6);
        HistoryReport verdict = judge();
        verdict.assertGreen();
        assertThat(verdict.inSets()).isOne();
        assertThat(verdict.grants()).isEqualTo(2);
    }

    @Test
    void twoHoldersAreFound() {
        story.asksForSeveral("a", 1_000).granted(1_001, 5).releases(1_050).released(1_051);
        story.hold("b", 1_002, 1_049, 1_100, 6);
        assertFound("H1");
    }

    @Test
    void aLowerTokenIsFound() {
        story.hold("b", 1_000, 1_001, 1_010, 6);
        story.asksForSeveral("a", 1_012).granted(1_013, 5).releases(1_050).released(1_051);
        assertFound("H2");
    }

    /** It waits for another of its locks. */
    @Test
    void mayLeaveAFreeLockToOthers() {
        story.asksForSeveral("a", 1_000).granted(1_900, 5).releases(1_950).released(1_951);
        judge().assertGreen();
    }

    /** It has this lock, and waits for another one. */
    @Test
    void mayKeepOthersWaitingBeforeItsGrant() {
        story.asksForSeveral("a", 1_000).granted(1_900, 5).releases(1_950).released(1_951);
        story.hold("b", 1_002, 1_952, 2_000, 6);
        judge().assertGreen();
    }

    @Test
    void mustNotKeepOthersWaitingAfterItsRelease() {
        story.asksForSeveral("a", 1_000).granted(1_100, 5).releases(1_150).released(1_151);
        story.hold("b", 1_002, 1_252, 1_300, 6);
        assertFound("H5");
    }

    @Test
    void mayHaveHadTheLockUntilAnotherWasRefused() {
        story.asksForSeveral("a", 1_000).busy(1_500);
        story.hold("b", 1_002, 1_501, 1_600, 6);
        judge(renewal(1_200)).assertGreen();
    }

    @Test
    void mustNotKeepTheLockAfterAnotherWasRefused() {
        story.hold("b", 900, 901, 902, 4);
        story.asksForSeveral("a", 1_000).busy(1_500);
        story.hold("b", 1_002, 1_552, 1_800, 6);
        assertFound("H5");
    }

    @Test
    void mustNotRenewAfterAnotherWasRefused() {
        story.asksForSeveral("a", 1_000).busy(1_500);
        story.hold("b", 1_900, 1_901, 1_902, 6);
        assertFound("H7", renewal(1_800));
    }

    /** The first loss ends all of them for the caller, and the others are released with the handle. */
    @Test
    void isRenewedUntilItsReleaseAlthoughAnotherWasLost() {
        story.asksForSeveral("a", 1_000)
                .granted(1_001, 5)
                .lost(1_100)
                .releasesTooLate(2_000)
                .released(2_001);
        judge(renewal(1_900)).assertGreen();
        assertFound("H7", renewal(2_300));
    }

    /** Redis has forgotten the lock, and the caller passes it on before it knows. */
    @Test
    void mayPassALockOnThatRedisHasForgotten() {
        forgottenBeforeItIsPassedOn("a");
        assertThat(judgeLosses().outcome()).isEqualTo(Outcome.GREEN);
        assertThat(judgeLosses().latePasses()).isOne();
    }

    @Test
    void mustNotPassALockOnToAnotherJvm() {
        forgottenBeforeItIsPassedOn("b");
        assertThat(judgeLosses().violations())
                .anySatisfy(text -> assertThat(text).startsWith("H2: "));
    }

    private void forgottenBeforeItIsPassedOn(String jvm) {
        story.loss(1_010, 1_011);
        story.asksForSeveral("a", 1_000).busy(1_050);
        story.hold("b", 1_020, 1_021, 1_022, 1_000);
        story.hold(jvm, 1_030, 1_051, 1_060, 6);
    }

    private HistoryReport judgeLosses() {
        return new HistoryChecker("a row", 42, Model.DATA_LOSS, BOUNDS).judge(story.events());
    }

    @Test
    void mustEndWithItsWait() {
        story.hold("b", 1_000, 1_001, 1_002, 5);
        story.asksForSeveral("a", 1_000).busy(2_100);
        assertFound("H5");
    }
}
