/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Callers of this instance have waited for a lock for longer than {@code distributed-lock.warn.waiting}. Published
 * once, until none of them waits that long any more.
 *
 * @param lockName the name of the lock
 * @param waited the longest of the waits
 * @param waiters the number of callers of this instance that wait for the lock
 * @param holder the public id of the instance that holds the lock, or its explicit owner; null if unknown, as for the
 *     eleventh and later ones of one check that another instance holds
 * @since 0.1.0
 */
public record LongWaitEvent(
        String lockName,
        Duration waited,
        int waiters,
        @Nullable String holder) implements LockEvent {}
