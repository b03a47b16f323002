/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What comes after a silence is not looked at, with a clock that the test moves. */
class StaleMasterGuardTests {

    private final EmbeddedChannel channel = new EmbeddedChannel(new StaleMasterGuard(Duration.ofSeconds(2)));

    @BeforeEach
    void freeze() {
        channel.freezeTime();
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private ByteBuf receive() {
        ByteBuf reply = Unpooled.buffer();
        channel.writeInbound(reply);
        return reply;
    }

    @Test
    void aReplyInTimeComesThrough() {
        channel.writeOutbound(Unpooled.buffer());
        channel.advanceTimeBy(2, TimeUnit.SECONDS);
        ByteBuf reply = receive();
        assertThat(channel.<Object>readInbound()).isSameAs(reply);
        assertThat(channel.isOpen()).isTrue();
        reply.release();
    }

    @Test
    void aReplyAfterASilenceDoesNotComeThroughAndEndsTheConnection() {
        channel.writeOutbound(Unpooled.buffer());
        channel.advanceTimeBy(1_500, TimeUnit.MILLISECONDS);
        channel.writeOutbound(Unpooled.buffer());
        channel.advanceTimeBy(501, TimeUnit.MILLISECONDS);
        ByteBuf reply = receive();
        assertThat(channel.<Object>readInbound()).isNull();
        assertThat(channel.isOpen()).isFalse();
        assertThat(reply.refCnt()).isZero();
    }

    @Test
    void anIdleConnectionMayBeSilent() {
        channel.writeOutbound(Unpooled.buffer());
        receive();
        channel.advanceTimeBy(1, TimeUnit.HOURS);
        receive();
        assertThat(channel.isOpen()).isTrue();
    }
}
