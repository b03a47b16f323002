/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import io.distributedlock.LockHandle;

/**
 * What the library itself does when a hold is lost: it interrupts or cancels the work under it. If passed to
 * {@link LockHandle#onLost}, it does not wait for callbacks of the application, which may block.
 */
@FunctionalInterface
public interface LossReaction extends Runnable {}
