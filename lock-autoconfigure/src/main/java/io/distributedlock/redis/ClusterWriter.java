/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.RedisCommand;

/** Sends each command to the master of its slot. */
final class ClusterWriter implements RedisConnections.CommandWriter {

    private final RedisChannelWriter writer;

    private final RedisClusterClient client;

    ClusterWriter(RedisChannelWriter writer, RedisClusterClient client) {
        this.writer = writer;
        this.client = client;
    }

    @Override
    public void write(RedisCommand<String, String, ?> command) {
        writer.write(command);
    }

    /**
     * A server that does not know how clients reach the others redirects to a port without a host. It means the host of
     * the server that has replied, which is the master of the slot.
     */
    @Override
    public String withAddress(String error) {
        String[] words = error.split(" ", -1);
        if (words.length < 3 || !words[2].startsWith(":")) {
            return error;
        }
        RedisClusterNode master = client.getPartitions().getMasterBySlot(Integer.parseInt(words[1]));
        return master == null
                ? error
                : words[0] + " " + words[1] + " " + master.getUri().getHost() + words[2];
    }
}
