/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/** An error that fails again when it is logged, as on a thread without memory or stack. */
public class UnloggableError extends Error {

    public UnloggableError() {}

    public UnloggableError(String message) {
        super(message);
    }

    @Override
    public String getMessage() {
        throw new UnloggableError();
    }

    @Override
    public StackTraceElement[] getStackTrace() {
        throw new UnloggableError();
    }

    @Override
    public String toString() {
        return getClass().getName();
    }
}
