/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.testing.TcpStream;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Gives servers other clocks without a proxy, since Sentinels name the ports of the servers to clients. */
record ClockCustomizer(ServerClocks clocks) implements NettyCustomizer {

    @Override
    public void afterChannelInitialized(Channel channel) {
        channel.pipeline().addFirst(new Edits());
    }

    private final class Edits extends ChannelOutboundHandlerAdapter {

        private TcpStream.@Nullable Editor editor;

        @Override
        public void connect(
                ChannelHandlerContext context, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            editor = clocks.editor(((InetSocketAddress) remote).getPort());
            context.connect(remote, local, promise);
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            TcpStream.Editor known = editor;
            if (known != null && message instanceof ByteBuf buffer) {
                byte[] bytes = ByteBufUtil.getBytes(buffer);
                buffer.release();
                context.write(Unpooled.wrappedBuffer(known.edit(bytes, bytes.length)), promise);
            } else {
                context.write(message, promise);
            }
        }
    }
}
