/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

/**
 * Where random tests get their numbers from: one seed for the whole JVM, so that a test that is run again after a
 * failure makes the same decisions.
 */
public final class Seeds {

    private static final long OF_THIS_JVM = System.nanoTime();

    private Seeds() {}

    /** The system property of this name if it is set, or the seed of this JVM. Prints it. */
    public static long of(String property) {
        long seed = Long.getLong(property, OF_THIS_JVM);
        System.out.println(property + '=' + seed);
        return seed;
    }
}
