/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Describes the holder of a lock, for the message of an exception. */
@FunctionalInterface
public interface HolderNames {

    /** Knows no holder. */
    HolderNames NONE = (lockName, mayRequest) -> CompletableFuture.completedFuture(null);

    /**
     * Never blocks and never fails. Completes within a tenth of a second.
     *
     * @param mayRequest whether a command and a message may be sent; otherwise only local knowledge is used
     * @return the text after "held by"; null if the holder is unknown, or the lock has become free
     */
    CompletableFuture<@Nullable String> of(String lockName, boolean mayRequest);

    /**
     * One hold has kept callers of this instance waiting for about a second, so its holder may have to be named later,
     * when it no longer replies. Never blocks and never fails.
     */
    default void keptWaiting(String lockName) {}
}
