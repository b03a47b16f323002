/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.LockNames;
import org.jspecify.annotations.Nullable;

/**
 * The labels that other instances have sent, so that an instance which no longer replies can still be named. The latest
 * {@value #KNOWN} are remembered.
 */
final class InstanceLabels {

    private static final int KNOWN = 1_024;

    private final RecentTexts known = new RecentTexts(KNOWN);

    void learn(String instance, String label) {
        known.put(instance, label);
    }

    @Nullable
    String of(String instance) {
        return known.get(instance);
    }

    /** The label and the id of an instance; without a label, the id alone. */
    String shown(String owner) {
        String label = of(owner);
        return label == null ? LockNames.show(owner) : LockNames.show(label) + " (" + owner + ")";
    }
}
