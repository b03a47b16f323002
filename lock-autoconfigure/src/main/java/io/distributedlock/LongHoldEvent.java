/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A caller of this instance has held a lock for longer than {@code distributed-lock.warn.holding}. Published once for
 * each hold.
 *
 * @param lockName the name of the lock
 * @param fencingToken the token of the hold
 * @param heldFor the time since the grant
 * @param caller the thread that acquired it, or a description of an asynchronous caller
 * @param method the annotated method, null if application code has acquired it
 * @param waiters the number of callers of this instance that wait for the lock
 * @since 0.1.0
 */
public record LongHoldEvent(
        String lockName,
        long fencingToken,
        Duration heldFor,
        String caller,
        @Nullable String method,
        int waiters) implements LockEvent {}
