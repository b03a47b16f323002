/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What one Sentinel says of the master.
 *
 * @param address null if it knows no master of that name
 * @param epoch of its configuration, higher after each failover; 0 if it does not tell
 */
record SentinelAnswer(@Nullable InetSocketAddress address, long epoch) {}
