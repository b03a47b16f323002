/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStore.StoreCall;
import io.distributedlock.engine.LeaseStoreException;
import io.lettuce.core.output.CommandOutput;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends calls of scripts to the server that has the lock. */
final class ScriptSender {

    private final RedisConnections connections;

    private final LockKeys keys;

    private final ScriptCommand.ServerReplies errors;

    ScriptSender(RedisConnections connections, LockKeys keys) {
        this.connections = connections;
        this.keys = keys;
        this.errors = connections::receivedError;
    }

    /** A call with one key, or with keys that all exist. */
    <T> StoreCall send(
            LuaScript script, String name, RespArguments operands, Function<IntegerListOutput, T> read, Reply<T> to) {
        return send(script, name, operands, null, new IntegerListOutput(), read, to);
    }

    /**
     * @param name the lock
     * @param source the operands of each further writing, see {@link ScriptCommand}; null if they never change
     */
    <A, T> StoreCall send(
            LuaScript script,
            String name,
            RespArguments operands,
            ScriptCommand.@Nullable OperandSource source,
            CommandOutput<String, String, A> output,
            Function<A, T> read,
            Reply<T> to) {
        RedisConnections.CommandWriter redis = connections.commands();
        if (redis == null) {
            to.replied(null, connections.notConnected());
            return () -> {};
        }
        Reply<T> receiver = connections.isInTrouble() ? (reply, failure) -> to.replied(reply, explain(failure)) : to;
        if (!connections.routesByKey()) {
            return new ScriptCommand<>(redis, null, script, operands, source, output, read, receiver, errors).send();
        }
        String key = keys.entry(name);
        Reply<T> permitted = connections.permit(key, receiver);
        if (permitted == null) {
            return () -> {};
        }
        return new ScriptCommand<>(redis, key, script, operands, source, output, read, permitted, repliesFor(name))
                .send();
    }

    private ScriptCommand.ServerReplies repliesFor(String name) {
        return new ScriptCommand.ServerReplies() {
            @Override
            public void error(String error) {
                connections.receivedError(error);
            }

            @Override
            public void routed(boolean byAsk) {
                connections.routed(name, byAsk);
            }
        };
    }

    /** "Not connected" is of no use without the reason. */
    private @Nullable Throwable explain(@Nullable Throwable failure) {
        boolean unexplained =
                failure instanceof LeaseStoreException known && LettuceFailures.isNotConnected(known.getCause());
        return unexplained ? connections.notConnected() : failure;
    }
}
