/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writes that wait for the event loop together are flushed together, and none is left unflushed. */
@Timeout(30)
class FlushConsolidatorTests {

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());

    private final AtomicInteger flushes = new AtomicInteger();

    private Channel channel;

    /** Counts what comes through to the socket. */
    private final class Counting extends ChannelOutboundHandlerAdapter {

        @Override
        public void flush(ChannelHandlerContext context) {
            flushes.incrementAndGet();
            context.flush();
        }
    }

    @BeforeEach
    void connect() throws InterruptedException {
        LocalAddress address = new LocalAddress(FlushConsolidatorTests.class);
        new ServerBootstrap()
                .group(loops)
                .channel(LocalServerChannel.class)
                .childHandler(new ChannelInboundHandlerAdapter())
                .bind(address)
                .sync();
        NettyCustomizer customizer = FlushConsolidator.after(new NettyCustomizer() {});
        channel = new Bootstrap()
                .group(loops)
                .channel(LocalChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel opened) {
                        opened.pipeline().addLast(new Counting());
                        customizer.afterChannelInitialized(opened);
                    }
                })
                .connect(address)
                .sync()
                .channel();
    }

    @AfterEach
    void close() {
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void writesThatWaitTogetherAreFlushedTogether() {
        CountDownLatch proceed = new CountDownLatch(1);
        channel.eventLoop().execute(() -> {
            try {
                proceed.await();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        });
        List<ChannelFuture> writes = new ArrayList<>();
        for (int i = 0; i < 3 * FlushConsolidator.MOST; i++) {
            writes.add(channel.writeAndFlush("command " + i));
        }
        proceed.countDown();

        await().untilAsserted(() -> assertThat(writes).allMatch(ChannelFuture::isSuccess));
        assertThat(flushes).hasValueBetween(3, 4);
    }

    @Test
    void aWriteByItselfIsFlushedAtOnce() {
        for (int i = 1; i <= 20; i++) {
            assertThat(channel.writeAndFlush("command").awaitUninterruptibly(10_000))
                    .isTrue();
        }
        assertThat(flushes).hasValue(20);
    }

    @Test
    void otherWorkOfTheEventLoopDoesNotSwallowAFlush() {
        List<ChannelFuture> writes = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            channel.eventLoop().execute(() -> {});
            writes.add(channel.writeAndFlush("command " + i));
            channel.eventLoop().execute(() -> {});
        }
        await().untilAsserted(() -> assertThat(writes).allMatch(ChannelFuture::isSuccess));
    }

    @Test
    void theConnectionCustomizerOfTheApplicationStillRuns() {
        List<Object> seen = new ArrayList<>();
        NettyCustomizer customizer = FlushConsolidator.after(new NettyCustomizer() {
            @Override
            public void afterBootstrapInitialized(Bootstrap bootstrap) {
                seen.add(bootstrap);
            }

            @Override
            public void afterChannelInitialized(Channel opened) {
                seen.add(opened);
            }
        });
        Bootstrap bootstrap = new Bootstrap();
        customizer.afterBootstrapInitialized(bootstrap);
        customizer.afterChannelInitialized(channel);

        assertThat(seen).containsExactly(bootstrap, channel);
    }
}
