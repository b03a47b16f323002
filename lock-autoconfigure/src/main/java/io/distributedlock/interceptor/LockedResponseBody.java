/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNames;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockScope;
import io.distributedlock.composite.ReleaseStages;
import io.distributedlock.transaction.ReactiveTransactions;
import io.distributedlock.transaction.WorkInTransaction;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.util.context.ContextView;

/**
 * A publisher under a lock that is already held: the rest of the work of a method that has returned it in a response.
 * Its first subscription is that work, and releases the lock; a second one fails.
 */
final class LockedResponseBody implements ReactiveWork {

    private final Publisher<Object> body;

    private final LockHandle handle;

    private final LockOwner owner;

    private final CallPolicy policy;

    private final @Nullable WorkInTransaction kept;

    /** Of the method, whose work may not have ended when it returned the response. */
    private final @Nullable LockScope earlier;

    private final AtomicBoolean begun = new AtomicBoolean();

    /** @param kept the work, if a transaction releases the lock at its end; else null */
    LockedResponseBody(
            Publisher<Object> body,
            LockHandle handle,
            LockOwner owner,
            CallPolicy policy,
            @Nullable WorkInTransaction kept,
            @Nullable LockScope earlier) {
        this.body = body;
        this.handle = handle;
        this.owner = owner;
        this.policy = policy;
        this.kept = kept;
        this.earlier = earlier;
    }

    @Override
    public CallPolicy policy() {
        return policy;
    }

    @Override
    public LockOwner ownerIn(ContextView context) {
        return owner;
    }

    /**
     * The hold, for the first subscription.
     *
     * @throws IllegalStateException at the second subscription, and at one that comes after the end of the request or
     *     the rollback of a transaction that keeps the lock
     */
    @Override
    public CompletionStage<LockHandle> acquire(LockOwner ofSubscription) {
        if (!claim()) {
            throw new IllegalStateException("The body of the response runs under lock '" + LockNames.show(handle.name())
                    + "', which is released after the first subscription, or after the rollback of a transaction that"
                    + " keeps it. Call the locked method again.");
        }
        return CompletableFuture.completedFuture(handle);
    }

    @Override
    public @Nullable WorkInTransaction keep(LockScope scope, ContextView context) {
        if (TransactionSupport.PRESENT) {
            ReactiveTransactions.pass(context);
        }
        return kept;
    }

    @Override
    public void releaseUnused(LockHandle granted) {
        afterEarlierWork(() -> {
                    if (kept == null) {
                        return ReleaseStages.close(granted);
                    }
                    kept.end();
                    return CompletableFuture.completedFuture(null);
                })
                .whenComplete(CallOutcome::logFailure);
    }

    @Override
    public CompletionStage<@Nullable Void> afterEarlierWork(Supplier<CompletionStage<@Nullable Void>> release) {
        return earlier == null ? release.get() : CallRelease.release(earlier, policy.lossMatters(), release);
    }

    /** Fails if the lock was lost before any data was written. */
    @Override
    public Publisher<Object> proceed(ContextView context) {
        if (policy.lossMatters()) {
            handle.throwIfLost();
        }
        return body;
    }

    @Override
    public @Nullable Publisher<Object> insteadOfCall(LockNotAcquiredException busy) {
        throw busy;
    }

    @Override
    public boolean goesOnInResponse() {
        return false;
    }

    /** {@return whether the caller releases the lock from now on, as the body has not begun, and will not begin} */
    boolean claim() {
        return begun.compareAndSet(false, true);
    }

    /** The response is no longer written, so the lock is released if writing has not begun. */
    void endUnlessBegun() {
        if (claim()) {
            releaseUnused(handle);
        }
    }
}
