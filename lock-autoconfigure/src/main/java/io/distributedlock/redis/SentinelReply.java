/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The reply of one Sentinel about the master.
 *
 * @param address null if the Sentinel knows no master of that name
 * @param epoch of its configuration, higher after each failover; 0 if the reply does not have it
 */
record SentinelReply(@Nullable InetSocketAddress address, long epoch) {}
