/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Renewal;
import io.distributedlock.testing.SentinelGroup;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * How an instance reaches the Redis under test, as its JVM gets it in one argument.
 *
 * @param ports those that its configuration names
 * @param proxies which port a connection really leads to, by the port that the servers of a group name to each other
 *     and to clients: so each instance has a network of its own to each of them. None under Sentinel, where an instance
 *     leaves a connection whose address is not the one that the Sentinels name
 */
record InstanceConnection(Topology topology, List<Integer> ports, Map<Integer, Integer> proxies) {

    enum Topology {
        STANDALONE,
        CLUSTER,
        SENTINEL
    }

    static InstanceConnection standalone(int port) {
        return new InstanceConnection(Topology.STANDALONE, List.of(port), Map.of());
    }

    String argument() {
        return topology
                + ";"
                + ports.stream().map(String::valueOf).collect(Collectors.joining(","))
                + ";"
                + proxies.entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining(","));
    }

    static InstanceConnection of(String argument) {
        String[] parts = argument.split(";", -1);
        return new InstanceConnection(
                Topology.valueOf(parts[0]),
                Arrays.stream(parts[1].split(",")).map(Integer::valueOf).toList(),
                Arrays.stream(parts[2].split(","))
                        .filter(each -> !each.isEmpty())
                        .map(each -> each.split("="))
                        .collect(Collectors.toMap(each -> Integer.valueOf(each[0]), each -> Integer.valueOf(each[1]))));
    }

    /**
     * A started factory, as Spring Boot makes it from its properties.
     *
     * @param renewals gets what is renewed, with an empty name of the JVM, if no proxy sees it
     */
    LettuceConnectionFactory connectionFactory(Consumer<Renewal> renewals) {
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .clientResources(ClientResources.builder()
                        .nettyCustomizer(customizer(renewals))
                        .build())
                .build();
        LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration(), client);
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    private NettyCustomizer customizer(Consumer<Renewal> renewals) {
        return switch (topology) {
            case STANDALONE -> new NettyCustomizer() {};
            case CLUSTER -> new Detours();
            case SENTINEL -> new Taps(renewals);
        };
    }

    private RedisConfiguration configuration() {
        return switch (topology) {
            case STANDALONE -> new RedisStandaloneConfiguration("127.0.0.1", ports.get(0));
            case CLUSTER ->
                new RedisClusterConfiguration(
                        ports.stream().map(port -> "127.0.0.1:" + port).toList());
            case SENTINEL -> {
                RedisSentinelConfiguration target = new RedisSentinelConfiguration().master(SentinelGroup.MASTER_NAME);
                ports.forEach(port -> target.sentinel("127.0.0.1", port));
                yield target;
            }
        };
    }

    /** Reads along what is written to each connection. */
    private record Taps(Consumer<Renewal> renewals) implements NettyCustomizer {

        @Override
        public void afterChannelInitialized(Channel channel) {
            RenewalSniffer sniffer = new RenewalSniffer("", renewals);
            channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
                @Override
                public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
                    if (message instanceof ByteBuf buffer) {
                        byte[] bytes = ByteBufUtil.getBytes(buffer);
                        sniffer.read(bytes, bytes.length);
                    }
                    context.write(message, promise);
                }
            });
        }
    }

    /** Leads connections to the proxies. */
    private final class Detours implements NettyCustomizer {

        @Override
        public void afterChannelInitialized(Channel channel) {
            channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
                @Override
                public void connect(
                        ChannelHandlerContext context,
                        SocketAddress remote,
                        SocketAddress local,
                        ChannelPromise promise) {
                    context.connect(leadsTo((InetSocketAddress) remote), local, promise);
                }
            });
        }

        private InetSocketAddress leadsTo(InetSocketAddress named) {
            Integer proxy = proxies.get(named.getPort());
            return proxy == null ? named : new InetSocketAddress(named.getAddress(), proxy);
        }
    }
}
