/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import io.distributedlock.LockHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Releases that do not block, of handles that need not be those of the library. Nothing is thrown, and there always is
 * a stage: a mock returns null, unless its Mockito completes stages (as that of Spring Boot 4.1 does, not that of 4.0),
 * and a caller that waits for the release must not wait for ever.
 */
public final class ReleaseStages {

    private ReleaseStages() {}

    /** Calls {@link LockHandle#closeAsync}. */
    public static CompletionStage<@Nullable Void> close(LockHandle handle) {
        return of(handle, LockHandle::closeAsync);
    }

    /** Calls {@link LockHandle#closeUnused}. */
    public static CompletionStage<@Nullable Void> closeUnused(LockHandle handle) {
        return of(handle, LockHandle::closeUnused);
    }

    private static CompletionStage<@Nullable Void> of(
            LockHandle handle, Function<LockHandle, @Nullable CompletionStage<Void>> how) {
        try {
            CompletionStage<Void> stage = how.apply(handle);
            return stage == null ? CompletableFuture.completedFuture(null) : stage;
        } catch (Throwable ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }
}
