/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.redis.history.HistoryReport.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories made by hand: each bad one is found by its check, and no good one is. */
class HistoryCheckerTests {

    private static final CheckerBounds BOUNDS =
            new CheckerBounds(Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofMillis(100));

    private final HistoryBuilder story = new HistoryBuilder();

    private Model model = Model.NO_LOSS;

    private HistoryReport judge() {
        return checker().judge(story.events());
    }

    private HistoryChecker checker() {
        return new HistoryChecker("a row", 42, model, BOUNDS);
    }

    private void assertGood() {
        judge().assertGreen();
    }

    private static void assertFound(HistoryReport verdict, String check) {
        assertThat(verdict.outcome()).isEqualTo(Outcome.RED);
        assertThat(verdict.violations())
                .isNotEmpty()
                .allSatisfy(text -> assertThat(text).startsWith(check + ": "));
    }

    // ---- what is as it should be

    @Test
    void consecutiveHoldsAreValid() {
        story.hold("a", 1_000, 1_001, 1_300, 5).hold("b", 1_100, 1_302, 1_400, 6);
        HistoryReport verdict = judge();
        verdict.assertGreen();
        assertThat(verdict.operations()).isEqualTo(4);
        assertThat(verdict.grants()).isEqualTo(2);
        assertThat(verdict.overlaps()).isZero();
        assertThat(verdict.worstHandOver()).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void anotherLockIsAnotherMatter() {
        story.hold("a", 1_000, 1_001, 1_300, 5);
        story.asks("b", "b/main", "another", 1_000)
                .granted(1_100, 5)
                .releases(1_200)
                .released(1_201);
        assertGood();
    }

    @Test
    void aReentryIsTheSameHold() {
        story.asks("a", 1_000).granted(1_001, 5).releases(1_300).released(1_301);
        story.hold("a", 1_100, 1_101, 1_200, 5);
        assertGood();
    }

    @Test
    void anExplicitOwnerMayEnterAnywhere() {
        story.asks("a", "job", 1_000).granted(1_001, 5).releases(1_300).released(1_301);
        story.asks("b", "job", 1_100).granted(1_101, 5).releases(1_200).released(1_201);
        assertGood();
    }

    @Test
    void aKilledHolderIsFollowedWhenItsLeaseHasPassed() {
        story.asks("a", 1_000).granted(1_001, 5).beginsToCount(1_010);
        story.asks("a", "a/other", 1_000);
        story.fault(Fault.KILL, "a", 1_020, 1_021);
        story.hold("b", 1_005, 1_110, 1_120, 6);
        assertGood();
    }

    @Test
    void aStoppedHolderFindsOutAndIsRefused() {
        story.fault("SIGSTOP", "a", 1_050, 1_400);
        story.asks("a", 1_000)
                .granted(1_001, 5)
                .lost(1_401)
                .writes(1_402, false)
                .releasesTooLate(1_405)
                .refused(1_406);
        story.asks("b", 1_060)
                .granted(1_105, 6)
                .writes(1_110, true)
                .releases(1_200)
                .released(1_201);
        HistoryReport verdict = judge();
        verdict.assertGreen();
        assertThat(verdict.refusedWrites()).isOne();
        assertThat(verdict.hits()).containsEntry("SIGSTOP", 1).containsEntry("CLIENT KILL", 1);
    }

    @Test
    void anUnknownOutcomeIsNotCertain() {
        story.asks("a", 1_000).unknown(1_020);
        story.asks("b", 1_000).granted(1_110, 6).releases(1_120).released(1_121);
        HistoryReport verdict = judge();
        verdict.assertGreen();
        assertThat(verdict.unknown()).isOne();
        assertThat(verdict.unknownShare()).isEqualTo(1.0 / 3);
    }

    @Test
    void aWaiterMayBeRefusedWhenItsWaitIsOver() {
        story.asks("a", 1_000).granted(1_001, 5).releases(2_300).released(2_301);
        story.asks("b", 1_100).busy(2_120);
        assertGood();
    }

    // ---- H1

    @Test
    void holdsThatOverlapAreFound() {
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("b", 1_000, 1_199, 1_400, 6);
        HistoryReport verdict = judge();
        assertThat(verdict.overlaps()).isOne();
        assertThat(verdict.violations())
                .anySatisfy(text -> assertThat(text).startsWith("H1: 'shared': two holds at once: token 5 of a/main"));
    }

    @Test
    void anOverlapWithAnUnclosedHoldIsFoundWithinItsLease() {
        story.asks("a", 1_000).granted(1_001, 5).renewed(1_090);
        story.fault(Fault.KILL, "a", 1_095, 1_096);
        story.hold("b", 1_000, 1_150, 1_400, 6);
        assertFound(judge(), "H1");
    }

    @Test
    void twoThreadsOfOneJvmMayNotMeetEither() {
        story.hold("a", 1_000, 1_001, 1_200, 5);
        story.asks("a", "a/other", 1_000).granted(1_100, 6).releases(1_300).released(1_301);
        assertThat(judge().violations())
                .anySatisfy(text -> assertThat(text).startsWith("H1: 'shared': two holds at once"));
    }

    @Test
    void overlapsAreCountedWhereRedisLosesData() {
        model = Model.DATA_LOSS;
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("b", 1_000, 1_199, 1_400, 6);
        story.loss(1_190, 1_191);
        HistoryReport verdict = judge();
        verdict.assertGreen();
        assertThat(verdict.overlaps()).isOne();
        assertThat(verdict).asString().contains("GREEN, DATA_LOSS, seed 42", "1 overlaps", "0 violations");
    }

    @Test
    void overlapsAreExplainedForALeaseAfterALossOfData() {
        model = Model.SOME_LOSS;
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("b", 1_000, 1_199, 1_400, 6);
        story.loss(1_050, 1_090);
        assertFound(judge(), "H1");
        story.loss(1_095, 1_100);
        HistoryReport verdict = judge();
        verdict.assertGreen();
        assertThat(verdict.overlaps()).isOne();
    }

    /** Who was forgotten cannot renew, so it is over a lease later whatever Redis forgets meanwhile. */
    @Test
    void anOverlapThatDoesNotEndWithTheForgottenLeaseIsFound() {
        story.hold("a", 1_000, 1_001, 1_250, 5).hold("b", 1_000, 1_145, 1_400, 6);
        story.loss(1_140, 1_141).loss(1_200, 1_201);
        for (Model each : List.of(Model.DATA_LOSS, Model.SOME_LOSS)) {
            model = each;
            assertThat(judge().violations()).anySatisfy(text -> assertThat(text).startsWith("H1: "));
        }
        story.loss(1_144, 1_151);
        assertThat(judge().violations()).noneMatch(text -> text.startsWith("H1: "));
    }

    @Test
    void anOverlapLongAfterALossOfDataIsFound() {
        model = Model.DATA_LOSS;
        story.loss(900, 901);
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("b", 1_000, 1_199, 1_400, 6);
        assertFound(judge(), "H1");
    }

    @Test
    void theEndOfAHoldIsExplainedByALossOfData() {
        model = Model.SOME_LOSS;
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("b", 1_000, 1_150, 1_300, 6);
        story.loss(1_400, 1_401);
        assertThat(judge().violations()).anySatisfy(text -> assertThat(text).startsWith("H4: "));
        story.loss(1_140, 1_141);
        assertGood();
    }

    // ---- H2

    @Test
    void aLeaseThatIsPassedOnAfterALossOfDataMayHaveALowerToken() {
        story.hold("a", 1_000, 1_001, 1_010, 1_000).hold("b", 1_012, 1_013, 1_020, 2_000);
        story.hold("a", 1_022, 1_023, 1_030, 1_001);
        assertThat(judge().violations()).anySatisfy(text -> assertThat(text).startsWith("H2: "));
        for (Model each : List.of(Model.DATA_LOSS, Model.SOME_LOSS)) {
            model = each;
            story.loss(1_011, 1_012);
            HistoryReport verdict = judge();
            verdict.assertGreen();
            assertThat(verdict.latePasses()).isOne();
        }
        story.hold("a", 1_032, 1_033, 1_040, 1_100);
        assertThat(judge().violations()).anySatisfy(text -> assertThat(text).startsWith("H2: "));
    }

    @Test
    void aTokenThatWasUsedBeforeIsFound() {
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("b", 1_100, 1_202, 1_300, 5);
        assertFound(judge(), "H2");
    }

    @Test
    void aTokenThatTheSameOwnerUsedBeforeIsFound() {
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("a", 1_202, 1_203, 1_300, 5);
        assertFound(judge(), "H2");
    }

    @Test
    void aTokenThatIsLowerThanAnEarlierOneIsFoundWhateverRedisLoses() {
        story.hold("a", 1_000, 1_001, 1_010, 6).hold("b", 1_012, 1_013, 1_020, 5);
        for (Model each : Model.values()) {
            model = each;
            assertThat(judge().violations())
                    .anySatisfy(text -> assertThat(text).startsWith("H2: 'shared': a later hold with a lower token"));
        }
    }

    @Test
    void tokensOfHoldsThatCrossInTimeHaveNoOrder() {
        story.asks("a", 1_000)
                .granted(1_100, 6)
                .lost(1_101)
                .releasesTooLate(1_102)
                .refused(1_103);
        story.asks("b", 1_000)
                .granted(1_090, 5)
                .lost(1_091)
                .releasesTooLate(1_092)
                .refused(1_093);
        assertGood();
    }

    @Test
    void aReentryWithAnotherTokenIsFound() {
        story.asks("a", 1_000).granted(1_001, 5);
        story.asks("a", 1_010).granted(1_011, 6);
        story.fault(Fault.KILL, "a", 1_012, 1_013);
        assertFound(judge(), "H2");
    }

    // ---- H3

    @Test
    void aStaleWriteThatWasAcceptedIsFoundWhateverRedisLoses() {
        story.asks("a", 1_000)
                .granted(1_001, 5)
                .lost(1_101)
                .writes(1_130, true)
                .releasesTooLate(1_140)
                .refused(1_141);
        story.asks("b", 1_060)
                .granted(1_105, 6)
                .writes(1_110, true)
                .releases(1_200)
                .released(1_201);
        for (Model each : Model.values()) {
            model = each;
            assertFound(judge(), "H3");
        }
    }

    @Test
    void aStoreThatWentBackIsFound() {
        story.hold("a", 1_000, 1_001, 1_200, 5);
        checker()
                .store(HistoryBuilder.LOCK, List.of(4L, 5L, 5L, 6L))
                .judge(story.events())
                .assertGreen();
        assertFound(checker().store(HistoryBuilder.LOCK, List.of(4L, 6L, 5L)).judge(story.events()), "H3");
        assertFound(checker().store("of nobody", List.of(2L, 1L)).judge(story.events()), "H3");
    }

    // ---- H4

    /**
     * As a release does that does not ask whose lock it is. The first holder's lease had passed, so no hold overlaps.
     */
    @Test
    void aReleaseOfALockOfAnotherHolderIsFound() {
        story.asks("a", 1_000).granted(1_001, 5).releasesTooLate(1_130).released(1_131);
        story.asks("b", 1_050).granted(1_102, 6).releases(1_200).released(1_201);
        assertFound(judge(), "H4");
        model = Model.DATA_LOSS;
        assertFound(judge(), "H4");
        story.loss(1_101, 1_102);
        assertGood();
    }

    // ---- H5

    @Test
    void aCallThatReturnsTooLateIsFound() {
        story.asks("a", 1_000).granted(1_001, 5).releases(2_300).released(2_301);
        story.asks("b", 1_100).busy(2_151);
        assertFound(judge(), "H5");
    }

    @Test
    void aReleaseThatReturnsTooLateIsFound() {
        story.asks("a", 1_000).granted(1_001, 5).releases(1_100).released(1_151);
        assertFound(judge(), "H5");
    }

    @Test
    void aJvmThatWasStoppedMayBeLateForThatTime() {
        story.asks("a", 1_000).granted(1_001, 5).releases(2_450).released(2_451);
        story.asks("b", 1_100).busy(2_400);
        assertFound(judge(), "H5");
        story.fault("SIGSTOP", "b", 1_200, 1_500);
        assertGood();
    }

    @Test
    void aCallThatNeverReturnsIsFoundUnlessItsJvmWasKilled() {
        story.hold("a", 1_000, 1_001, 1_200, 5);
        story.asks("b", 1_100);
        assertFound(judge(), "H5");
        story.fault(Fault.KILL, "b", 1_110, 1_111);
        assertGood();
    }

    @Test
    void aFreeLockThatAWaiterDoesNotGetIsFound() {
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("b", 1_100, 1_252, 1_300, 6);
        HistoryReport verdict = judge();
        assertFound(verdict, "H5");
        assertThat(verdict.worstCalmHandOver()).isEqualTo(Duration.ofMillis(51));
    }

    @Test
    void aFreeLockThatNoWaiterEverGetsIsFound() {
        story.hold("a", 1_000, 1_001, 1_200, 5);
        story.asks("b", 1_100).busy(2_100);
        assertFound(judge(), "H5");
    }

    @Test
    void aFaultExplainsAFreeLockUntilOneLeaseLater() {
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("b", 1_100, 1_350, 1_400, 6);
        story.fault("CLIENT PAUSE", "redis", 1_190, 1_220);
        HistoryReport verdict = judge();
        verdict.assertGreen();
        assertThat(verdict.worstHandOver()).isEqualTo(Duration.ofMillis(149));
        assertThat(verdict.worstCalmHandOver()).isEqualTo(Duration.ofMillis(30));
    }

    @Test
    void manyFaultsTogetherDoNotExplainALockThatStaysFree() {
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("b", 1_100, 1_470, 1_500, 6);
        for (int at = 1_190; at < 1_470; at += 20) {
            story.fault("CLIENT KILL", "redis", at, at + 1);
        }
        assertFound(judge(), "H5");
    }

    @Test
    void aLongFaultExplainsALongTime() {
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("b", 1_100, 1_950, 1_990, 6);
        story.fault("CLIENT PAUSE", "redis", 1_190, 1_900);
        assertGood();
    }

    /** It had renewed just before, so its lease ends 100 ms after its death. */
    @Test
    void aDeadHoldersLockThatAWaiterDoesNotGetIsFound() {
        story.asks("a", 1_000).granted(1_001, 5).renewed(1_010);
        story.fault(Fault.KILL, "a", 1_019, 1_020);
        story.asks("b", 1_015).granted(1_170, 6).releases(1_200).released(1_201);
        assertGood();
        story.asks("b", 1_205).granted(1_206, 7).renewed(1_210);
        story.fault(Fault.KILL, "b", 1_219, 1_220);
        story.asks("a", "a/late", 1_215).granted(1_371, 8).releases(1_380).released(1_381);
        assertFound(judge(), "H5");
    }

    // ---- H6

    @Test
    void aLostCountIsFound() {
        story.asks("a", 1_000)
                .granted(1_001, 5)
                .counts(1_010)
                .counts(1_020)
                .releases(1_030)
                .released(1_031);
        checker().counter(HistoryBuilder.LOCK, 2).judge(story.events()).assertGreen();
        assertFound(checker().counter(HistoryBuilder.LOCK, 1).judge(story.events()), "H6");
        assertFound(checker().counter(HistoryBuilder.LOCK, 3).judge(story.events()), "H6");
        assertFound(checker().counter("of nobody", 1).judge(story.events()), "H6");
    }

    @Test
    void aCountThatWasCutOffMayCountOrNot() {
        story.asks("a", 1_000).granted(1_001, 5).counts(1_010).beginsToCount(1_020);
        story.fault(Fault.KILL, "a", 1_021, 1_022);
        checker().counter(HistoryBuilder.LOCK, 1).judge(story.events()).assertGreen();
        checker().counter(HistoryBuilder.LOCK, 2).judge(story.events()).assertGreen();
        assertFound(checker().counter(HistoryBuilder.LOCK, 3).judge(story.events()), "H6");
    }

    // ---- H7

    @Test
    void aRenewalAfterTheEndIsFound() {
        story.hold("a", 1_000, 1_001, 1_300, 5).hold("b", 1_100, 1_302, 1_400, 6);
        renewed("a", 1_200).judge(story.events()).assertGreen();
        renewed("a", 1_301 + UNDER_WAY - 1).judge(story.events()).assertGreen();
        assertFound(renewed("a", 1_301 + UNDER_WAY + 1).judge(story.events()), "H7");
        assertFound(renewed("b", 1_050).judge(story.events()), "H7");
    }

    @Test
    void aRenewalAfterTheLossIsFound() {
        story.asks("a", 1_000)
                .granted(1_001, 5)
                .lost(1_100)
                .releasesTooLate(2_000)
                .refused(2_001);
        renewed("a", 1_050).judge(story.events()).assertGreen();
        assertFound(renewed("a", 1_101 + UNDER_WAY).judge(story.events()), "H7");
    }

    @Test
    void aRenewalIsNotLateOfAJvmThatStoodStill() {
        story.hold("a", 1_000, 1_001, 1_010, 5).stall("a", 1_005, 2_000);
        renewed("a", 2_001).judge(story.events()).assertGreen();
    }

    @Test
    void aRenewalMayBeSentAgainUntilTheCommandTimeoutIfServersRedirect() {
        story.hold("a", 1_000, 1_001, 1_300, 5);
        assertFound(renewed("a", 2_200).judge(story.events()), "H7");
        Duration timeout = Duration.ofMillis(1_000);
        renewed("a", 2_200).redirections(timeout).judge(story.events()).assertGreen();
        assertFound(renewed("a", 2_400).redirections(timeout).judge(story.events()), "H7");
    }

    @Test
    void aRenewalMayBeAsLateAsThreadsOfABusyMachine() {
        story.hold("a", 1_000, 1_001, 1_300, 5);
        Duration noise = Duration.ofMillis(600);
        renewed("a", 1_850).lateness(noise).judge(story.events()).assertGreen();
        assertFound(renewed("a", 1_950).lateness(noise).judge(story.events()), "H7");
    }

    @Test
    void theTextOfARenewalMayBeSentForThreeCommandTimeouts() {
        story.hold("a", 1_000, 1_001, 1_300, 5);
        Duration timeout = Duration.ofMillis(300);
        assertThat(renewedByText(2_100, timeout).violations()).isEmpty();
        assertFound(renewedByText(2_400, timeout), "H7");
        assertFound(renewed("a", 2_200).judge(story.events()), "H7");
    }

    private HistoryReport renewedByText(long at, Duration timeout) {
        CheckerBounds bounds = new CheckerBounds(timeout, BOUNDS.handOver(), BOUNDS.lease());
        return new HistoryChecker("a row", 42, Model.NO_LOSS, bounds)
                .renewals(List.of(new Renewal("a", HistoryBuilder.LOCK, at * 1_000_000, true)))
                .judge(story.events());
    }

    private static final long UNDER_WAY = RenewalChecks.UNDER_WAY.toMillis();

    private HistoryChecker renewed(String jvm, long at) {
        return checker().renewals(List.of(new Renewal(jvm, HistoryBuilder.LOCK, at * 1_000_000, false)));
    }

    @Test
    void noCallIsLateWhileTheMachineStandsStill() {
        story.asks("a", 1_000).busy(2_100);
        assertFound(judge(), "H5");
        story.stall("b", 2_010, 2_090);
        assertThat(judge().violations()).isEmpty();
    }

    // ---- H8

    @Test
    void remainingDataIsFound() {
        story.hold("a", 1_000, 1_001, 1_200, 5);
        assertFound(checker().leftovers(List.of("key lock:{shared}")).judge(story.events()), "H8");
    }

    // ---- runs that prove nothing

    @Test
    void aRunWithoutAHitIsInvalid() {
        HistoryBuilder calm = HistoryBuilder.ofNothing().hold("a", 1_000, 1_001, 1_200, 5);
        HistoryReport verdict = checker().judge(calm.events());
        assertThat(verdict.outcome()).isEqualTo(Outcome.INVALID);
        assertThat(verdict.invalid()).containsExactly("the fault never hit");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(verdict::assertGreen)
                .withMessageContaining("INVALID")
                .withMessageContaining("the fault never hit");
    }

    @Test
    void aRunWithoutAHoldIsInvalid() {
        story.asks("a", 1_000).busy(1_001);
        assertThat(judge().invalid()).containsExactly("no caller ever held a lock");
    }

    @Test
    void clocksThatWereNotComparedMakeARunInvalid() {
        story.hold("a", 1_000, 1_001, 1_200, 5).hold("c", 1_202, 1_203, 1_300, 6);
        assertThat(judge().invalid()).containsExactly("clocks that were not compared: [c, test]");
    }
}
