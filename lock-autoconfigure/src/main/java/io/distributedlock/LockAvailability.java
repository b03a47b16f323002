/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import java.util.List;

/**
 * Whether an instance can acquire locks. It contains no secrets. Immutable.
 *
 * @param failures the servers at which the instance can acquire no lock; empty if it can acquire all locks
 * @since 0.1.0
 */
public record LockAvailability(List<Failure> failures) {

    /** All locks can be acquired. */
    public static final LockAvailability FULL = new LockAvailability(List.of());

    @SuppressWarnings("doclint:missing") // The record describes the components.
    public LockAvailability {
        failures = List.copyOf(failures);
    }

    /** {@return whether the instance can acquire every lock} */
    public boolean isFull() {
        return failures.isEmpty();
    }

    /**
     * A server at which the instance can acquire no lock.
     *
     * @param server its address, for operators
     * @param error the error of the server, or why it cannot be reached; one line of about 200 characters at most
     * @param lasting the time since the first check that found it; zero for the first one
     */
    public record Failure(String server, String error, Duration lasting) {}
}
