/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

/**
 * Something that happened to a lock and that an application may want to know. Published as an application event, on a
 * thread of the library that only runs listeners. 256 such threads may be busy at the same time, so a listener should
 * not block.
 */
public sealed interface LockEvent
        permits LockDeadlockEvent, LockLostEvent, LongHoldEvent, LongWaitEvent, ServerClockSetBackEvent {

    /** The name of the lock, as given in the request. */
    String lockName();
}
