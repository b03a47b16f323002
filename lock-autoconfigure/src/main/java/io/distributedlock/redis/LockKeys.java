/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.cluster.SlotHash;
import org.jspecify.annotations.Nullable;

/** Keys and channels. The braces put all keys of one lock into one slot of a cluster. */
final class LockKeys {

    private final String prefix;

    private final String entryStart;

    /** @throws IllegalArgumentException if the prefix has braces, which would be read as the hash tag */
    LockKeys(String prefix) {
        if (prefix.indexOf('{') >= 0 || prefix.indexOf('}') >= 0) {
            throw new IllegalArgumentException("The key prefix '" + prefix + "' must not contain braces");
        }
        this.prefix = prefix;
        this.entryStart = prefix + '{';
    }

    /** The prefix of all keys and channels. */
    String prefix() {
        return prefix;
    }

    /** The entry of a lock. */
    String entry(String name) {
        return entryStart + LockNameCodec.encode(name) + '}';
    }

    /** Adds the entry of a lock, whose name is already encoded. */
    void addEntry(RespArguments words, String encodedName) {
        words.add(entryStart, encodedName, "}");
    }

    /** Adds the key of the ids of that lock that were cancelled with unknown outcome. */
    void addCancelled(RespArguments words, String encodedName) {
        words.add(entryStart, encodedName, "}cancelled");
    }

    /** The name of an entry, or null if it is too long to be read from there. */
    @Nullable
    String nameOf(String entry) {
        int start = entryStart.length();
        return entry.startsWith(prefix) && entry.length() > start
                ? LockNameCodec.decode(entry.substring(start, entry.length() - 1))
                : null;
    }

    /** The channel of an instance. The scripts derive it from the key of an entry. */
    String channel(InstanceId instance) {
        return channel(instance.publicPart());
    }

    /** The channel of the instance with that public id. */
    String channel(String instance) {
        return prefix + "instance:" + instance;
    }

    /** The key of the label of the instance with that public id. An entry has a brace there. */
    String label(String instance) {
        return prefix + "instance:" + instance;
    }

    /** The channel of an instance in that slot of a cluster. */
    String channel(InstanceId instance, int slot) {
        return prefix + "instance:" + instance.inSlot(slot);
    }

    /** The slot of a lock in a cluster. */
    int slot(String name) {
        return SlotHash.getSlot(entry(name));
    }
}
