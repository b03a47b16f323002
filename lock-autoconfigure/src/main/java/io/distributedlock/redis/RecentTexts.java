/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A text for each of a number of keys. Beyond that number, the entry that was not used for the longest time is lost.
 */
final class RecentTexts {

    @GuardedBy("this")
    private final Map<String, String> entries;

    RecentTexts(int limit) {
        entries = new LinkedHashMap<>(16, 0.75f, true) {

            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
                return size() > limit;
            }
        };
    }

    synchronized void put(String key, String text) {
        entries.put(key, text);
    }

    synchronized @Nullable String get(String key) {
        return entries.get(key);
    }
}
