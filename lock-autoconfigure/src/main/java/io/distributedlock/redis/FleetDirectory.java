/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.KeyListOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Which instances there are: those whose channels have a listener ({@code PUBSUB CHANNELS}). So nothing has to be
 * written, renewed or cleaned up for it, and an instance that has died is gone with its connection. The command looks
 * at all channels of the server, so only an operator's question sends it.
 */
final class FleetDirectory {

    private static final Log log = LogFactory.getLog(FleetDirectory.class);

    private final RedisConnections connections;

    private final String channels;

    private final AtomicBoolean refusalTold = new AtomicBoolean();

    FleetDirectory(RedisConnections connections, LockKeys keys) {
        this.connections = connections;
        this.channels = keys.channel("");
    }

    /** The public ids of all instances, this one too. */
    CompletableFuture<List<String>> instances() {
        RedisConnections.CommandWriter writer = connections.commands();
        if (writer == null || connections.routesByKey()) {
            return CompletableFuture.failedFuture(connections.notConnected());
        }
        CommandArgs<String, String> operands =
                new CommandArgs<>(StringCodec.UTF8).add("CHANNELS").add(pattern());
        AsyncCommand<String, String, List<String>> command =
                new AsyncCommand<>(new Command<>(CommandType.PUBSUB, new KeyListOutput<>(StringCodec.UTF8), operands));
        try {
            writer.write(command);
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(ex);
        }
        return command.toCompletableFuture()
                .thenApply(this::idsIn)
                .whenComplete((ids, failure) -> tellRefusal(failure));
    }

    /** The prefix may have characters that stand for others in a pattern. */
    private String pattern() {
        return channels.replaceAll("([\\\\*?\\[\\]^])", "\\\\$1") + "*";
    }

    private List<String> idsIn(List<String> found) {
        return found.stream()
                .filter(channel -> channel.startsWith(channels))
                .map(channel -> channel.substring(channels.length()))
                .filter(InstanceMessage::isInstance)
                .sorted()
                .toList();
    }

    private void tellRefusal(@Nullable Throwable failure) {
        Throwable cause = failure == null || failure.getCause() == null ? failure : failure.getCause();
        boolean refused = cause != null && String.valueOf(cause.getMessage()).startsWith("NOPERM");
        if (refused && refusalTold.compareAndSet(false, true)) {
            log.warn("Redis does not allow this user to see which instances there are (+pubsub|channels). Locks work;"
                    + " the endpoint shows this instance alone.");
        }
    }
}
