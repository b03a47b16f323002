/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.netty.util.concurrent.EventExecutorGroup;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.mockito.Answers;

class SentinelDecisionTests {

    private static final InetSocketAddress FIRST = InetSocketAddress.createUnresolved("first", 1);

    private static final InetSocketAddress SECOND = InetSocketAddress.createUnresolved("second", 2);

    private static final SentinelReply BEFORE = new SentinelReply(FIRST, 3);

    private static final SentinelReply AFTER = new SentinelReply(SECOND, 4);

    private static final SentinelReply IGNORANT = new SentinelReply(null, 0);

    private final SentinelDecision decision = new SentinelDecision(3);

    @Test
    void theHighestEpochCounts() {
        assertThat(decision.of(List.of(BEFORE, AFTER, BEFORE))).isEqualTo(SECOND);
    }

    @Test
    void aSentinelThatWasCutOffDoesNotBringTheOldMasterBack() {
        assertThat(decision.of(List.of(AFTER, AFTER, BEFORE))).isEqualTo(SECOND);
        assertThat(decision.of(List.of(BEFORE))).isEqualTo(SECOND);
    }

    @Test
    void mostOfTheSentinelsAreRightEvenWithAnOlderEpoch() {
        decision.of(List.of(AFTER));
        assertThat(decision.of(List.of(BEFORE, BEFORE))).isEqualTo(FIRST);
    }

    @Test
    void theMasterStaysWhileNoSentinelReplies() {
        assertThat(decision.of(List.of())).isNull();
        decision.of(List.of(BEFORE));
        assertThat(decision.of(List.of())).isEqualTo(FIRST);
    }

    @Test
    void aNameThatNoSentinelKnowsHasNoMaster() {
        decision.of(List.of(BEFORE));
        assertThat(decision.of(List.of(IGNORANT, IGNORANT))).isNull();
        assertThat(decision.of(List.of(IGNORANT, BEFORE))).isEqualTo(FIRST);
    }

    /** A Sentinel that is frozen must not delay the switch to the next master. */
    @Test
    void theFirstReplyWithAHigherEpochEndsTheSearch() {
        List<SentinelReply> replies = List.of(BEFORE, AFTER);
        assertThat(search(replies)).as("nothing is known before").isNotDone();
        decision.of(List.of(BEFORE));

        assertThat(search(replies)).isCompletedWithValue(SECOND);
        assertThat(search(replies)).as("it is known by now").isNotDone();
    }

    /** A third Sentinel does not reply, and no timer expires. */
    private CompletableFuture<InetSocketAddress> search(List<SentinelReply> replies) {
        EventExecutorGroup idle = mock(EventExecutorGroup.class, Answers.RETURNS_MOCKS);
        ReplyCollector<SentinelReply> collector = decision.collect(idle, 60_000);
        replies.forEach(reply -> collector.replied(reply, null));
        return collector.end().thenApply(ended -> decision.of(ended.replies()));
    }
}
