/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.logging.SafeLog;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.apache.commons.logging.Log;

/**
 * Sends messages to the channels of other instances; it is not known whether they arrive. In a cluster an instance has
 * a channel in each shard. A message goes to the one on which the instance was last seen; if it has no subscriber, or
 * its server is unavailable, the message goes to another channel that Redis lists.
 */
final class InstanceMessenger {

    private static final Log log = SafeLog.of(InstanceMessenger.class);

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Searches for channels per second, as each goes to all masters. Further messages are dropped. */
    private static final int SEARCHES = 20;

    private final RedisConnections connections;

    private final LockKeys keys;

    private final InstanceId self;

    private final FleetDirectory directory;

    private final InstanceAddresses addresses = new InstanceAddresses();

    private final PerSecondLimiter searches = new PerSecondLimiter(SEARCHES);

    InstanceMessenger(RedisConnections connections, LockKeys keys, InstanceId self, FleetDirectory directory) {
        this.connections = connections;
        this.keys = keys;
        this.self = self;
        this.directory = directory;
    }

    /** The public id of this instance. */
    String self() {
        return self.publicPart();
    }

    /** A number that only the receiver of a request gets, so that no other client can reply to it. */
    static String number() {
        return Long.toHexString(RANDOM.nextLong()) + Long.toHexString(RANDOM.nextLong());
    }

    /** Whether messages can be sent, and replies may arrive. */
    boolean isPossible() {
        return connections.commands() != null && (!connections.routesByKey() || connections.receivingSlot(0) >= 0);
    }

    /**
     * Where that instance sends its reply: in a cluster, the channel of this instance in the same shard if possible.
     */
    String replyAddress(String instance) {
        if (!connections.routesByKey()) {
            return self();
        }
        String address = addresses.of(instance);
        int slot = connections.receivingSlot(SlotHash.getSlot(keys.channel(address == null ? instance : address)));
        return slot < 0 ? self() : self.inSlot(slot);
    }

    /** Remembers a channel on which an instance was seen, if it is one. */
    void learn(String address) {
        addresses.learn(address);
    }

    /** @param to the public id of an instance, or an address from a request of it */
    void send(String to, String message) {
        if (!connections.routesByKey()) {
            publish(CommandType.PUBLISH, to, message);
            return;
        }
        String address = InstanceMessage.isInstance(to) ? addresses.of(to) : to;
        if (address == null) {
            search(to, message);
        } else {
            publish(CommandType.SPUBLISH, address, message).whenComplete((receivers, failure) -> {
                if (failure != null || receivers == 0) {
                    search(InstanceAddresses.instance(to), message);
                }
            });
        }
    }

    private void search(String instance, String message) {
        if (!searches.allows()) {
            return;
        }
        directory.addressOf(instance).whenComplete((found, failure) -> {
            if (found != null) {
                addresses.learn(found);
                publish(CommandType.SPUBLISH, found, message);
            }
        });
    }

    private CompletableFuture<Long> publish(CommandType how, String address, String message) {
        RedisConnections.CommandWriter writer = connections.commands();
        if (writer == null) {
            return CompletableFuture.failedFuture(connections.notConnected());
        }
        CommandArgs<String, String> operands = new CommandArgs<>(StringCodec.UTF8)
                .addKey(keys.channel(address))
                .add(message);
        AsyncCommand<String, String, Long> command =
                new AsyncCommand<>(new Command<>(how, new IntegerOutput<>(StringCodec.UTF8), operands));
        try {
            writer.write(command);
        } catch (RuntimeException ex) {
            log.debug("A message to another instance could not be sent", ex);
            return CompletableFuture.failedFuture(ex);
        }
        return command.toCompletableFuture();
    }

    /** Runs that after that time, or at once if this instance stops. */
    void later(long millis, Runnable task) {
        try {
            connections.later(task, millis);
        } catch (RejectedExecutionException ex) {
            task.run();
        }
    }
}
