/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The origin of a request for operators: the value of the tag {@code lock} of its metrics and spans, and its method. An
 * application has few different ones, so a label never contains a key. Immutable.
 *
 * @param label a fixed text, not blank; {@code @DistributedLocked} uses its {@code name}, or else {@code Class.method}
 * @param method the method, or null if the request does not come from an annotated one
 * @param skipsWhenBusy whether the caller skips its work if the lock is busy
 * @since 0.1.0
 */
public record LockOrigin(String label, @Nullable String method, boolean skipsWhenBusy) {

    /** The origin of requests without one. */
    public static final LockOrigin NONE = new LockOrigin("none", null, false);

    /**
     * Checks the label.
     *
     * @param label a fixed text, not blank
     * @param method the method, or null if the request does not come from an annotated one
     * @param skipsWhenBusy whether the caller skips its work if the lock is busy
     * @throws IllegalArgumentException if the label is blank
     */
    public LockOrigin {
        Objects.requireNonNull(label, "label");
        if (label.isBlank()) {
            throw new IllegalArgumentException("The label of a lock request must not be blank. Give it a fixed text.");
        }
    }

    /**
     * The origin of requests from application code.
     *
     * @param label a fixed text, which becomes the value of the tag {@code lock}
     * @return the origin, without a method
     * @throws IllegalArgumentException if the label is blank
     */
    public static LockOrigin of(String label) {
        return new LockOrigin(label, null, false);
    }
}
