/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads which instances wait for a lock, in the order of the line. */
final class WaitingLine {

    private static final LuaScript LINE = new LuaScript("line.lua");

    private final ScriptSender scripts;

    private final LockKeys keys;

    WaitingLine(RedisConnections connections, LockKeys keys) {
        this.keys = keys;
        this.scripts = new ScriptSender(connections, keys);
    }

    /** The public ids of the first so many instances; the same one several times if it has several places. */
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
                        reply -> reply.stream().map(WaitingLine::instance).toList(),
                        to));
    }

    /** Without the tag that it has in a cluster. */
    private static String instance(Object id) {
        String text = id.toString();
        int tag = text.indexOf('{');
        return tag < 0 ? text : text.substring(0, tag);
    }
}
