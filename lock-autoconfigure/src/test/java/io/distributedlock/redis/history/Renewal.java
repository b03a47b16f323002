/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

/**
 * An instance has asked Redis to extend the lease of a lock.
 *
 * @param nanos when that was seen, by {@link System#nanoTime()}
 * @param text whether the text of the script was sent: Redis did not know it, and had replied so to the same renewal
 */
public record Renewal(String jvm, String lock, long nanos, boolean text) {}
