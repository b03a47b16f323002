/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.distributedlock.testing.SafetyViolation;
import io.distributedlock.testing.SafetyViolations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** What continuous integration forgives when it runs a failed test again. */
class SafetyViolationsTests {

    /** Each fails in its first run only. */
    @ExtendWith(SafetyViolations.class)
    static class FailOnce {

        private static boolean unsafe = true;

        private static boolean slow = true;

        @Test
        void isUnsafe() {
            if (unsafe) {
                unsafe = false;
                throw new IllegalStateException(new SafetyViolation("two holders"));
            }
        }

        @Test
        void isSlow() {
            if (slow) {
                slow = false;
                throw new AssertionError("too late");
            }
        }
    }

    @Test
    void aTestThatHasSeenOneFailsAgain() {
        assertThat(failures("isUnsafe")).isOne();
        assertThat(failures("isUnsafe")).isOne();
    }

    @Test
    void aTestThatWasSlowMayPassLater() {
        assertThat(failures("isSlow")).isOne();
        assertThat(failures("isSlow")).isZero();
    }

    private static long failures(String method) {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectMethod(FailOnce.class, method))
                                .build(),
                        summary);
        return summary.getSummary().getTestsFailedCount();
    }
}
