/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import org.jspecify.annotations.Nullable;

/**
 * The channels in a cluster on which instances were last seen. An instance has one in each shard, with a tag that other
 * instances learn from Redis: from an id in an entry, or by {@code PUBSUB SHARDCHANNELS}. An address may be out of
 * date. The {@value #KNOWN} latest are kept.
 */
final class InstanceAddresses {

    private static final int KNOWN = 1_024;

    private final RecentTexts known = new RecentTexts(KNOWN);

    /** The public id of the instance that has this address. */
    static String instance(String address) {
        int tag = address.indexOf('{');
        return tag < 0 ? address : address.substring(0, tag);
    }

    /** Ignores an id without a tag, which names an instance but no channel of a cluster. */
    void learn(String address) {
        if (InstanceMessage.isAddress(address) && !InstanceMessage.isInstance(address)) {
            known.put(instance(address), address);
        }
    }

    @Nullable
    String of(String instance) {
        return known.get(instance);
    }
}
