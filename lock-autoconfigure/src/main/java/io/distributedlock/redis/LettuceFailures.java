/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.composite.StageFailures;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Derives the outcome of a command from a failure of Lettuce or Redis. */
final class LettuceFailures {

    /** First words of temporary errors of Redis, which it returns before a script writes anything. */
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

    /** First words of errors with which Redis refuses a command, unless a script has caused them. */
    private static final Set<String> NEVER = Set.of("NOPERM", "NOAUTH", "NOSCRIPT", "DENIED", "CROSSSLOT", "OOM");

    private LettuceFailures() {}

    static LeaseStoreException translate(Throwable failure) {
        Throwable cause = StageFailures.bare(failure);
        if (cause instanceof LeaseStoreException known) {
            return known;
        }
        return new LeaseStoreException(effect(cause), message(cause), cause);
    }

    private static Effect effect(Throwable cause) {
        if (cause instanceof RedisCommandExecutionException) {
            return effect(String.valueOf(cause.getMessage()));
        }
        return isNotConnected(cause) || isBeforeWriting(cause) ? Effect.NOT_EXECUTED : Effect.UNKNOWN;
    }

    private static Effect effect(String error) {
        if (isTemporary(error)) {
            return Effect.NOT_EXECUTED;
        }
        return isBeforeTheScript(error) ? Effect.REFUSED : Effect.PARTIAL;
    }

    /** A script that fails has executed its commands up to that point. */
    private static boolean isBeforeTheScript(String error) {
        boolean refused = NEVER.contains(firstWord(error)) || error.startsWith("ERR unknown command");
        return refused && !error.contains("user_script") && !error.contains("script: ");
    }

    /**
     * Whether there was no connection to write to. In a cluster, Lettuce opens the connection to a server when the
     * first command for it is sent, and fails if no server has the slot.
     */
    private static boolean isBeforeWriting(Throwable cause) {
        return cause instanceof PartitionException
                || (cause instanceof RedisConnectionException
                        && String.valueOf(cause.getMessage()).startsWith("Unable to connect"));
    }

    static boolean isNotConnected(@Nullable Throwable cause) {
        return cause instanceof RedisException
                && String.valueOf(cause.getMessage()).contains("Currently not connected");
    }

    /** Why a connection could not be opened: an error of Redis, the network, or the class path. */
    static String reason(Throwable failure) {
        Throwable cause = innermost(failure);
        if (cause instanceof LinkageError) {
            return "the versions of Lettuce and Netty on the class path do not fit (" + cause + ")";
        }
        return isClosed(failure) ? "the connection was closed at once" : message(cause);
    }

    /** The same with the address, if Netty knows it: a server of a cluster may announce one that is not configured. */
    static String reasonWithAddress(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException && cause.getCause() != null) {
                return String.valueOf(cause.getMessage()).replace(": /", ": ");
            }
        }
        return reason(failure);
    }

    /** Whether Redis may accept the same command soon. */
    static boolean isTemporary(String error) {
        // WAIT at a server that has become a replica since the write has no error code of its own.
        return NOT_NOW.contains(firstWord(error)) || error.startsWith("ERR WAIT cannot be used with replica");
    }

    /** Whether Redis runs a long script and executes no other command meanwhile. Subscriptions remain. */
    static boolean isBusy(String error) {
        return firstWord(error).equals("BUSY");
    }

    private static String firstWord(String error) {
        int end = error.indexOf(' ');
        return end < 0 ? error : error.substring(0, end);
    }

    /** Whether Redis refuses writes since it is the replica of another server. */
    static boolean isOfAReplica(String error) {
        return error.contains("READONLY");
    }

    /**
     * Whether a connection was closed while it was being opened, before any reply. Lettuce has several exceptions for
     * it.
     */
    static boolean isClosed(Throwable failure) {
        Throwable cause = innermost(failure);
        String text = String.valueOf(cause.getMessage());
        return cause instanceof ClosedChannelException
                || text.contains("closed prematurely")
                || text.contains("RedisHandshakeHandler not registered");
    }

    /** Whether a server refuses writes since it is not the master, or has lost the connection to its replicas. */
    static boolean isNoMaster(String error) {
        return isOfAReplica(error) || error.contains("NOREPLICAS") || error.contains("MASTERDOWN");
    }

    /** For an unknown command, Redis repeats the arguments, which contain an acquisition id. */
    static String withoutArguments(String error) {
        int arguments = error.indexOf(", with args beginning with");
        return arguments < 0 ? error : error.substring(0, arguments);
    }

    static Throwable innermost(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && !(cause instanceof RedisCommandExecutionException)) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** The message, or the name of an exception that has none, such as that of a closed channel. */
    static String text(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    private static String message(Throwable cause) {
        if (cause instanceof RedisCommandExecutionException) {
            return "Redis returned: " + cause.getMessage();
        }
        if (cause instanceof CancellationException) {
            return "the command was cancelled";
        }
        return text(cause);
    }
}
