/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.redis.history.HistoryReport.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Histories of a hold that was released before its minimum was over. */
class MinimumHoldHistoryTests {

    private static final CheckerBounds BOUNDS =
            new CheckerBounds(Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofMillis(100));

    private final HistoryBuilder story = new HistoryBuilder();

    @BeforeEach
    void releasedBeforeItsMinimum() {
        story.asks("a", 1_000).granted(1_001, 5).releases(1_010).released(1_011, 1_301);
    }

    private HistoryReport judge() {
        return new HistoryChecker("a row", 42, Model.NO_LOSS, BOUNDS).judge(story.events());
    }

    private void assertFound(String check) {
        HistoryReport verdict = judge();
        assertThat(verdict.outcome()).isEqualTo(Outcome.RED);
        assertThat(verdict.violations()).anySatisfy(text -> assertThat(text).startsWith(check + ": "));
    }

    @Test
    void othersWaitUntilItIsOver() {
        story.hold("b", 1_002, 1_340, 1_400, 6);
        judge().assertGreen();
    }

    @Test
    void aCallerThatGetsTheLockBeforeIsFound() {
        story.hold("b", 1_002, 1_250, 1_400, 6);
        assertFound("H1");
    }

    @Test
    void theSameThreadWaits() {
        story.hold("a", 1_020, 1_050, 1_060, 6);
        assertFound("H1");
    }

    @Test
    void aCallerThatWaitsForLongerIsFound() {
        story.hold("b", 1_002, 1_360, 1_400, 6);
        assertFound("H5");
    }

    /** The lock may be taken away by force in the meantime. */
    @Test
    void aForcedReleaseEndsIt() {
        story.force(HistoryBuilder.LOCK, 1_100, 1_101).hold("b", 1_102, 1_103, 1_110, 6);
        judge().assertGreen();
    }

    /** Until the minimum is over, each retry of the release shortens the lease. */
    @Test
    void aReleaseThatIsNotConfirmedMayRenewUntilItIsOver() {
        story.asks("b", 1_320).granted(1_321, 6).releases(1_330).unconfirmed(1_331, 2_321);
        assertThat(renewed("b", 2_320).judge(story.events()).violations()).isEmpty();
        long late = 2_322 + RenewalChecks.UNDER_WAY.toMillis();
        assertThat(renewed("b", late).judge(story.events()).violations())
                .singleElement()
                .asString()
                .startsWith("H7: ");
    }

    @Test
    void aConfirmedReleaseRenewsNothing() {
        assertThat(renewed("a", 1_290).judge(story.events()).violations())
                .singleElement()
                .asString()
                .startsWith("H7: ");
    }

    private static HistoryChecker renewed(String jvm, long at) {
        return new HistoryChecker("a row", 42, Model.NO_LOSS, BOUNDS)
                .renewals(List.of(new Renewal(jvm, HistoryBuilder.LOCK, at * 1_000_000, false)));
    }
}
