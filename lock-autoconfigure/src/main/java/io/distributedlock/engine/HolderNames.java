/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Says who holds a lock, for the message of an exception. */
@FunctionalInterface
public interface HolderNames {

    /** Knows no holder. */
    HolderNames NONE = (lockName, mayAsk) -> CompletableFuture.completedFuture(null);

    /**
     * Never blocks and never fails. Completes within a tenth of a second.
     *
     * @param mayAsk whether a command and a message may be sent; without, only what this instance knows is said
     * @return what follows the words "held by"; null if it is not known, or the lock has become free
     */
    CompletableFuture<@Nullable String> of(String lockName, boolean mayAsk);
}
