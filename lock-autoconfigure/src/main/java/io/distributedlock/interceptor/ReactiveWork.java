/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockScope;
import io.distributedlock.transaction.WorkInTransaction;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.util.context.ContextView;

/** The work that a {@link ReactiveCall} runs under a lock. */
interface ReactiveWork {

    CallPolicy policy();

    /** The owner of one subscription. */
    LockOwner ownerIn(ContextView context);

    /** Failures may be thrown, or complete the stage. */
    CompletionStage<LockHandle> acquire(LockOwner owner);

    /**
     * Passes the end of the hold to a transaction of the subscription.
     *
     * @param scope of the work under the lock
     * @param context of the subscriber, without that scope
     * @return the work, whose end the caller reports; null if there is no such transaction
     */
    @Nullable
    WorkInTransaction keep(LockScope scope, ContextView context);

    /** Ends the hold of a subscription that was cancelled before it began. */
    void releaseUnused(LockHandle handle);

    /**
     * The publisher to subscribe to under the lock.
     *
     * @param context of the subscription
     */
    Publisher<Object> proceed(ContextView context) throws Throwable;

    /** The publisher to subscribe to if the lock is busy, null for none. */
    @Nullable
    Publisher<Object> insteadOfCall(LockNotAcquiredException busy) throws Throwable;

    /** Whether the work continues in the body of a response that the publisher emits. */
    boolean goesOnInResponse();

    /** Releases when the work has ended that had begun under the hold before this work. */
    default CompletionStage<@Nullable Void> afterEarlierWork(Supplier<CompletionStage<@Nullable Void>> release) {
        return release.get();
    }
}
