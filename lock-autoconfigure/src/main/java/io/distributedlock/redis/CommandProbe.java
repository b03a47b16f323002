/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.composite.StageFailures;
import io.distributedlock.logging.SafeLog;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;

/**
 * Checks once, when the first connection is open, whether Redis runs the scripts and the commands in them: a user may
 * lack the rights, and some servers have no scripts. Then one warning names what is refused, before a caller is
 * affected. The start does not fail, as it does not with a wrong password: an operator can grant a right at any time.
 * If all of this works, or is refused only at present, nothing is logged here.
 */
final class CommandProbe {

    private static final Log log = SafeLog.of(CommandProbe.class);

    private static final String SCRIPT = LuaScript.text("probe-commands.lua");

    /** The suffix of the instance's channel for the name of a key that does not exist. */
    private static final String KEY = ":probe";

    private final AtomicBoolean logged = new AtomicBoolean();

    private final Runnable readOnly;

    /** @param readOnly called if a server refuses writes since it is a replica; on the event loop */
    CommandProbe(Runnable readOnly) {
        this.readOnly = readOnly;
    }

    /**
     * Sends the requests, and does not wait for the replies. Of several servers, only one is named in the log.
     *
     * @param channel of this instance, at that server
     * @param server for the message
     */
    void request(StatefulRedisConnection<String, String> redis, String channel, String server) {
        try {
            start(redis, channel).whenComplete((refused, failure) -> {
                if (failure != null) {
                    log.debug("The check which commands Redis refuses has failed", failure);
                } else if (!refused.isEmpty() && logged.compareAndSet(false, true)) {
                    log.warn("Redis refuses commands that locks need, at " + server + ": " + String.join(", ", refused)
                            + ". Calls that need them fail with LockUnavailableException. Grant the user the rights for"
                            + " locks, or use a Redis that runs scripts.");
                }
            });
        } catch (RuntimeException ex) {
            log.debug("The check which commands Redis refuses could not be sent", ex);
        }
    }

    /** Completes with the commands that are refused, and why; by hash and then by text, as all scripts. */
    private CompletableFuture<List<String>> start(StatefulRedisConnection<String, String> redis, String channel) {
        RedisAsyncCommands<String, String> commands = redis.async();
        String[] keys = {channel + KEY};
        return commands.<List<?>>evalsha(commands.digest(SCRIPT), ScriptOutputType.MULTI, keys)
                .thenApply(this::refused)
                .exceptionallyCompose(failure -> StageFailures.bare(failure) instanceof RedisNoScriptException
                        ? commands.<List<?>>eval(SCRIPT, ScriptOutputType.MULTI, keys)
                                .thenApply(this::refused)
                                .exceptionallyCompose(other -> refused("EVAL", other))
                        : refused("EVALSHA", failure))
                .toCompletableFuture();
    }

    private List<String> refused(List<?> reply) {
        List<String> refused = new ArrayList<>();
        boolean replica = false;
        for (int i = 0; i + 1 < reply.size(); i += 2) {
            String error = String.valueOf(reply.get(i + 1));
            replica |= LettuceFailures.isOfAReplica(error);
            if (!LettuceFailures.isTemporary(error)) {
                refused.add(reply.get(i) + " in a script (" + error + ")");
            }
        }
        if (replica) {
            readOnly.run();
        }
        return refused;
    }

    private static CompletionStage<List<String>> refused(String command, Throwable failure) {
        Throwable cause = StageFailures.bare(failure);
        String error = String.valueOf(cause.getMessage());
        return cause instanceof RedisCommandExecutionException && !LettuceFailures.isTemporary(error)
                ? CompletableFuture.completedFuture(
                        List.of(command + " (" + LettuceFailures.withoutArguments(error) + ")"))
                : CompletableFuture.failedFuture(failure);
    }
}
