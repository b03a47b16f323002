/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

/** A lock under test, connected. Safe for use by any number of threads. */
public interface Contender extends AutoCloseable {

    /** Takes the lock of that name for the calling thread, and waits for it without limit. */
    Held acquire(String name) throws Exception;

    /** Runs the section under the lock of that name. */
    default void run(String name, Runnable section) throws Exception {
        Held held = acquire(name);
        try {
            section.run();
        } finally {
            held.release();
        }
    }

    @Override
    void close();
}
