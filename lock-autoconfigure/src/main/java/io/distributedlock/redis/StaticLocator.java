/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

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
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Requests the roles of all servers of a list. Failovers are not announced here, so the request is repeated when a
 * connection is opened or a server refuses writes.
 */
final class StaticLocator implements MasterLocator {

    private static final Log log = LogFactory.getLog(StaticLocator.class);

    private static final long LIMIT_MILLIS = 2_000;

    private final RedisClient client;

    private final EventExecutorGroup executors;

    private final List<RedisURI> servers;

    private volatile boolean severalTold;

    /**
     * The role of a server.
     *
     * @param replicas the number of its replicas
     */
    private record Answer(RedisURI server, String role, int replicas) {

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
        Collector<Answer> question =
                new Collector<>(executors, servers.size(), LIMIT_MILLIS, Answer::isMasterWithReplicas);
        servers.forEach(server -> ask(server).whenComplete(question::answered));
        return question.end().thenApply(this::decide);
    }

    @Override
    public CompletableFuture<List<Long>> clocks() {
        return ClockSurvey.of(client, servers, executors);
    }

    private CompletionStage<Answer> ask(RedisURI server) {
        return client.connectAsync(StringCodec.UTF8, server).thenCompose(connection -> askAndClose(server, connection));
    }

    private static CompletionStage<Answer> askAndClose(
            RedisURI server, StatefulRedisConnection<String, String> connection) {
        return connection
                .async()
                .role()
                .thenApply(role -> answer(server, role))
                .whenComplete((answer, failure) -> connection.closeAsync());
    }

    private static Answer answer(RedisURI server, List<Object> role) {
        String what = String.valueOf(role.get(0));
        boolean counts = what.equals("master") && role.size() > 2 && role.get(2) instanceof List<?>;
        return new Answer(server, what, counts ? ((List<?>) role.get(2)).size() : 0);
    }

    private InetSocketAddress decide(Collector<Answer> question) {
        List<Answer> masters =
                question.answers().stream().filter(Answer::isMaster).toList();
        // All instances with this list choose the same one.
        Answer best = masters.stream()
                .max(Comparator.comparingInt(Answer::replicas)
                        .thenComparingInt(answer -> -servers.indexOf(answer.server())))
                .orElseThrow(() -> new MasterUnknownException(why(question)));
        if (masters.size() > 1 && !severalTold) {
            severalTold = true;
            log.warn("Several servers of the list report that they are the master, and only one can be: "
                    + masters.stream().map(Answer::text).collect(Collectors.joining(", ")) + ". Locks use "
                    + address(best.server()) + ". Make the other ones its replicas.");
        }
        return InetSocketAddress.createUnresolved(
                best.server().getHost(), best.server().getPort());
    }

    private String why(Collector<Answer> question) {
        String text = "no server of " + description() + " is a master";
        if (!question.answers().isEmpty()) {
            text += ": " + question.answers().stream().map(Answer::text).collect(Collectors.joining(", "));
        }
        Throwable failure = first(question.failures());
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
