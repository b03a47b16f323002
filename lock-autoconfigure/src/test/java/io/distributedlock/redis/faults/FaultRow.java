/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Model;

/**
 * One row of the table of faults: what is broken, and what may be expected of the locks then.
 *
 * @param <T> the topology on which it is played
 */
interface FaultRow<T extends FaultTarget> {

    /** The name of the constant. */
    String name();

    int ordinal();

    FaultDetails<T> details();

    default String id() {
        return details().id();
    }

    /** In words. */
    default String what() {
        return details().what();
    }

    /**
     * How the history is judged. Where all faults lose data, Redis may forget for as long as each lasts. Where some do,
     * the injection says itself when that was ({@link FaultTestbed#losing}), and the rest is an outage only.
     */
    default Model model() {
        return details().model();
    }

    /** How often it is played in half of the profile for long tests; once in the ordinary build. */
    default int phases() {
        return details().phases();
    }

    default Injection<T> injection() {
        return details().injection();
    }

    default boolean hitsJvm() {
        return false;
    }

    default boolean endsJvm() {
        return false;
    }

    /** Whether releases work all the same. */
    default boolean letsLocksGo() {
        return false;
    }

    /** As the history has it. */
    default String kind() {
        return name();
    }

    /** Whether the ordinary build plays it, too. */
    default boolean isInOrdinaryBuild() {
        return true;
    }

    /** In leases of the testbed, the lease of the locks. */
    default int leases() {
        return 1;
    }
}
