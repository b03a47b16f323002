/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.testing.RespClient;
import java.util.List;

/**
 * A resource that checks fencing tokens, as a database would: it takes no write with a lower token than the highest.
 */
public final class FencedStore {

    private static final String SCRIPT = """
            if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[1]) or '0') then
              redis.call('INCR', KEYS[3])
              return 0
            end
            redis.call('SET', KEYS[1], ARGV[1])
            redis.call('RPUSH', KEYS[2], ARGV[1])
            return 1
            """;

    private FencedStore() {}

    /** Returns whether the write was accepted. */
    static boolean write(RespClient redis, long token) {
        return write(redis, "store", token);
    }

    /** The same for a store of that name. */
    public static boolean write(RespClient redis, String store, long token) {
        return redis.number(
                        "EVAL",
                        SCRIPT,
                        "3",
                        store + ":highest",
                        store + ":accepted",
                        store + ":refused",
                        Long.toString(token))
                == 1;
    }

    /** The tokens of all writes that were accepted, in order. */
    static List<Long> accepted(RespClient redis) {
        return accepted(redis, "store");
    }

    /** The same for a store of that name. */
    public static List<Long> accepted(RespClient redis, String store) {
        return redis.list("LRANGE", store + ":accepted", "0", "-1").stream()
                .map(Long::valueOf)
                .toList();
    }
}
