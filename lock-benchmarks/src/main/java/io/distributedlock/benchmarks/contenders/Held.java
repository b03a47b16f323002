/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

/** A lock that is held. */
public interface Held {

    void release() throws Exception;

    /** Whether its library still believes in it. One that does not tell is believed. */
    default boolean isHeld() {
        return true;
    }
}
