/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A Redis of some topology that the contract is run against. */
interface LockServer {

    /** A started factory, as an application has one. The caller destroys it. */
    LettuceConnectionFactory newConnectionFactory();

    /** All servers. */
    List<EmbeddedRedis> servers();

    /** The command by which scripts send messages. */
    default String publishCommand() {
        return "publish";
    }

    /** What an instance sends to a server from time to time, whatever its locks do. */
    default Set<String> routineCommands() {
        return Set.of();
    }

    /** The server that has this key. */
    EmbeddedRedis serverOf(String key);

    /** All keys with the given prefix. */
    default List<String> keys(String prefix) {
        List<String> keys = new ArrayList<>();
        for (EmbeddedRedis server : servers()) {
            try (RespClient client = server.connect()) {
                keys.addAll(client.keys(prefix + "*"));
            }
        }
        return keys;
    }
}
