/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.redis.history.HistoryReport.Outcome;
import java.time.Duration;
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
}
