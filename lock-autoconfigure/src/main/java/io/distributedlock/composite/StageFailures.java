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
}
