/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

/**
 * An event of a lock for the application. Published as an application event, on a thread of the library that only runs
 * listeners. 256 such threads may be busy at the same time, so a listener should not block. {@link LongWaitEvent} and
 * {@link LongHoldEvent} come from the one thread that finds them, so a listener that blocks delays the next ones.
 *
 * @since 0.1.0
 */
public sealed interface LockEvent
        permits LockDeadlockEvent, LockLostEvent, LongHoldEvent, LongWaitEvent, ServerClockSetBackEvent {

    /** {@return the name of the lock, as given in the request} */
    String lockName();
}
