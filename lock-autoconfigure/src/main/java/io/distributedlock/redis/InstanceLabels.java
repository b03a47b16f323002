/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.LockNames;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What other instances have said that they are called, so that one which does not answer any more can still be named.
 * The latest {@value #KNOWN} are remembered.
 */
final class InstanceLabels {

    private static final int KNOWN = 1_024;

    private final Map<String, String> known = new LinkedHashMap<>(16, 0.75f, true) {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > KNOWN;
        }
    };

    synchronized void learn(String instance, String label) {
        known.put(instance, label);
    }

    synchronized @Nullable String of(String instance) {
        return known.get(instance);
    }

    /** The label and the id of an instance; what has no label stands for itself. */
    String shown(String owner) {
        String label = of(owner);
        return label == null ? LockNames.show(owner) : LockNames.show(label) + " (" + owner + ")";
    }
}
