/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A connection by itself, with a clock that stands still until a test moves it. */
class ResponseTimeoutHandlerTests {

    private final EmbeddedChannel channel = new EmbeddedChannel(new ResponseTimeoutHandler(Duration.ofSeconds(3)));

    @BeforeEach
    void freeze() {
        channel.freezeTime();
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void send() {
        channel.writeOutbound(Unpooled.buffer());
    }

    private void receive() {
        channel.writeInbound(Unpooled.buffer());
    }

    private void pass(long millis) {
        channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    void silenceAfterACommandIsTheEnd() {
        send();
        pass(3_049);
        assertThat(channel.isOpen()).isTrue();
        pass(51);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void moreCommandsDoNotMakeItLater() {
        send();
        for (int i = 0; i < 3; i++) {
            pass(900);
            send();
        }
        pass(300);
        pass(100);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void silenceWithoutACommandIsPeace() {
        pass(100_000);
        send();
        receive();
        pass(100_000);
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.hasPendingTasks()).isFalse();
    }

    @Test
    void slowRepliesKeepTheConnectionOpen() {
        for (int i = 0; i < 20; i++) {
            send();
            pass(2_900);
            assertThat(channel.isOpen()).isTrue();
            receive();
        }
    }

    @Test
    void theTimeCountsFromTheFirstCommandAfterTheLastReply() {
        send();
        pass(2_000);
        receive();
        pass(500);
        send();
        pass(3_049);
        assertThat(channel.isOpen()).isTrue();
        pass(51);
        assertThat(channel.isOpen()).isFalse();
    }

    /** The process was stopped: what came meanwhile is read after the timer, in the same round of the event loop. */
    @Test
    void anUnreadReplyCountsAsAReply() {
        send();
        pass(60_000);
        assertThat(channel.isOpen()).isTrue();
        receive();
        pass(60_000);
        assertThat(channel.isOpen()).isTrue();
    }
}
