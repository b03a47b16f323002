/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Failures of stages that may depend on others. */
public final class StageFailures {

    private StageFailures() {}

    /** The failure without the exceptions that stages wrap around it. */
    public static @Nullable Throwable unwrap(@Nullable Throwable failure) {
        Throwable bare = failure;
        while ((bare instanceof CompletionException || bare instanceof ExecutionException) && bare.getCause() != null) {
            bare = bare.getCause();
        }
        return bare;
    }

    /** The failure of the application's own stage: an {@link ExecutionException} there is the application's. */
    public static @Nullable Throwable ofWork(@Nullable Throwable failure) {
        Throwable bare = failure;
        while (bare instanceof CompletionException && bare.getCause() != null) {
            bare = bare.getCause();
        }
        return bare;
    }

    /** The failure of an acquisition that has completed with null, as those of some mocks do. */
    public static IllegalStateException withoutHandle() {
        return new IllegalStateException(
                "LockOperations.acquireAsync gave no handle, so the method was not run. If it is"
                        + " a mock, stub acquireAsync to return a completed future of a LockHandle, or set"
                        + " distributed-lock.enabled=false, which needs no Redis.");
    }
}
