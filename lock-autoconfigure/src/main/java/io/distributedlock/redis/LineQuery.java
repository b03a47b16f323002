/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Reads which instances wait for a lock, in the order of the line. */
final class LineQuery {

    private static final LuaScript LINE = new LuaScript("line.lua");

    private final ScriptSender scripts;

    private final LockKeys keys;

    private final Consumer<String> seen;

    /** @param seen receives the address in each acquisition id */
    LineQuery(RedisConnections connections, LockKeys keys, Consumer<String> seen) {
        this.keys = keys;
        this.seen = seen;
        this.scripts = new ScriptSender(connections, keys);
    }

    /** The public ids of that many instances from the head; the same one several times if it has several places. */
    CompletableFuture<List<String>> of(String lockName, int atMost) {
        RespArguments operands = new RespArguments().add("1");
        keys.addEntry(operands, LockNameCodec.encode(lockName));
        operands.add(atMost);
        return new ReplyFuture<List<String>>()
                .to(to -> scripts.send(
                        LINE,
                        lockName,
                        operands,
                        null,
                        new ArrayOutput<>(StringCodec.UTF8),
                        reply -> reply.stream().map(this::instance).toList(),
                        to));
    }

    /** Without the tag that it has in a cluster. */
    private String instance(Object address) {
        seen.accept(address.toString());
        return InstanceAddresses.instance(address.toString());
    }
}
