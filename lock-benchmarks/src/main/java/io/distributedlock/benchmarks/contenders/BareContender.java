/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * The minimum of a re-entrant lock with a lease: one script acquires it and one script releases it, on one connection,
 * and the caller waits for both replies. It is the base line for all others without contention. With contention, it
 * polls.
 */
final class BareContender implements Contender {

    private static final String LEASE_MILLIS = "30000";

    private static final String ACQUIRE = """
            if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
                redis.call('hincrby', KEYS[1], ARGV[2], 1)
                redis.call('pexpire', KEYS[1], ARGV[1])
                return 1
            end
            return 0
            """;

    private static final String RELEASE = """
            if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then
                return -1
            end
            local count = redis.call('hincrby', KEYS[1], ARGV[2], -1)
            if count > 0 then
                redis.call('pexpire', KEYS[1], ARGV[1])
            else
                redis.call('del', KEYS[1])
            end
            return count
            """;

    private final String client = UUID.randomUUID().toString();

    private final RedisClient redis;

    private final StatefulRedisConnection<String, String> connection;

    private final RedisScriptingAsyncCommands<String, String> commands;

    private final String acquire;

    private final String release;

    BareContender(int port) {
        redis = RedisClient.create(RedisURI.create("127.0.0.1", port));
        connection = redis.connect();
        commands = connection.async();
        acquire = connection.sync().scriptLoad(ACQUIRE);
        release = connection.sync().scriptLoad(RELEASE);
    }

    @Override
    public Held acquire(String name) throws Exception {
        String key = "bare:{" + name + "}";
        String owner = client + ":" + Thread.currentThread().getId();
        while (call(acquire, key, owner) == 0) {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedException();
            }
        }
        return () -> {
            if (call(release, key, owner) < 0) {
                throw new IllegalStateException("The lock was not held any more");
            }
        };
    }

    private long call(String script, String key, String owner) throws Exception {
        return commands.<Long>evalsha(script, ScriptOutputType.INTEGER, new String[] {key}, LEASE_MILLIS, owner)
                .get(60, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        connection.close();
        redis.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
