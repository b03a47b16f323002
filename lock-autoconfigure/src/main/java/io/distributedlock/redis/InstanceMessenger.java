/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.security.SecureRandom;
import java.util.concurrent.RejectedExecutionException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Sends messages to the channels of other instances; it is not known whether they arrive. */
final class InstanceMessenger {

    private static final Log log = LogFactory.getLog(InstanceMessenger.class);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final RedisConnections connections;

    private final LockKeys keys;

    private final String self;

    InstanceMessenger(RedisConnections connections, LockKeys keys, InstanceId self) {
        this.connections = connections;
        this.keys = keys;
        this.self = self.publicPart();
    }

    /** The public id of this instance. */
    String self() {
        return self;
    }

    /** A number that only the receiver of a question learns, so that nobody else can answer it. */
    static String number() {
        return Long.toHexString(RANDOM.nextLong()) + Long.toHexString(RANDOM.nextLong());
    }

    /** Whether messages can be sent. In a cluster an instance has other channels, on which it is not asked. */
    boolean isPossible() {
        return connections.commands() != null && !connections.routesByKey();
    }

    void send(String instance, String message) {
        RedisConnections.CommandWriter writer = connections.commands();
        if (writer == null || connections.routesByKey()) {
            return;
        }
        CommandArgs<String, String> operands =
                new CommandArgs<>(StringCodec.UTF8).add(keys.channel(instance)).add(message);
        try {
            writer.write(new AsyncCommand<>(
                    new Command<>(CommandType.PUBLISH, new IntegerOutput<>(StringCodec.UTF8), operands)));
        } catch (RuntimeException ex) {
            log.debug("A message to another instance could not be sent", ex);
        }
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
