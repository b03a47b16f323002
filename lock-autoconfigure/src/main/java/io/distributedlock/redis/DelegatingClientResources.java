/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.event.EventBus;
import io.lettuce.core.event.EventPublisherOptions;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.DnsResolver;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.SocketAddressResolver;
import io.lettuce.core.tracing.Tracing;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.Timer;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The application's event loops and other resources, with a reconnect delay, handlers and an event bus of this library.
 * It does not shut them down.
 */
record DelegatingClientResources(
        ClientResources application, Delay reconnectDelay, NettyCustomizer nettyCustomizer, EventBus eventBus)
        implements ClientResources {

    @Override
    public Builder mutate() {
        return application.mutate();
    }

    @Override
    public Future<Boolean> shutdown() {
        return ImmediateEventExecutor.INSTANCE.newSucceededFuture(true);
    }

    @Override
    public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
        return shutdown();
    }

    @Override
    public AddressResolverGroup<?> addressResolverGroup() {
        return application.addressResolverGroup();
    }

    @Override
    public EventPublisherOptions commandLatencyPublisherOptions() {
        return application.commandLatencyPublisherOptions();
    }

    @Override
    public CommandLatencyRecorder commandLatencyRecorder() {
        return application.commandLatencyRecorder();
    }

    @Override
    public int computationThreadPoolSize() {
        return application.computationThreadPoolSize();
    }

    /**
     * A method of the interface in Lettuce 6, which Spring Boot 4.0 has, but not in Lettuce 7. Lettuce does not call
     * it: addresses are resolved by {@link #socketAddressResolver()}.
     */
    @SuppressWarnings({"MissingOverride", "deprecation", "unused"})
    public DnsResolver dnsResolver() {
        return DnsResolver.unresolved();
    }

    @Override
    public EventLoopGroupProvider eventLoopGroupProvider() {
        return application.eventLoopGroupProvider();
    }

    @Override
    public EventExecutorGroup eventExecutorGroup() {
        return application.eventExecutorGroup();
    }

    @Override
    public int ioThreadPoolSize() {
        return application.ioThreadPoolSize();
    }

    @Override
    public SocketAddressResolver socketAddressResolver() {
        return application.socketAddressResolver();
    }

    @Override
    public Timer timer() {
        return application.timer();
    }

    @Override
    public Tracing tracing() {
        return application.tracing();
    }
}
