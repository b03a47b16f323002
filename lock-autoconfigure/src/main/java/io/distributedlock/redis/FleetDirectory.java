/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.logging.SafeLog;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.KeyListOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Lists the instances: those whose channels have a listener ({@code PUBSUB CHANNELS}, in a cluster {@code PUBSUB
 * SHARDCHANNELS} at each master). So nothing has to be written, renewed or cleaned up for it, and an instance that has
 * died disappears with its connection. The command scans all channels of a server, so an instance sends it only when an
 * operator requests the fleet, and for a message without a known channel.
 */
final class FleetDirectory {

    private static final Log log = SafeLog.of(FleetDirectory.class);

    /** Maximum wait for the reply of one server. */
    private static final long SERVER_MILLIS = 250;

    private final RedisConnections connections;

    private final String channels;

    private final AtomicBoolean refusalLogged = new AtomicBoolean();

    /**
     * @param addresses by public id, the address of one channel of each instance, including this one
     * @param complete whether all servers have replied
     */
    record Listing(SortedMap<String, String> addresses, boolean complete) {

        static final Listing NONE = new Listing(Collections.emptySortedMap(), false);
    }

    FleetDirectory(RedisConnections connections, LockKeys keys) {
        this.connections = connections;
        this.channels = keys.channel("");
    }

    /** The instances that the servers list; of several servers, those that reply in time. Fails if none does. */
    CompletableFuture<Listing> instances() {
        List<CompletableFuture<List<String>>> servers = request("");
        CompletableFuture<Listing> listing = new CompletableFuture<>();
        CompletableFuture.allOf(servers.toArray(CompletableFuture<?>[]::new)).whenComplete((done, failure) -> {
            List<CompletableFuture<List<String>>> replied = servers.stream()
                    .filter(server -> !server.isCompletedExceptionally())
                    .toList();
            if (replied.isEmpty()) {
                listing.completeExceptionally(failure == null ? connections.notConnected() : failure);
            } else {
                listing.complete(new Listing(addressesIn(replied), replied.size() == servers.size()));
            }
        });
        return listing;
    }

    private SortedMap<String, String> addressesIn(List<CompletableFuture<List<String>>> replied) {
        SortedMap<String, String> addresses = new TreeMap<>();
        replied.forEach(server -> read(server.join())
                .forEach(address -> addresses.putIfAbsent(InstanceAddresses.instance(address), address)));
        return addresses;
    }

    private List<String> read(List<String> found) {
        return found.stream()
                .filter(channel -> channel.startsWith(channels))
                .map(channel -> channel.substring(channels.length()))
                .filter(InstanceMessage::isAddress)
                .toList();
    }

    /** In a cluster: the first channel of that instance in any reply; null if no reply contains one. */
    CompletableFuture<@Nullable String> addressOf(String instance) {
        CompletableFuture<@Nullable String> address = new CompletableFuture<>();
        List<CompletableFuture<List<String>>> servers = request(instance + "{");
        servers.forEach(server ->
                server.thenAccept(found -> read(found).stream().findFirst().ifPresent(address::complete)));
        CompletableFuture.allOf(servers.toArray(CompletableFuture<?>[]::new))
                .whenComplete((done, failure) -> address.complete(null));
        return address;
    }

    /** Of several servers, one that does not reply in time has failed. */
    private List<CompletableFuture<List<String>>> request(String beginning) {
        String pattern = pattern(channels + beginning);
        List<CompletableFuture<List<String>>> servers =
                connections.routesByKey() ? connections.shardChannels(pattern) : List.of(channels(pattern));
        servers.forEach(server -> {
            server.whenComplete((found, failure) -> logRefusal(failure));
            if (servers.size() > 1) {
                giveUpLater(server);
            }
        });
        return servers;
    }

    private void giveUpLater(CompletableFuture<List<String>> server) {
        try {
            connections.later(() -> server.completeExceptionally(new TimeoutException()), SERVER_MILLIS);
        } catch (RejectedExecutionException ex) {
            server.completeExceptionally(ex);
        }
    }

    private CompletableFuture<List<String>> channels(String pattern) {
        RedisConnections.CommandWriter writer = connections.commands();
        if (writer == null) {
            return CompletableFuture.failedFuture(connections.notConnected());
        }
        CommandArgs<String, String> operands =
                new CommandArgs<>(StringCodec.UTF8).add("CHANNELS").add(pattern);
        AsyncCommand<String, String, List<String>> command =
                new AsyncCommand<>(new Command<>(CommandType.PUBSUB, new KeyListOutput<>(StringCodec.UTF8), operands));
        try {
            writer.write(command);
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(ex);
        }
        return command.toCompletableFuture();
    }

    /** The prefix may contain wildcard characters of patterns. */
    private static String pattern(String beginning) {
        return beginning.replaceAll("([\\\\*?\\[\\]^])", "\\\\$1") + "*";
    }

    private void logRefusal(@Nullable Throwable failure) {
        Throwable cause = failure == null || failure.getCause() == null ? failure : failure.getCause();
        boolean refused = cause != null && String.valueOf(cause.getMessage()).startsWith("NOPERM");
        if (refused && refusalLogged.compareAndSet(false, true)) {
            log.warn("Redis does not allow this user to see which instances there are ("
                    + (connections.routesByKey() ? "+pubsub|shardchannels" : "+pubsub|channels")
                    + "). Locks work; the endpoint shows this instance alone.");
        }
    }
}
