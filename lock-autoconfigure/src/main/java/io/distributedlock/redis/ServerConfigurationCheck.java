/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.logging.SafeLog;
import io.lettuce.core.api.async.RedisServerAsyncCommands;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Checks once whether the configuration of the server can lose locks, and logs a warning if it can. Without the right
 * to this check, nothing is logged.
 *
 * <p>The data are in the sections "memory" and "replication" of the <a
 * href="https://redis.io/docs/latest/commands/info/">INFO command</a>.
 */
final class ServerConfigurationCheck {

    private static final Log log = SafeLog.of(ServerConfigurationCheck.class);

    private ServerConfigurationCheck() {}

    /**
     * Sends the request, and does not wait for the reply.
     *
     * @param acknowledging how many replicas have to confirm each grant
     */
    static void run(RedisServerAsyncCommands<?, ?> redis, int acknowledging) {
        try {
            request(redis, acknowledging);
        } catch (RuntimeException ex) {
            log.debug("The configuration of Redis could not be read", ex);
        }
    }

    private static void request(RedisServerAsyncCommands<?, ?> redis, int acknowledging) {
        requestMemory(redis, () -> true);
        redis.info("replication")
                .thenAccept(text -> checkReplication(fields(text), acknowledging))
                .exceptionally(ServerConfigurationCheck::unknown);
    }

    /**
     * Sends the request for what may evict locks, and does not wait for the reply.
     *
     * @param first whether no other server of the cluster has been warned of
     */
    static void runInCluster(RedisServerAsyncCommands<?, ?> redis, BooleanSupplier first) {
        try {
            requestMemory(redis, first);
        } catch (RuntimeException ex) {
            log.debug("The configuration of Redis could not be read", ex);
        }
    }

    private static void requestMemory(RedisServerAsyncCommands<?, ?> redis, BooleanSupplier first) {
        redis.info("memory")
                .thenAccept(text -> checkMemory(fields(text), first))
                .exceptionally(ServerConfigurationCheck::unknown);
    }

    private static @Nullable Void unknown(Throwable failure) {
        log.debug("The configuration of Redis could not be read: " + failure.getMessage());
        return null;
    }

    private static void checkMemory(Map<String, String> memory, BooleanSupplier first) {
        String policy = memory.getOrDefault("maxmemory_policy", "noeviction");
        boolean limited = !memory.getOrDefault("maxmemory", "0").equals("0");
        if (limited && !policy.equals("noeviction") && first.getAsBoolean()) {
            log.warn("Redis may evict locks when its memory is full, and then two callers hold the same one: its"
                    + " maxmemory-policy is " + policy
                    + ". Set it to noeviction, or use a separate Redis for the locks.");
        }
    }

    private static void checkReplication(Map<String, String> replication, int acknowledging) {
        String connected = replication.get("connected_slaves");
        if (connected == null) {
            return;
        }
        int replicas = Integer.parseInt(connected);
        if (replicas < acknowledging) {
            log.warn("No lock can be granted: only " + replicas + " of the " + acknowledging + " replicas that"
                    + " distributed-lock.replicas.acknowledge requires are connected to Redis. Connect more replicas,"
                    + " or require fewer.");
        } else if (replicas > 0 && acknowledging == 0) {
            log.warn("Redis replicates without waiting for its replicas, so the latest locks may be missing after a"
                    + " failover, and two callers may hold the same one. Check fencing tokens where two holders would"
                    + " do harm, or set distributed-lock.replicas.acknowledge.");
        }
    }

    private static Map<String, String> fields(String text) {
        Map<String, String> fields = new HashMap<>();
        for (String line : text.lines().toList()) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
        return fields;
    }
}
