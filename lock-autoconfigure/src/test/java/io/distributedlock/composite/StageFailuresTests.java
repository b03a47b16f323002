/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockLostException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class StageFailuresTests {

    private static final IllegalStateException CAUSE = new IllegalStateException("cause");

    @Test
    void allWrappersAreRemoved() {
        Throwable wrapped = new CompletionException(new ExecutionException(new CompletionException(CAUSE)));

        assertThat(StageFailures.bare(wrapped)).isSameAs(CAUSE);
        assertThat(StageFailures.unwrap(wrapped)).isSameAs(CAUSE);
        assertThat(StageFailures.bare(CAUSE)).isSameAs(CAUSE);
        assertThat(StageFailures.unwrap(null)).isNull();
    }

    @Test
    void aWrapperWithoutACauseIsTheFailure() {
        CompletionException empty = new CompletionException("no cause", null);

        assertThat(StageFailures.unwrap(empty)).isSameAs(empty);
        assertThat(StageFailures.bare(new CompletionException(empty))).isSameAs(empty);
        assertThat(StageFailures.ofWork(empty)).isSameAs(empty);
    }

    @Test
    void theWrapperThatTheWorkThrewBelongsToTheWork() {
        ExecutionException thrown = new ExecutionException(CAUSE);

        assertThat(StageFailures.ofWork(new CompletionException(thrown))).isSameAs(thrown);
    }

    @Test
    void twoFailuresReportOneLossIfTheyNameTheSameLock() {
        LockLostException loss = new LockLostException("a", "lost", Duration.ZERO);

        assertThat(StageFailures.isSameLoss(loss, new LockLostException("a", "lost again", Duration.ZERO)))
                .isTrue();
        assertThat(StageFailures.isSameLoss(loss, new LockLostException("b", "lost", Duration.ZERO)))
                .isFalse();
        assertThat(StageFailures.isSameLoss(CAUSE, loss)).isFalse();
    }
}
