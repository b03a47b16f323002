/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;

/**
 * A hold ended before its holder had released it, or its release found that it had ended before.
 *
 * @param lockName the name of the lock
 * @param fencingToken the token of the hold
 * @param heldFor the time from the grant until the loss was noticed
 * @param reason the reason as text
 * @since 0.1.0
 */
public record LockLostEvent(String lockName, long fencingToken, Duration heldFor, String reason) implements LockEvent {}
