/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.composite.StageFailures;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import io.distributedlock.engine.LeaseStoreException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases in a cluster so that replicas have them: on a third connection to each master that has such a lease,
 * opened on demand. Lettuce does not follow redirections on a connection to one server, and must not: the confirming
 * replicas have to be those of the server that has renewed. So this class follows them, and the server that a
 * redirection names renews, with the confirmation of its own replicas.
 */
final class ClusterAcknowledgement implements ConfirmedRenewals {

    private static final int REDIRECTIONS = 5;

    private final ClusterConnections connections;

    private final LockKeys keys;

    private final Function<AcknowledgementConnection, AcknowledgedRenewal> renewal;

    private final Map<Route, AcknowledgedRenewal> renewals = new ConcurrentHashMap<>();

    private volatile @Nullable Opened opened;

    private record Opened(RedisClusterClient client, StatefulRedisClusterConnection<String, String> connection) {}

    /** @param asking whether ASKING precedes each command, since the slot still belongs to another server */
    private record Route(StatefulRedisConnection<String, String> connection, boolean asking) {}

    /**
     * One request on its way.
     *
     * @param confirmed whether replicas have to confirm it
     * @param host of the server that it is sent to
     * @param redirections that may still be followed
     */
    private record Step(Opened cluster, boolean confirmed, String host, boolean asking, int redirections) {}

    /** @param renewal creates the renewal on one connection */
    ClusterAcknowledgement(
            ClusterConnections connections,
            LockKeys keys,
            Function<AcknowledgementConnection, AcknowledgedRenewal> renewal) {
        this.connections = connections;
        this.keys = keys;
        this.renewal = renewal;
        connections.alsoOpen(this::open);
    }

    private void open(RedisClusterClient client) {
        if (opened == null) {
            opened = new Opened(client, client.connect(StringCodec.UTF8));
        }
    }

    @Override
    public CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands) {
        List<CompletableFuture<List<RenewReply>>> parts =
                commands.stream().map(command -> renew(command, true)).toList();
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .thenApply(done ->
                        parts.stream().flatMap(part -> part.join().stream()).toList());
    }

    @Override
    public CompletableFuture<List<RenewReply>> renewUnconfirmed(RenewCommand command) {
        return renew(command, false);
    }

    /** While servers redirect to each other, these requests share a limit with all other commands for such slots. */
    private CompletableFuture<List<RenewReply>> renew(RenewCommand command, boolean confirmed) {
        int slot = keys.slot(command.name());
        LeaseStoreException refusal = connections.redirections().refusal(slot);
        return refusal == null
                ? renewAt(slot, command, confirmed)
                        .whenComplete((replies, failure) -> replied(slot, StageFailures.unwrap(failure)))
                : CompletableFuture.failedFuture(refusal);
    }

    private void replied(int slot, @Nullable Throwable failure) {
        if (failure == null
                || failure instanceof AcknowledgedRenewal.ShortfallException
                || RedirectionLimiter.isRefusal(failure)) {
            connections.redirections().replied(slot);
        } else {
            connections.redirections().receivedError(redirection(failure));
        }
    }

    private CompletableFuture<List<RenewReply>> renewAt(int slot, RenewCommand command, boolean confirmed) {
        Opened known = opened;
        RedisClusterNode master =
                known == null ? null : known.client().getPartitions().getMasterBySlot(slot);
        if (known == null || master == null) {
            return CompletableFuture.failedFuture(connections.notConnected());
        }
        CompletableFuture<StatefulRedisConnection<String, String>> node =
                ClusterNodes.connection(() -> known.connection().getConnectionAsync(master.getNodeId()));
        return renew(node, new Step(known, confirmed, master.getUri().getHost(), false, REDIRECTIONS), command);
    }

    private CompletableFuture<List<RenewReply>> renew(
            CompletableFuture<StatefulRedisConnection<String, String>> node, Step step, RenewCommand command) {
        return node.thenCompose(
                        connection -> renew(on(new Route(connection, step.asking())), step.confirmed(), command))
                .exceptionallyCompose(failure -> redirected(step, StageFailures.bare(failure), command));
    }

    private static CompletableFuture<List<RenewReply>> renew(
            AcknowledgedRenewal there, boolean confirmed, RenewCommand command) {
        return confirmed ? there.renew(List.of(command)) : there.renewUnconfirmed(command);
    }

    private AcknowledgedRenewal on(Route route) {
        AcknowledgedRenewal known = renewals.get(route);
        if (known != null) {
            return known;
        }
        // Lettuce replaces the connection to a server that was unavailable for long.
        renewals.keySet().removeIf(other -> !other.connection().isOpen());
        return renewals.computeIfAbsent(
                route,
                made -> renewal.apply(new AcknowledgementConnection(connections, made.connection(), made.asking())));
    }

    /** The address need not be one that Lettuce knows: servers that announce a hostname redirect to an IP address. */
    private CompletableFuture<List<RenewReply>> redirected(Step step, Throwable failure, RenewCommand command) {
        String redirection = redirection(failure);
        String[] words = redirection.split(" ", -1);
        int colon = words.length < 3 ? -1 : words[2].lastIndexOf(':');
        if (colon < 0 || step.redirections() == 0) {
            return CompletableFuture.failedFuture(failure);
        }
        // A server that does not know how clients reach the others leaves the host out: it is its own.
        String host = colon == 0 ? step.host() : words[2].substring(0, colon);
        int port = Integer.parseInt(words[2].substring(colon + 1));
        CompletableFuture<StatefulRedisConnection<String, String>> node =
                ClusterNodes.connection(() -> step.cluster().connection().getConnectionAsync(host, port));
        boolean asking = redirection.startsWith("ASK");
        return renew(node, new Step(step.cluster(), step.confirmed(), host, asking, step.redirections() - 1), command);
    }

    /** The redirection of the server, or an empty text if the failure is another one. */
    private static String redirection(Throwable failure) {
        Throwable cause = failure instanceof LeaseStoreException ? failure.getCause() : failure;
        String text = cause instanceof RedisCommandExecutionException ? String.valueOf(cause.getMessage()) : "";
        return text.startsWith("MOVED ") || text.startsWith("ASK ") ? text : "";
    }
}
