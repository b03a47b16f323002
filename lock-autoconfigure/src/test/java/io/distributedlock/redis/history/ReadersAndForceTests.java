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

/** Histories made by hand with readers, forced releases and owners of several JVMs. */
class ReadersAndForceTests {

    private static final CheckerBounds BOUNDS =
            new CheckerBounds(Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofMillis(100));

    private final HistoryBuilder story = new HistoryBuilder();

    private HistoryReport judge() {
        return new HistoryChecker("a row", 42, Model.NO_LOSS, BOUNDS).judge(story.events());
    }

    private void assertGood() {
        judge().assertGreen();
    }

    private void assertFound(String check, String what) {
        HistoryReport verdict = judge();
        assertThat(verdict.outcome()).isEqualTo(Outcome.RED);
        assertThat(verdict.violations())
                .anySatisfy(text -> assertThat(text).startsWith(check + ": ").contains(what));
    }

    // ---- readers

    @Test
    void readersHoldTogetherAndAWriterComesAfterTheLast() {
        story.read("a", 1_000, 1_001, 1_200, 5).read("b", 1_050, 1_051, 1_100, 6);
        story.hold("b", 1_110, 1_202, 1_300, 7);
        story.read("a", 1_250, 1_302, 1_400, 8);
        HistoryReport verdict = judge();
        verdict.assertGreen();
        assertThat(verdict.overlaps()).isZero();
        assertThat(verdict.together()).isOne();
        assertThat(verdict.worstHandOver()).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void aWriterBesideAReaderIsFound() {
        story.read("a", 1_000, 1_001, 1_200, 5).hold("b", 1_000, 1_199, 1_400, 6);
        assertFound("H1", "two holds at once");
    }

    @Test
    void aReaderBesideAWriterIsFound() {
        story.hold("a", 1_000, 1_001, 1_200, 5).read("b", 1_000, 1_199, 1_400, 6);
        assertFound("H1", "two holds at once");
    }

    /** The reader that came last is done before the writer enters, but another one is not. */
    @Test
    void aWriterBesideTheReaderThatStaysLongestIsFound() {
        story.read("a", 1_000, 1_001, 1_300, 5).read("b", 1_050, 1_051, 1_100, 6);
        story.hold("b", 1_110, 1_200, 1_400, 7);
        assertFound("H1", "two holds at once");
    }

    /** A reader of the turn before stays, and the writer in between does not hide it. */
    @Test
    void aWriterBehindAnotherOneIsFoundBesideAReader() {
        story.hold("a", 1_000, 1_001, 1_050, 5).read("a", 1_060, 1_061, 1_300, 6);
        story.read("b", 1_060, 1_062, 1_400, 7);
        story.asks("b", "b/other", 1_100).granted(1_290, 8).releases(1_310).released(1_311);
        assertFound("H1", "two holds at once");
    }

    @Test
    void readersMayHaveOneTokenWhileTheyHoldTheLockTogether() {
        story.read("a", 1_000, 1_001, 1_200, 5).read("b", 1_050, 1_051, 1_100, 5);
        assertGood();
    }

    @Test
    void readersWithOneTokenOneAfterTheOtherAreFound() {
        story.read("a", 1_000, 1_001, 1_040, 5).read("b", 1_050, 1_051, 1_100, 5);
        assertFound("H2", "two holds with one token");
    }

    @Test
    void aReaderWithTheTokenOfAWriterIsFound() {
        story.hold("a", 1_000, 1_001, 1_040, 5).read("b", 1_010, 1_042, 1_100, 5);
        assertFound("H2", "two holds with one token");
    }

    @Test
    void aReaderWithALowerTokenThanAWriterBeforeItIsFound() {
        story.hold("a", 1_000, 1_001, 1_010, 6).read("b", 1_012, 1_013, 1_020, 5);
        assertFound("H2", "a later hold with a lower token");
    }

    @Test
    void aWriterWithALowerTokenThanAReaderBeforeItIsFound() {
        story.read("a", 1_000, 1_001, 1_010, 6).hold("b", 1_012, 1_013, 1_020, 5);
        assertFound("H2", "a later hold with a lower token");
    }

    @Test
    void aConfirmedReleaseOfAReaderWhoseLockAWriterHasIsFound() {
        story.asksToRead("a", 1_000).granted(1_001, 5).releasesTooLate(1_130).released(1_131);
        story.asks("b", 1_050).granted(1_102, 6).releases(1_200).released(1_201);
        assertFound("H4", "a confirmed release");
    }

    @Test
    void aConfirmedReleaseOfAWriterWhoseLockAReaderHasIsFound() {
        story.asks("a", 1_000).granted(1_001, 5).releasesTooLate(1_130).released(1_131);
        story.asksToRead("b", 1_050).granted(1_102, 6).releases(1_200).released(1_201);
        assertFound("H4", "a confirmed release");
    }

    @Test
    void aWriterWhoDoesNotGetTheLockAfterTheLastReaderIsFound() {
        story.read("a", 1_000, 1_001, 1_200, 5).read("b", 1_050, 1_051, 1_100, 6);
        story.hold("b", 1_110, 1_252, 1_300, 7);
        assertFound("H5", "the lock was free");
    }

    @Test
    void aDeadReaderIsInTheWayForALeaseAfterTheLastLivingOne() {
        story.asksToRead("a", 1_000).granted(1_001, 5);
        story.read("b", 1_010, 1_011, 1_300, 6);
        story.fault(Fault.KILL, "a", 1_050, 1_051);
        HistoryBuilder.Life writer = story.asks("b", "b/other", 1_290);
        writer.granted(1_440, 7).releases(1_445).released(1_446);
        assertGood();
        story.read("b", 1_450, 1_451, 1_460, 8);
        story.asks("b", "b/late", 1_450).granted(1_520, 9).releases(1_530).released(1_531);
        assertFound("H5", "the lock was free");
    }

    // ---- force

    @Test
    void aHolderThatLosesALockByForceMayBeNotifiedALittleLater() {
        story.asks("a", 1_000)
                .granted(1_001, 5)
                .lost(1_055)
                .releasesTooLate(1_060)
                .refused(1_061);
        story.force(HistoryBuilder.LOCK, 1_050, 1_051).hold("b", 1_010, 1_052, 1_100, 6);
        HistoryReport verdict = judge();
        verdict.assertGreen();
        assertThat(verdict.overlaps()).as("no loss of data").isZero();
        assertThat(verdict.forced()).isOne();
    }

    @Test
    void anOverlapBeforeTheForceIsFound() {
        story.hold("a", 1_000, 1_001, 1_080, 5).hold("b", 1_010, 1_040, 1_090, 6);
        story.force(HistoryBuilder.LOCK, 1_050, 1_051);
        assertFound("H1", "two holds at once");
    }

    @Test
    void anOverlapALeaseAfterTheForceIsFound() {
        story.hold("a", 1_000, 1_001, 1_160, 5).hold("b", 1_010, 1_052, 1_190, 6);
        story.force(HistoryBuilder.LOCK, 1_050, 1_051);
        assertFound("H1", "two holds at once");
    }

    @Test
    void theForceOfAnotherLockExplainsNothing() {
        story.hold("a", 1_000, 1_001, 1_080, 5).hold("b", 1_010, 1_052, 1_090, 6);
        story.force("another", 1_050, 1_051);
        assertFound("H1", "two holds at once");
    }

    @Test
    void aForcedReleaseExplainsNoWait() {
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("b", 1_100, 1_262, 1_300, 6);
        story.force(HistoryBuilder.LOCK, 1_205, 1_206);
        assertFound("H5", "the lock was free");
    }

    @Test
    void aRunWithForcedReleasesAloneProvesNothing() {
        HistoryBuilder calm = HistoryBuilder.ofNothing().hold("a", 1_000, 1_001, 1_100, 5);
        calm.force(HistoryBuilder.LOCK, 1_050, 1_051);
        assertThat(new HistoryChecker("a row", 42, Model.NO_LOSS, BOUNDS)
                        .judge(calm.events())
                        .invalid())
                .contains("the fault never hit");
    }

    // ---- owners of several JVMs

    @Test
    void anOwnerMayEnterInAnotherJvmWhileAReleaseIsUnderWay() {
        story.asks("a", "job", 1_000).granted(1_001, 5).releases(1_100).released(1_105);
        story.asks("b", "job", 1_101).granted(1_103, 5).releases(1_200).released(1_201);
        HistoryReport verdict = judge();
        verdict.assertGreen();
        assertThat(verdict.together()).isOne();
    }

    /** Redis may have refused the release: then the owner has the lock there all the time. */
    @Test
    void anOwnerMayEnterAgainAfterAReleaseThatWasNotConfirmed() {
        story.asks("a", "job", 1_000)
                .granted(1_001, 5)
                .lost(1_100)
                .releasesTooLate(1_101)
                .refused(1_105);
        story.asks("b", "job", 1_200).granted(1_203, 5).releases(1_300).released(1_301);
        judge().assertGreen();
    }

    @Test
    void aThreadThatGetsTheSameTokenAfterALossIsFound() {
        story.asks("a", 1_000)
                .granted(1_001, 5)
                .lost(1_100)
                .releasesTooLate(1_101)
                .refused(1_105);
        story.asks("a", 1_200).granted(1_203, 5).releases(1_300).released(1_301);
        assertFound("H2", "two holds with one token");
    }

    @Test
    void anOwnerThatEntersAgainAfterAConfirmedReleaseWithTheSameTokenIsFound() {
        story.asks("a", "job", 1_000).granted(1_001, 5).releases(1_100).released(1_105);
        story.asks("b", "job", 1_200).granted(1_203, 5).releases(1_300).released(1_301);
        assertFound("H2", "two holds with one token");
    }

    /** Redis may have granted it, and the last hold of an owner ends the ownership. */
    @Test
    void anOwnerMayEnterAgainIfAnAcquisitionOfUnknownOutcomeMayHaveKeptTheLock() {
        story.asks("a", "job", 1_000).granted(1_001, 5).releases(1_100).released(1_105);
        story.asks("b", "job", 1_050).unknown(1_090);
        story.asks("a", "job", 1_200).granted(1_203, 5).releases(1_300).released(1_301);
        judge().assertGreen();
    }

    @Test
    void anAcquisitionOfUnknownOutcomeBeforeTheOwnershipKeepsNothing() {
        story.asks("b", "job", 900).unknown(950);
        story.asks("a", "job", 1_000).granted(1_001, 5).releases(1_100).released(1_105);
        story.asks("a", "job", 1_200).granted(1_203, 5).releases(1_300).released(1_301);
        assertFound("H2", "two holds with one token");
    }

    @Test
    void anotherOwnerBesideThemIsFound() {
        story.asks("a", "job", 1_000).granted(1_001, 5).releases(1_050).released(1_051);
        story.asks("b", "job", 1_010).granted(1_011, 5).releases(1_200).released(1_201);
        story.asks("a", "another", 1_020).granted(1_060, 6).releases(1_070).released(1_071);
        assertFound("H1", "two holds at once");
    }

    @Test
    void anOwnerThatEntersAgainWithAnotherTokenIsFound() {
        story.asks("a", "job", 1_000).granted(1_001, 5).releases(1_200).released(1_201);
        story.asks("b", "job", 1_010).granted(1_011, 6).releases(1_100).released(1_101);
        assertFound("H2", "a re-entry with another token");
    }

    @Test
    void eachJvmRenewsAsLongAsItsOwnEntryLasts() {
        story.asks("a", "job", 1_000).granted(1_001, 5).releases(1_050).released(1_051);
        story.asks("b", "job", 1_010).granted(1_011, 5).releases(2_000).released(2_001);
        assertThat(renewed("b", 1_900).outcome()).isEqualTo(Outcome.GREEN);
        assertThat(renewed("a", 1_900).violations()).singleElement().asString().startsWith("H7: ");
    }

    private HistoryReport renewed(String jvm, long at) {
        List<Renewal> sent = List.of(new Renewal(jvm, HistoryBuilder.LOCK, at * 1_000_000, false));
        return new HistoryChecker("a row", 42, Model.NO_LOSS, BOUNDS)
                .renewals(sent)
                .judge(story.events());
    }
}
