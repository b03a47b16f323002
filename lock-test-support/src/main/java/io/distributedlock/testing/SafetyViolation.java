/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

/** A random test has seen two holders, a token that is too low, or whatever else must never happen at all. */
public final class SafetyViolation extends AssertionError {

    private static final long serialVersionUID = 1;

    public SafetyViolation(String message, Throwable cause) {
        super(message, cause);
    }

    public SafetyViolation(Object what) {
        super(what.toString());
    }
}
