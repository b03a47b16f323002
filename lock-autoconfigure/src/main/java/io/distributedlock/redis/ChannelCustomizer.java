/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import java.util.function.Consumer;

/** Prepares each new channel, and keeps the application's own customization, which comes after it. */
record ChannelCustomizer(Consumer<Channel> preparation, NettyCustomizer application) implements NettyCustomizer {

    @Override
    public void afterBootstrapInitialized(Bootstrap bootstrap) {
        application.afterBootstrapInitialized(bootstrap);
    }

    @Override
    public void afterChannelInitialized(Channel channel) {
        preparation.accept(channel);
        application.afterChannelInitialized(channel);
    }
}
