/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStore.StoreCall;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A reply as a future. Cancelling it cancels the command. */
final class ReplyFuture<T> extends CompletableFuture<T> implements Reply<T> {

    private volatile @Nullable StoreCall sent;

    ReplyFuture<T> to(Function<Reply<T>, StoreCall> command) {
        sent = command.apply(this);
        return this;
    }

    @Override
    public void replied(@Nullable T reply, @Nullable Throwable failure) {
        if (failure != null) {
            completeExceptionally(failure);
        } else {
            complete(reply);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        StoreCall command = sent;
        if (cancelled && command != null) {
            command.cancel();
        }
        return cancelled;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
