/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.logging.SafeLog;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.commons.logging.Log;

/**
 * Checks once, when the first connections are open, whether the scripts can send messages here: a user may lack the
 * rights, and a proxy may not count the listeners at its other nodes. Locks work all the same, but are handed over
 * late, and the log shows the reason. If all of this works, nothing is logged.
 */
final class MessageProbe {

    private static final Log log = SafeLog.of(MessageProbe.class);

    /** The suffix of the instance's channel for the name of a channel without listeners. */
    private static final String NOBODY = ":nobody";

    private static final String SCRIPT = LuaScript.text("probe.lua");

    private MessageProbe() {}

    /**
     * Sends the request, and waits for the reply.
     *
     * @param channel to which this instance is subscribed
     */
    static void run(StatefulRedisConnection<String, String> redis, String channel, Duration limit)
            throws InterruptedException {
        try {
            start(redis, channel).get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException | RuntimeException ex) {
            log.debug("The check whether Redis sends messages has failed", ex);
        }
    }

    /** Sends the request. Completes when the reply was logged, if that is necessary. */
    static CompletableFuture<Void> start(StatefulRedisConnection<String, String> redis, String channel) {
        return redis.async()
                .<List<?>>eval(SCRIPT, ScriptOutputType.MULTI, new String[0], channel, channel + NOBODY)
                .thenAccept(reply -> report(reply, channel.contains("{")))
                .toCompletableFuture();
    }

    private static void report(List<?> reply, boolean sharded) {
        String missing = missing(reply, sharded);
        if (!missing.isEmpty()) {
            log.warn("Redis does not send messages between instances: " + missing
                    + ". Locks work, but a waiting instance sends requests instead of receiving messages, and"
                    + " gets a lock up to a second late.");
        }
    }

    private static String missing(List<?> reply, boolean sharded) {
        List<String> refused = new ArrayList<>();
        refuse(
                refused,
                sharded ? "PUBSUB SHARDNUMSUB" : "PUBSUB NUMSUB",
                reply.get(1).toString());
        refuse(refused, sharded ? "SPUBLISH" : "PUBLISH", reply.get(2).toString());
        if (!refused.isEmpty()) {
            return String.join(", and ", refused);
        }
        return reply.get(0).equals(0L) ? "it does not count the subscription of this instance" : "";
    }

    private static void refuse(List<String> refused, String command, String error) {
        if (!error.isEmpty()) {
            refused.add(command + " in a script is refused (" + error + ")");
        }
    }
}
