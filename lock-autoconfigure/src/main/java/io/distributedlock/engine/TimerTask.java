/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/**
 * Something that wants to be called at a time. It sits in the {@link TimerQueue} itself, so that arming a timer
 * allocates nothing. Both fields belong to the queue and are guarded by its lock.
 */
abstract class TimerTask {

    /** When it is due, by the engine's clock. */
    long due;

    /** Where it stands in the heap, or -1 if it is not armed. */
    int slot = -1;

    /**
     * Called on the timer's thread, without any lock, some time after it became due. It may have been armed anew
     * meanwhile, and it may have been put off before, so it looks at its own state and at the clock before it does
     * anything, and arms itself again if it is too early.
     */
    abstract void onDue(long now);
}
