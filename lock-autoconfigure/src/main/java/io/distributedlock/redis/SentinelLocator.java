/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * Sends requests to all Sentinels, and listens to all of them. The reply with the highest configuration epoch counts,
 * and the epoch never decreases: a Sentinel that was cut off may still name the old master. An older epoch counts only
 * if most Sentinels name it, for example after they were set up again.
 */
final class SentinelLocator implements MasterLocator {

    private static final long LIMIT_MILLIS = 1_000;

    private final RedisClient client;

    private final EventExecutorGroup executors;

    private final String master;

    private final BiFunction<String, Integer, RedisURI> servers;

    private final List<SentinelLink> links;

    private final SentinelDecision decision;

    /**
     * @param client closed with this object
     * @param servers converts an address that the Sentinels name
     */
    SentinelLocator(
            RedisClient client,
            List<RedisURI> sentinels,
            String master,
            BiFunction<String, Integer, RedisURI> servers,
            EventExecutorGroup executors) {
        this.client = client;
        this.servers = servers;
        this.executors = executors;
        this.master = master;
        this.decision = new SentinelDecision(sentinels.size());
        this.links = sentinels.stream()
                .map(uri -> new SentinelLink(client, uri, master, executors))
                .toList();
    }

    @Override
    public void open(Runnable hint) {
        links.forEach(link -> link.listen(hint));
    }

    @Override
    public CompletableFuture<InetSocketAddress> locate() {
        ReplyCollector<SentinelReply> collector = decision.collect(executors, LIMIT_MILLIS);
        links.forEach(link -> link.request().whenComplete(collector::replied));
        return collector.end().thenApply(this::decide);
    }

    /** The former master is one of the replicas, as soon as the Sentinels have changed the master. */
    @Override
    public CompletableFuture<List<Long>> clocks() {
        ReplyCollector<List<InetSocketAddress>> collector =
                ReplyCollector.start(executors, links.size(), LIMIT_MILLIS, reply -> true);
        links.forEach(link -> link.replicas().whenComplete(collector::replied));
        return collector.end().thenCompose(ended -> ClockSurvey.of(client, named(ended), executors));
    }

    private List<RedisURI> named(ReplyCollector<List<InetSocketAddress>> collector) {
        return collector.replies().stream()
                .flatMap(List::stream)
                .distinct()
                .filter(address -> ClockSurvey.isAddress(address.getHostString(), address.getPort()))
                .map(address -> servers.apply(address.getHostString(), address.getPort()))
                .toList();
    }

    private InetSocketAddress decide(ReplyCollector<SentinelReply> collector) {
        InetSocketAddress address = decision.of(collector.replies());
        if (address == null) {
            throw new MasterUnknownException(why(collector));
        }
        return address;
    }

    private String why(ReplyCollector<SentinelReply> collector) {
        if (!collector.replies().isEmpty()) {
            return "the Sentinels know no master named '" + master
                    + "'. Correct spring.data.redis.sentinel.master, or configure them to monitor it";
        }
        return collector.failures().stream()
                .findFirst()
                .map(failure -> "no Sentinel can be reached: " + LettuceFailures.reason(failure))
                .orElse("no Sentinel replies");
    }

    @Override
    public String description() {
        return "'" + master + "' of the Sentinels at "
                + links.stream().map(SentinelLink::address).collect(Collectors.joining(", "));
    }

    @Override
    public void close() {
        links.forEach(SentinelLink::close);
        LockClientFactory.shutdown(client);
    }
}
