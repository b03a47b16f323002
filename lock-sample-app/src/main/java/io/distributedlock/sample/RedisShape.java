/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

/** In which shape the instances start their own Redis. */
enum RedisShape {
    /** One server. */
    SINGLE,
    /** Redis Cluster: three masters with a replica each. */
    CLUSTER,
    /** A master, two replicas, and three Sentinels. */
    SENTINEL
}
