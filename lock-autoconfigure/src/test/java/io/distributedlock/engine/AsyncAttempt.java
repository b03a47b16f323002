/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** An asynchronous acquisition and what has become of it. */
final class AsyncAttempt {

    private final CompletableFuture<LockHandle> stage;

    AsyncAttempt(LockEngine engine, LockRequest request) {
        CompletionStage<LockHandle> acquired =
                request.names().size() == 1 ? engine.acquireAsync(request) : new LockSet(engine).acquireAsync(request);
        stage = acquired.toCompletableFuture();
    }

    boolean isPending() {
        return !stage.isDone();
    }

    boolean isGranted() {
        return stage.isDone() && !stage.isCompletedExceptionally();
    }

    LockHandle handle() {
        assertThat(stage).isCompleted();
        return stage.join();
    }

    long token() {
        return handle().fencingToken();
    }

    boolean isHeld() {
        return handle().isHeld();
    }

    void close() {
        handle().close();
    }

    /** Closes without waiting for the store's answer. */
    void abandon() {
        ((DefaultLockHandle) handle()).abandon();
    }

    void cancel() {
        stage.cancel(false);
    }

    /** Why it did not get the lock. */
    @Nullable
    Throwable failure() {
        assertThat(stage).isCompletedExceptionally();
        return stage.handle((handle, failure) -> StoreFailures.unwrap(failure)).join();
    }
}
