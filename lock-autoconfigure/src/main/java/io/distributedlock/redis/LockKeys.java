package io.distributedlock.redis;

import org.jspecify.annotations.Nullable;

/** Keys and channels. The braces make everything of one lock lie in one slot of a cluster. */
final class LockKeys {

    private final String prefix;

    private final String channelPrefix;

    /** @throws IllegalArgumentException if the prefix has braces, which would be taken for the hash tag */
    LockKeys(String prefix) {
        if (prefix.indexOf('{') >= 0 || prefix.indexOf('}') >= 0) {
            throw new IllegalArgumentException("The key prefix '" + prefix + "' must not contain braces");
        }
        this.prefix = prefix;
        this.channelPrefix = prefix + "instance:";
    }

    /** The entry of a lock. */
    String entry(String name) {
        return prefix + '{' + NameCodec.encode(name) + '}';
    }

    /** The ids that were cancelled with unknown outcome, beside the given entry. */
    String cancelled(String entry) {
        return entry + "cancelled";
    }

    /** The name of an entry, or null if it is too long to be read from there. */
    @Nullable
    String nameOf(String entry) {
        int start = prefix.length() + 1;
        return entry.startsWith(prefix) && entry.length() > start
                ? NameCodec.decode(entry.substring(start, entry.length() - 1))
                : null;
    }

    /** What stands before the public id of an instance in the name of its channel. */
    String channelPrefix() {
        return channelPrefix;
    }
}
