/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStore.StoreCall;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call of a script: the command that Lettuce writes and the receiver of its reply, without a future in between.
 * Sends the script's hash, then its text if Redis does not know it. A call that is cancelled before it was written is
 * never written.
 *
 * <p>A command with two keys is refused while their slot moves (TRYAGAIN), since one of the keys normally does not
 * exist. Then it is sent with one key. A command that is written again, since it was redirected for example, has the
 * operands of that time: the lowest token that it may get has grown since.
 *
 * <p>Lettuce may report more than one end: for a cancelled command that gets a reply all the same, or for a reply that
 * could not be read. Only the first counts.
 */
final class ScriptCommand<A, T> extends Command<String, String, A> implements StoreCall {

    private final RedisConnections.CommandWriter writer;

    private final LuaScript script;

    private final @Nullable OperandSource source;

    private final Function<A, T> read;

    private final ServerReplies replies;

    /** The receiver of the reply; null after it has got the reply. */
    @GuardedBy("this")
    private @Nullable Reply<T> to;

    private RespArguments operands;

    private boolean asText;

    private boolean moving;

    private boolean redirected;

    private boolean written;

    /** The operands of a command for a cluster. */
    interface OperandSource {

        /** @param oneKey whether the slot of the lock moves between two servers */
        RespArguments operands(boolean oneKey);
    }

    /** Receives errors and routes of the replies, on the network's thread. */
    interface ServerReplies {

        void error(String error);

        /** @param byAsk whether the slot moves, and another server than its master runs the command */
        default void routed(boolean byAsk) {}
    }

    /** A call for the only server. */
    ScriptCommand(
            RedisConnections.CommandWriter writer,
            LuaScript script,
            RespArguments operands,
            CommandOutput<String, String, A> output,
            Function<A, T> read,
            Reply<T> to,
            ServerReplies replies) {
        this(writer, null, script, operands, null, output, read, to, replies);
    }

    /**
     * @param key makes Lettuce choose the server that has it, and follow redirections; null if there is no choice
     * @param source the operands of each further writing, or null if they never change
     */
    ScriptCommand(
            RedisConnections.CommandWriter writer,
            @Nullable String key,
            LuaScript script,
            RespArguments operands,
            @Nullable OperandSource source,
            CommandOutput<String, String, A> output,
            Function<A, T> read,
            Reply<T> to,
            ServerReplies replies) {
        super(CommandType.EVALSHA, output, key == null ? null : new CommandArgs<>(StringCodec.UTF8).addKey(key));
        this.writer = writer;
        this.source = source;
        this.script = script;
        this.operands = operands;
        this.read = read;
        this.replies = replies;
        this.to = to;
    }

    ScriptCommand<A, T> send() {
        redirected = false;
        try {
            writer.write(this);
        } catch (RuntimeException ex) {
            completeExceptionally(ex);
        }
        return this;
    }

    @Override
    public void encode(ByteBuf buffer) {
        if (written && source != null) {
            operands = source.operands(moving);
        }
        written = true;
        script.writeCall(asText, operands, buffer);
    }

    /** Lettuce reads the redirection from here. For ASK, it does not know a server that leaves its host out. */
    @Override
    public CommandOutput<String, String, A> getOutput() {
        if (output.hasError() && output.getError().startsWith("ASK ")) {
            redirected = true;
            replies.routed(true);
            output.setError(writer.withAddress(output.getError()));
        }
        return output;
    }

    @Override
    public void complete() {
        String error = output.getError();
        if (error != null && error.startsWith("NOSCRIPT") && !asText && !isDone()) {
            asText = true;
            output.setError((String) null);
            send();
        } else if (error != null && error.startsWith("TRYAGAIN") && source != null && !moving && !isDone()) {
            moving = true;
            output.setError((String) null);
            send();
        } else if (error != null) {
            replies.error(error);
            completeExceptionally(new RedisCommandExecutionException(LettuceFailures.withoutArguments(error)));
        } else {
            succeed();
        }
    }

    private void succeed() {
        if (!redirected) {
            replies.routed(false);
        }
        Reply<T> receiver = end(ST_COMPLETED);
        if (receiver != null) {
            deliver(receiver);
        }
    }

    private void deliver(Reply<T> receiver) {
        T reply;
        try {
            reply = read.apply(output.get());
        } catch (LeaseStoreException ex) {
            receiver.replied(null, ex);
            return;
        } catch (RuntimeException ex) {
            receiver.replied(null, new LeaseStoreException(Effect.UNKNOWN, "Unexpected reply of Redis", ex));
            return;
        }
        receiver.replied(reply, null);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        Reply<T> receiver = end(ST_COMPLETED);
        if (receiver != null) {
            receiver.replied(null, LettuceFailures.translate(failure));
        }
        return receiver != null;
    }

    @Override
    public void cancel() {
        Reply<T> receiver = end(ST_CANCELLED);
        if (receiver != null) {
            receiver.replied(null, LettuceFailures.translate(new CancellationException()));
        }
    }

    private synchronized @Nullable Reply<T> end(byte how) {
        Reply<T> receiver = to;
        if (receiver != null) {
            to = null;
            status = how;
        }
        return receiver;
    }
}
