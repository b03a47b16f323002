/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.NanoClock;
import io.distributedlock.logging.SafeLog;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The label of this instance in one key, for the case that it dies and cannot reply to requests. The key exists while
 * this instance has a hold that is {@value #OLD_MILLIS} ms old or older, and outlives the longest lease of these; it is
 * written up to {@value #PAUSE_MILLIS} ms later, at the next look. So the label of a dead holder exists as long as its
 * locks do. An instance whose holds are short has no key and sends nothing, and none of its locks costs an additional
 * command.
 */
final class InstanceLabelKey implements AutoCloseable {

    private static final Log log = SafeLog.of(InstanceLabelKey.class);

    static final long OLD_MILLIS = 10_000;

    private static final long PAUSE_MILLIS = 5_000;

    private static final long PAUSE_WHILE_WRITTEN_MILLIS = 1_000;

    /** The key is written for that much longer than the longest lease, and again when half of it is gone. */
    private static final long BEYOND_MILLIS = 60_000;

    private static final long FAREWELL_MILLIS = 200;

    private static final String FIELD = "label";

    private static final String WRITE = LuaScript.text("label.lua");

    private final RedisConnections connections;

    private final LockKeys keys;

    private final String self;

    private final String key;

    private final Supplier<String> label;

    private final BooleanSupplier inUse;

    private final LongUnaryOperator longestLease;

    private final ReplyQueue thread;

    private volatile boolean written;

    /** The last write was refused, or has had no reply: the key may be missing. */
    private volatile boolean failed;

    private volatile boolean closed;

    private long writtenUntil;

    /**
     * @param label the label of this instance
     * @param inUse whether this instance holds or waits for any lock, so that a check is needed
     * @param longestLease returns the longest remaining lease in nanoseconds of the holds that are at least as old as
     *     the argument, also in nanoseconds; 0 if there is none
     * @param thread runs the checks of the holds
     */
    InstanceLabelKey(
            RedisConnections connections,
            LockKeys keys,
            InstanceId self,
            Supplier<String> label,
            BooleanSupplier inUse,
            LongUnaryOperator longestLease,
            ReplyQueue thread) {
        this.connections = connections;
        this.keys = keys;
        this.self = self.publicPart();
        this.key = keys.label(self.publicPart());
        this.label = label;
        this.inUse = inUse;
        this.longestLease = longestLease;
        this.thread = thread;
    }

    /** Begins the checks. */
    void start() {
        try {
            connections.later(
                    () -> {
                        if (!closed) {
                            if (written || inUse.getAsBoolean()) {
                                thread.add(() -> look(NanoClock.SYSTEM.nanos()));
                            }
                            start();
                        }
                    },
                    written ? PAUSE_WHILE_WRITTEN_MILLIS : PAUSE_MILLIS);
        } catch (RejectedExecutionException ex) {
            log.debug("The instance stops");
        }
    }

    /** Not called by two threads at once. */
    void look(long now) {
        if (label.get().equals(self)) {
            return;
        }
        long lease = longestLease.applyAsLong(TimeUnit.MILLISECONDS.toNanos(OLD_MILLIS));
        if (lease > 0) {
            keepFor(TimeUnit.NANOSECONDS.toMillis(lease), now);
        } else if (written) {
            written = false;
            delete();
        }
    }

    private void keepFor(long leaseMillis, long now) {
        long needed = now + TimeUnit.MILLISECONDS.toNanos(leaseMillis + BEYOND_MILLIS / 2);
        if (written && !failed && writtenUntil - needed >= 0) {
            return;
        }
        written = true;
        failed = false;
        long millis = leaseMillis + BEYOND_MILLIS;
        writtenUntil = now + TimeUnit.MILLISECONDS.toNanos(millis);
        CommandArgs<String, String> operands = arguments()
                .add(WRITE)
                .add(1)
                .addKey(key)
                .add(InstanceMessage.cut(label.get()))
                .add(millis);
        send(CommandType.EVAL, new StatusOutput<>(StringCodec.UTF8), operands).whenComplete((done, failure) -> {
            if (failure != null) {
                failed = true;
                log.debug("The label of this instance could not be written", failure);
            }
        });
    }

    private CompletableFuture<Long> delete() {
        return send(
                CommandType.DEL,
                new IntegerOutput<>(StringCodec.UTF8),
                arguments().addKey(key));
    }

    /** The label that an instance has written; null if there is none. Never fails. */
    CompletableFuture<@Nullable String> of(String instance) {
        CommandArgs<String, String> operands =
                arguments().addKey(keys.label(instance)).add(FIELD);
        CompletableFuture<@Nullable String> found =
                send(CommandType.HGET, new ValueOutput<>(StringCodec.UTF8), operands);
        return found.exceptionally(failure -> null);
    }

    private static CommandArgs<String, String> arguments() {
        return new CommandArgs<>(StringCodec.UTF8);
    }

    private <T> CompletableFuture<T> send(
            CommandType type, CommandOutput<String, String, T> output, CommandArgs<String, String> operands) {
        RedisConnections.CommandWriter writer = connections.commands();
        if (writer == null) {
            return CompletableFuture.failedFuture(connections.notConnected());
        }
        AsyncCommand<String, String, T> command = new AsyncCommand<>(new Command<>(type, output, operands));
        try {
            writer.write(command);
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(ex);
        }
        return command.toCompletableFuture();
    }

    /** An instance that stops regularly deletes its key. */
    @Override
    public void close() {
        closed = true;
        if (written) {
            try {
                delete().get(FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            } catch (TimeoutException | ExecutionException ex) {
                log.debug("The label of this instance goes with its time", ex);
            }
        }
    }
}
