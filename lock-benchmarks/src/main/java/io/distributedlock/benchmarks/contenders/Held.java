/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

/** A lock that is held. */
public interface Held {

    void release() throws Exception;

    /**
     * Whether the library of the lock still reports it as held. Libraries without such a method count as if they did.
     */
    default boolean isHeld() {
        return true;
    }
}
