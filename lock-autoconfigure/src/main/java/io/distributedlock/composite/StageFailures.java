/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import io.distributedlock.LockLostException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Failures of stages that may depend on others. */
public final class StageFailures {

    private StageFailures() {}

    /** The failure without the exceptions that stages wrap around it, or null if there is none. */
    public static @Nullable Throwable unwrap(@Nullable Throwable failure) {
        return failure == null ? null : bare(failure);
    }

    /** The failure without the exceptions that stages wrap around it. A wrapper without a cause is the failure. */
    public static Throwable bare(Throwable failure) {
        Throwable bare = failure;
        Throwable cause = bare.getCause();
        while ((bare instanceof CompletionException || bare instanceof ExecutionException) && cause != null) {
            bare = cause;
            cause = bare.getCause();
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

    /** Whether both report the loss of one lock, as a stopped commit and the release after it do. */
    public static boolean isSameLoss(Throwable first, Throwable second) {
        return first instanceof LockLostException one
                && second instanceof LockLostException other
                && one.lockName().equals(other.lockName());
    }

    /** The failure of an acquisition that has completed with null, as those of some mocks do. */
    public static IllegalStateException withoutHandle() {
        return new IllegalStateException(
                "LockOperations.acquireAsync gave no handle, so the method was not run. If it is"
                        + " a mock, stub acquireAsync to return a completed future of a LockHandle, or set"
                        + " distributed-lock.enabled=false, which needs no Redis.");
    }
}
