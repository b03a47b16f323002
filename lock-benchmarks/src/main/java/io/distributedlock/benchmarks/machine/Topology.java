/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.machine;

/** The servers that a contender uses. */
public enum Topology {
    ONE_SERVER,
    /** A master and a replica, which follows it directly. */
    REPLICATED,
    /** Three masters with a replica each. */
    CLUSTER
}
