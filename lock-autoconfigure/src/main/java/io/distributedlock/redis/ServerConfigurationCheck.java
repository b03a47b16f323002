/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.api.async.RedisServerAsyncCommands;
import java.util.HashMap;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Looks once whether the server is set up to keep locks, and warns if it is not. A user who may not ask is not
 * bothered.
 *
 * <p>What is read is in the sections "memory" and "replication" of the <a
 * href="https://redis.io/docs/latest/commands/info/">INFO command</a>.
 */
final class ServerConfigurationCheck {

    private static final Log log = LogFactory.getLog(ServerConfigurationCheck.class);

    private ServerConfigurationCheck() {}

    /** Asks, and does not wait for the answer. */
    static void of(RedisServerAsyncCommands<?, ?> redis) {
        try {
            ask(redis);
        } catch (RuntimeException ex) {
            log.debug("Redis could not be asked how it is set up", ex);
        }
    }

    private static void ask(RedisServerAsyncCommands<?, ?> redis) {
        redis.info("memory")
                .thenAccept(text -> checkMemory(fields(text)))
                .exceptionally(ServerConfigurationCheck::unknown);
        redis.info("replication")
                .thenAccept(text -> checkReplication(fields(text)))
                .exceptionally(ServerConfigurationCheck::unknown);
    }

    private static @Nullable Void unknown(Throwable failure) {
        log.debug("Redis does not tell how it is set up: " + failure.getMessage());
        return null;
    }

    private static void checkMemory(Map<String, String> memory) {
        String policy = memory.getOrDefault("maxmemory_policy", "noeviction");
        boolean limited = !memory.getOrDefault("maxmemory", "0").equals("0");
        if (limited && !policy.equals("noeviction")) {
            log.warn("Redis may evict locks when its memory is full, and then two callers hold the same one: its"
                    + " maxmemory-policy is " + policy
                    + ". Set it to noeviction, or keep locks in a Redis of their own.");
        }
    }

    private static void checkReplication(Map<String, String> replication) {
        if (!replication.getOrDefault("connected_slaves", "0").equals("0")) {
            log.warn("Redis replicates without waiting for its replicas, so the latest locks may be missing after a"
                    + " failover, and two callers may hold the same one. Guard what must not be written twice by"
                    + " fencing tokens.");
        }
    }

    private static Map<String, String> fields(String text) {
        Map<String, String> fields = new HashMap<>();
        for (String line : text.split("\\R")) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
        return fields;
    }
}
