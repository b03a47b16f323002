/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.nio.channels.ClosedChannelException;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Says of a failure of Lettuce or Redis what it means for the command. */
final class LettuceFailures {

    /** First words of errors by which Redis says "not now"; the script was not run. */
    private static final Set<String> NOT_NOW = Set.of(
            "BUSY",
            "LOADING",
            "MOVED",
            "ASK",
            "READONLY",
            "MASTERDOWN",
            "CLUSTERDOWN",
            "TRYAGAIN",
            "NOREPLICAS",
            "MISCONF");

    private LettuceFailures() {}

    static LeaseStoreException translate(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof LeaseStoreException known) {
            return known;
        }
        return new LeaseStoreException(effect(cause), message(cause), cause);
    }

    private static Effect effect(Throwable cause) {
        if (cause instanceof RedisCommandExecutionException) {
            String text = String.valueOf(cause.getMessage());
            int end = text.indexOf(' ');
            return NOT_NOW.contains(end < 0 ? text : text.substring(0, end)) ? Effect.NOT_EXECUTED : Effect.REFUSED;
        }
        return isNotConnected(cause) ? Effect.NOT_EXECUTED : Effect.UNKNOWN;
    }

    static boolean isNotConnected(@Nullable Throwable cause) {
        return cause instanceof RedisException
                && String.valueOf(cause.getMessage()).contains("Currently not connected");
    }

    /** Why a connection could not be opened: what Redis said, the network, or the class path. */
    static String reason(Throwable failure) {
        Throwable cause = innermost(failure);
        if (cause instanceof LinkageError) {
            return "the versions of Lettuce and Netty on the class path do not fit (" + cause + ")";
        }
        return isClosed(failure) ? "the connection was closed at once" : message(cause);
    }

    /** Whether Redis said that it does not take writes as it is the replica of another server. */
    static boolean isOfAReplica(String error) {
        return error.contains("READONLY");
    }

    /**
     * Whether a connection was closed while it was being opened, without a word that had been heard. Lettuce has many
     * names for it.
     */
    static boolean isClosed(Throwable failure) {
        Throwable cause = innermost(failure);
        String text = String.valueOf(cause.getMessage());
        return cause instanceof ClosedChannelException
                || text.contains("closed prematurely")
                || text.contains("RedisHandshakeHandler not registered");
    }

    /**
     * Whether a server said that it takes no writes since it is not the master, or has lost touch with its replicas.
     */
    static boolean isNoMaster(String error) {
        return isOfAReplica(error) || error.contains("NOREPLICAS") || error.contains("MASTERDOWN");
    }

    static Throwable innermost(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && !(cause instanceof RedisCommandExecutionException)) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static String message(Throwable cause) {
        if (cause instanceof RedisCommandExecutionException) {
            return "Redis said: " + cause.getMessage();
        }
        if (cause instanceof CancellationException) {
            return "the command was given up";
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
