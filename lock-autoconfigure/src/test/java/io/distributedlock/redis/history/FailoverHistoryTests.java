/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.redis.history.HistoryReport.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Histories made by hand of a failover: the outage begins at 1,100 ms and is over at 1,500 ms. What Redis has confirmed
 * to 1,110 ms may be forgotten or be as it was before, for the lease of 100 ms; nothing later is.
 */
class FailoverHistoryTests {

    private static final CheckerBounds BOUNDS =
            new CheckerBounds(Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofMillis(100));

    private final HistoryBuilder story =
            new HistoryBuilder().fault("MASTER_KILLED", "redis", 1_100, 1_500).loss(1_100, 1_110);

    private HistoryReport judge(Model model) {
        return new HistoryChecker("a failover", 42, model, BOUNDS).judge(story.events());
    }

    private void assertFound(Model model, String check) {
        HistoryReport verdict = judge(model);
        assertThat(verdict.outcome()).isEqualTo(Outcome.RED);
        assertThat(verdict.violations()).anySatisfy(text -> assertThat(text).startsWith(check + ": "));
    }

    private void enters(String jvm, String owner, long at, long until, long token) {
        story.asks(jvm, owner, at).granted(at + 1, token).releases(until).released(until + 1);
    }

    @Test
    void anOverlapOfALeaseThatWasForgottenIsCounted() {
        story.asks("a", 1_095).granted(1_096, 5).renewed(1_109).lost(1_208);
        story.hold("b", 1_120, 1_180, 1_300, 6);
        HistoryReport verdict = judge(Model.SOME_LOSS);
        verdict.assertGreen();
        assertThat(verdict.overlaps()).isOne();
        assertFound(Model.NO_LOSS, "H1");
    }

    /** The rest of the outage is no excuse. */
    @Test
    void anOverlapDuringTheOutageThatNoLossExplainsIsFound() {
        story.asks("a", 1_095).granted(1_096, 5).renewed(1_150).lost(1_248);
        story.hold("b", 1_120, 1_230, 1_300, 6);
        assertFound(Model.SOME_LOSS, "H1");
    }

    @Test
    void anOverlapAfterThePromotionIsFound() {
        story.hold("a", 1_300, 1_301, 1_420, 5);
        story.hold("b", 1_300, 1_350, 1_450, 6);
        assertFound(Model.SOME_LOSS, "H1");
    }

    @Test
    void anOwnerMayEnterAHoldThatWasRestored() {
        enters("a", "job", 1_050, 1_102, 5);
        story.hold("b", 1_103, 1_104, 1_107, 6);
        enters("a", "job", 1_180, 1_400, 5);
        HistoryReport verdict = judge(Model.SOME_LOSS);
        verdict.assertGreen();
        assertThat(verdict.restoredHolds()).isOne();
        assertFound(Model.NO_LOSS, "H2");
    }

    @Test
    void anOwnerMayEnterItAgainWithinALease() {
        enters("a", "job", 1_050, 1_102, 5);
        story.hold("b", 1_103, 1_104, 1_107, 6);
        enters("a", "job", 1_180, 1_400, 5);
        enters("b", "job", 1_450, 1_700, 5);
        judge(Model.SOME_LOSS).assertGreen();
        enters("a", "job", 1_850, 1_900, 5);
        assertFound(Model.SOME_LOSS, "H2");
    }

    @Test
    void aHoldThatIsEnteredWhenNoLeaseCanHaveBeenRestoredIsFound() {
        enters("a", "job", 1_050, 1_102, 5);
        story.hold("b", 1_103, 1_104, 1_107, 6);
        enters("a", "job", 1_220, 1_400, 5);
        assertFound(Model.SOME_LOSS, "H2");
    }

    @Test
    void aThreadThatGetsTheTokenOfARestoredHoldIsFound() {
        story.hold("a", 1_050, 1_051, 1_102, 5);
        story.hold("b", 1_103, 1_104, 1_107, 6);
        story.hold("a", 1_180, 1_181, 1_400, 5);
        assertFound(Model.SOME_LOSS, "H2");
    }

    @Test
    void anotherOwnerThatGetsTheTokenOfARestoredHoldIsFound() {
        enters("a", "job", 1_050, 1_102, 5);
        story.hold("b", 1_103, 1_104, 1_107, 6);
        enters("a", "another", 1_180, 1_400, 5);
        assertFound(Model.SOME_LOSS, "H2");
    }

    @Test
    void anOwnerThatGetsALowerTokenThanItsLatestIsFound() {
        enters("a", "job", 1_050, 1_102, 5);
        story.hold("b", 1_103, 1_104, 1_107, 6);
        enters("a", "job", 1_180, 1_400, 4);
        assertFound(Model.SOME_LOSS, "H2");
    }

    /** Two holds at once are no re-entry. */
    @Test
    void aHoldBesideARestoredOneIsFound() {
        enters("a", "job", 1_050, 1_102, 5);
        story.hold("b", 1_103, 1_104, 1_107, 6);
        story.asks("a", "job", 1_180)
                .granted(1_181, 5)
                .renewed(1_270)
                .renewed(1_350)
                .releases(1_400)
                .released(1_401);
        story.hold("b", 1_290, 1_300, 1_390, 7);
        assertFound(Model.SOME_LOSS, "H1");
    }

    @Test
    void aWaiterBehindARestoredHoldGetsTheLockALeaseAfterIt() {
        enters("a", "job", 1_050, 1_102, 5);
        story.hold("b", 1_103, 1_104, 1_107, 6);
        enters("a", "job", 1_180, 2_000, 5);
        story.hold("b", 1_700, 2_105, 2_110, 7);
        judge(Model.SOME_LOSS).assertGreen();
    }

    @Test
    void aWaiterBehindARestoredHoldThatWaitsLongerIsFound() {
        enters("a", "job", 1_050, 1_102, 5);
        story.hold("b", 1_103, 1_104, 1_107, 6);
        enters("a", "job", 1_180, 2_000, 5);
        story.hold("b", 1_700, 2_160, 2_170, 7);
        assertFound(Model.SOME_LOSS, "H5");
    }

    /** A reader whose release is forgotten stays as long as others join, and for a lease after the last of them. */
    @Test
    void aWriterMayWaitForAReaderThatWasRestored() {
        story.read("a", 1_190, 1_200, 1_700, 5).hold("b", 1_650, 1_795, 1_800, 6);
        judge(Model.SOME_LOSS).assertGreen();
        assertFound(Model.NO_LOSS, "H5");
    }

    @Test
    void aWriterThatWaitsForLongerThanALeaseAfterTheLastReaderIsFound() {
        story.read("a", 1_190, 1_200, 1_700, 5).hold("b", 1_650, 1_860, 1_900, 6);
        assertFound(Model.SOME_LOSS, "H5");
    }

    @Test
    void aReaderThatEntersLaterThanALeaseAfterTheLossJoinsNoneThatWasRestored() {
        story.read("a", 1_290, 1_300, 1_700, 5).hold("b", 1_650, 1_795, 1_800, 6);
        assertFound(Model.SOME_LOSS, "H5");
    }
}
