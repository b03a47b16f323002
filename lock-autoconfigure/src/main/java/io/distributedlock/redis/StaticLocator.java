/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.logging.SafeLog;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Requests the roles of all servers of a list. Failovers are not announced here, so the request is repeated when a
 * connection is opened or a server refuses writes.
 */
final class StaticLocator implements MasterLocator {

    private static final Log log = SafeLog.of(StaticLocator.class);

    private static final long LIMIT_MILLIS = 2_000;

    private final RedisClient client;

    private final EventExecutorGroup executors;

    private final List<RedisURI> servers;

    /** Until all servers have replied and only one is a master. */
    private volatile boolean severalLogged;

    /**
     * The role of a server.
     *
     * @param replicas the number of its replicas
     */
    private record ServerRole(RedisURI server, String role, int replicas) {

        boolean isMaster() {
            return role.equals("master");
        }

        /** A master without replicas may be a former one that was started again: then all replies are awaited. */
        boolean isMasterWithReplicas() {
            return isMaster() && replicas > 0;
        }

        String text() {
            return address(server) + " is a " + (role.equals("slave") ? "replica" : role);
        }
    }

    /** @param client closed with this object */
    StaticLocator(RedisClient client, List<RedisURI> servers, EventExecutorGroup executors) {
        this.client = client;
        this.servers = servers;
        this.executors = executors;
    }

    @Override
    public void open(Runnable hint) {}

    @Override
    public CompletableFuture<InetSocketAddress> locate() {
        ReplyCollector<ServerRole> collector =
                ReplyCollector.start(executors, servers.size(), LIMIT_MILLIS, ServerRole::isMasterWithReplicas);
        servers.forEach(server -> request(server).whenComplete(collector::replied));
        return collector.end().thenApply(this::decide);
    }

    @Override
    public CompletableFuture<List<Long>> clocks() {
        return ClockSurvey.of(client, servers, executors);
    }

    private CompletionStage<ServerRole> request(RedisURI server) {
        return client.connectAsync(StringCodec.UTF8, server)
                .thenCompose(connection -> requestAndClose(server, connection));
    }

    private static CompletionStage<ServerRole> requestAndClose(
            RedisURI server, StatefulRedisConnection<String, String> connection) {
        return connection
                .async()
                .role()
                .thenApply(role -> reply(server, role))
                .whenComplete((reply, failure) -> connection.closeAsync());
    }

    private static ServerRole reply(RedisURI server, List<Object> role) {
        String what = String.valueOf(role.get(0));
        boolean counts = what.equals("master") && role.size() > 2 && role.get(2) instanceof List<?>;
        return new ServerRole(server, what, counts ? ((List<?>) role.get(2)).size() : 0);
    }

    private InetSocketAddress decide(ReplyCollector<ServerRole> collector) {
        List<ServerRole> masters =
                collector.replies().stream().filter(ServerRole::isMaster).toList();
        // All instances with this list choose the same one.
        ServerRole best = masters.stream()
                .max(Comparator.comparingInt(ServerRole::replicas)
                        .thenComparingInt(reply -> -servers.indexOf(reply.server())))
                .orElseThrow(() -> new MasterUnknownException(why(collector)));
        if (masters.size() == 1 && collector.replies().size() == servers.size()) {
            severalLogged = false;
        } else if (masters.size() > 1 && !severalLogged) {
            severalLogged = true;
            log.warn("Several servers of the list report that they are the master, and only one can be: "
                    + masters.stream().map(ServerRole::text).collect(Collectors.joining(", ")) + ". Locks use "
                    + address(best.server()) + ". Make the other ones its replicas.");
        }
        return InetSocketAddress.createUnresolved(
                best.server().getHost(), best.server().getPort());
    }

    private String why(ReplyCollector<ServerRole> collector) {
        String text = "no server of " + description() + " is a master";
        if (!collector.replies().isEmpty()) {
            text += ": " + collector.replies().stream().map(ServerRole::text).collect(Collectors.joining(", "));
        }
        Throwable failure = first(collector.failures());
        return failure == null ? text : text + "; " + LettuceFailures.reason(failure);
    }

    private static @Nullable Throwable first(List<Throwable> failures) {
        return failures.isEmpty() ? null : failures.get(0);
    }

    private static String address(RedisURI server) {
        return server.getHost() + ":" + server.getPort();
    }

    @Override
    public String description() {
        return "the list " + servers.stream().map(StaticLocator::address).collect(Collectors.joining(", "));
    }

    @Override
    public void close() {
        LockClientFactory.shutdown(client);
    }
}
