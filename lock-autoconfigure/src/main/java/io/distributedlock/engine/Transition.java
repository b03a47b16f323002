/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import org.jspecify.annotations.Nullable;

/**
 * One step of the state machine of a {@link NamedLock}, under its monitor.
 *
 * @param <R> the result for the caller
 */
interface Transition<R> {

    @Nullable
    R run(NamedLockState state, long now, DeferredActions actions);
}
