/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/**
 * A task to be called at a time. It is an element of the {@link TimerQueue} itself, so that arming a timer allocates
 * nothing. Both fields belong to the queue and are guarded by its lock.
 */
abstract class TimerTask {

    /** When it is due, by the engine's clock. */
    long due;

    /** Its slot in the heap, or -1 if it is not armed. */
    int slot = -1;

    /**
     * Called on the timer's thread, without any lock, some time after it became due. It may have been armed again
     * meanwhile, or postponed before, so it first checks its own state and the clock, and arms itself again if it is
     * too early.
     */
    abstract void onDue(long now);
}
