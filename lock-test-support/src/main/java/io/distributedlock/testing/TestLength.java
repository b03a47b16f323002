/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

/**
 * How long random tests search. They are short in the ordinary build, and long in the profile {@code full}, which sets
 * the system property {@code tests.full}. Both run the tests with the tag {@link #RANDOM}; only the profile runs those
 * with the tag {@link #FULL}.
 */
public final class TestLength {

    /** The tag of tests that are short in the ordinary build and long in the profile. */
    public static final String RANDOM = "random";

    /** The tag of tests that only the profile runs. */
    public static final String FULL = "full";

    private static final boolean IS_FULL = Boolean.getBoolean("tests.full");

    private TestLength() {}

    /** The system property of this name if it is set, or the number for the present build. */
    public static int of(String property, int ordinary, int full) {
        return Integer.getInteger(property, choose(ordinary, full));
    }

    /** The number for the present build. */
    public static int choose(int ordinary, int full) {
        return IS_FULL ? full : ordinary;
    }
}
