/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a method cannot be locked as its {@link io.distributedlock.annotation.DistributedLocked} requires. It fails
 * the start of the application; for a bean that is created later, its creation.
 *
 * @since 0.1.0
 */
public final class InvalidLockedMethodException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String description;

    private final String action;

    InvalidLockedMethodException(String description, String action, @Nullable Throwable cause) {
        super(description + " " + action, cause);
        this.description = description;
        this.action = action;
    }

    /** {@return the problem and its place: class, method, attribute and value} */
    public String description() {
        return description;
    }

    /** {@return the remedy} */
    public String action() {
        return action;
    }
}
