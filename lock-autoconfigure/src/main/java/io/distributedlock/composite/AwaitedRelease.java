/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import org.jspecify.annotations.Nullable;

/**
 * A handle whose release a thread can send, and wait for later. The thread itself waits for the reply, so it needs no
 * thread of callbacks, which application code may keep busy.
 */
public interface AwaitedRelease {

    /**
     * Ends the hold and sends the release, but does not wait.
     *
     * @return the wait for the outcome, which throws what {@link io.distributedlock.LockHandle#close()} throws; null if
     *     there is nothing to wait for
     */
    @Nullable
    Runnable beginClose();

    /**
     * The same for a grant under which no work was done.
     *
     * @return as for {@link #beginClose()}
     */
    @Nullable
    Runnable beginRollBack();
}
