/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockScope;
import io.distributedlock.composite.ReleaseStages;
import io.distributedlock.composite.StageFailures;
import io.distributedlock.reactive.ReactiveLocks;
import io.distributedlock.reactive.SubscriberObservation;
import io.distributedlock.transaction.WorkInTransaction;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One subscription of a method that returns a publisher: requests the lock, subscribes to the method's publisher under
 * it, and releases it when that has completed, failed or was cancelled, exactly once. The downstream gets the end only
 * after the release.
 */
final class ReactiveCall extends PublisherCalls implements CoreSubscriber<Object> {

    /** The subscriber. Its methods are never called by two threads at once if losses do not interrupt. */
    interface Downstream {

        Context context();

        void next(Object value);

        /** The end: success, or the failure. */
        void end(@Nullable Throwable failure);
    }

    private final DeferredUpstream upstream = new Upstream();

    private final ReactiveWork work;

    private final Downstream downstream;

    private final LockOwner owner;

    /** Of the thread that subscribes, since the grant arrives on another thread. */
    private final @Nullable LockScope outer = LockScope.current();

    private volatile @Nullable CompletableFuture<LockHandle> acquisition;

    private volatile @Nullable LockHandle handle;

    /** Of the method, from when its hold is in the context. */
    private volatile @Nullable LockScope scope;

    private volatile Context context;

    /** The work, if a transaction releases the lock at its end; otherwise null. */
    private volatile @Nullable WorkInTransaction kept;

    /** The thread in which the downstream has a value of work that a transaction keeps. */
    private volatile @Nullable Thread emitting;

    /** The work that continues after the end, with the hold. */
    private volatile @Nullable LockedResponseBody rest;

    @GuardedBy("this")
    private boolean cancelled;

    ReactiveCall(ReactiveWork work, Downstream downstream) {
        this.work = work;
        this.downstream = downstream;
        this.context = downstream.context();
        this.owner = work.ownerIn(context);
    }

    void start() {
        CompletableFuture<LockHandle> acquiring = null;
        try (SubscriberObservation around = SubscriberObservation.open(context);
                ReactiveLocks.Shown lock = showAroundCall()) {
            acquiring = work.acquire(owner).toCompletableFuture();
        } catch (Throwable ex) { // Also a checked one, which code in another language may throw.
            abandon(acquiring);
            downstream.end(ex);
            return;
        }
        acquisition = acquiring;
        acquiring.whenComplete(this::acquired);
        if (isCancelled()) {
            acquiring.cancel(true);
        }
    }

    /** The lock of the subscription that the call is in, also on a thread without it. */
    private ReactiveLocks.@Nullable Shown showAroundCall() {
        return ReactiveLocks.scopeOf(context) == null ? null : ReactiveLocks.show(context);
    }

    /** The request was sent before the observation has failed. */
    private void abandon(@Nullable CompletableFuture<LockHandle> acquiring) {
        if (acquiring != null) {
            acquiring.whenComplete((granted, failure) -> {
                if (granted != null) {
                    work.releaseUnused(granted);
                }
            });
            acquiring.cancel(true);
        }
    }

    private void acquired(@Nullable LockHandle granted, @Nullable Throwable failure) {
        if (granted == null) {
            if (!isCancelled()) {
                refused(StageFailures.unwrap(failure));
            }
        } else if (beginFirstCall()) {
            handle = granted;
            run(granted);
        } else {
            work.releaseUnused(granted);
        }
    }

    private void refused(@Nullable Throwable failure) {
        if (!(failure instanceof LockNotAcquiredException busy)) {
            downstream.end(failure == null ? StageFailures.withoutHandle() : failure);
            return;
        }
        try (ReactiveLocks.Shown around = showAroundFallback()) {
            Publisher<Object> instead = work.insteadOfCall(busy);
            if (instead == null) {
                downstream.end(null);
            } else {
                instead.subscribe(this);
            }
        } catch (Throwable ex) {
            downstream.end(ex);
            Exceptions.throwIfJvmFatal(ex);
        }
    }

    /** The fallback takes the place of the method: it may enter the locks around the call, but has none of its own. */
    private ReactiveLocks.Shown showAroundFallback() {
        LockScope ofSubscription = ReactiveLocks.scopeOf(context);
        LockScope around = ofSubscription == null ? outer : ofSubscription;
        if (around != null) {
            context = ReactiveLocks.with(context, around.handle(), owner, false, outer);
        }
        return ReactiveLocks.show(context);
    }

    /** The end is reported, and the lock is released, whatever fails here: the caller of this method ignores it. */
    private void run(LockHandle granted) {
        Throwable fatal = null;
        try {
            context = ReactiveLocks.with(context, granted, owner, policy().lossMatters(), outer);
            LockScope inside = ReactiveLocks.scopeOf(context);
            scope = inside;
            kept = inside == null ? null : work.keep(inside, downstream.context());
            if (policy().interrupts()) {
                MultiLockHandle.onInterruptingLoss(granted, this::lost);
            }
            proceed(granted);
        } catch (Throwable ex) {
            fatal = ex;
            onError(ex);
        } finally {
            // Even if the report has failed, as after an overflow of the stack.
            endCall();
        }
        if (fatal != null) {
            Exceptions.throwIfJvmFatal(fatal);
        }
    }

    private void proceed(LockHandle granted) throws Throwable {
        try (ReactiveLocks.Shown lock = ReactiveLocks.show(context)) {
            if (policy().interrupts()) {
                proceedInterruptibly(granted);
            } else {
                work.proceed(context).subscribe(this);
            }
        }
    }

    /** The subscription to a Flux is not interrupted: operators after it, outside of the lock, run in it too. */
    private void proceedInterruptibly(LockHandle granted) throws Throwable {
        InterruptOnLoss interrupt = InterruptOnLoss.of(granted);
        Publisher<Object> body;
        try {
            body = work.proceed(context);
            if (work.goesOnInResponse()) {
                body.subscribe(this);
            }
        } finally {
            interrupt.end();
        }
        if (!work.goesOnInResponse()) {
            body.subscribe(this);
        }
    }

    // ---- from downstream

    void request(long n) {
        upstream.request(n);
    }

    private final class Upstream extends DeferredUpstream {

        /** The publisher may emit in this call, which may come from an operator outside of the lock. */
        @Override
        void request(Subscription publisher, long n) {
            beginCall();
            try {
                ReactiveLocks.runInside(context, () -> publisher.request(n));
            } finally {
                endCall();
            }
        }
    }

    void cancel() {
        synchronized (this) {
            if (cancelled) {
                return;
            }
            cancelled = true;
        }
        beginCall();
        end(End.CANCELLATION);
        CompletableFuture<LockHandle> acquiring = acquisition;
        if (acquiring != null) {
            acquiring.cancel(true);
        }
        endBeforeNextWork();
        try {
            upstream.cancel();
        } finally {
            endCall();
            endUndelivered();
        }
    }

    /**
     * Operators such as {@code next()} and {@code take(n)} cancel when they get a value. With this value, the next work
     * of the transaction may begin before they return, and needs the same lock.
     */
    private void endBeforeNextWork() {
        WorkInTransaction inTransaction = kept;
        if (inTransaction != null && emitting == Thread.currentThread()) {
            inTransaction.end();
        }
    }

    /** A response that was emitted before, but perhaps not delivered. */
    private void endUndelivered() {
        LockedResponseBody undelivered = rest;
        if (undelivered != null && isConcluded()) {
            undelivered.endUnlessBegun();
        }
    }

    private synchronized boolean isCancelled() {
        return cancelled;
    }

    // ---- from upstream

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream.set(subscription);
    }

    @Override
    public void onNext(Object value) {
        if (work.goesOnInResponse()) {
            downstream.next(withHeldBody(value));
        } else if (handle == null) {
            downstream.next(value);
        } else if (kept == null) {
            ReactiveLocks.runOutside(context, () -> downstream.next(value));
        } else {
            emitting = Thread.currentThread();
            try {
                ReactiveLocks.runOutside(context, () -> downstream.next(value));
            } finally {
                emitting = null;
            }
        }
    }

    private Object withHeldBody(Object value) {
        LockHandle held = handle;
        return held == null || !ResponseBodies.PRESENT
                ? value
                : ResponseBodies.hold(value, body -> heldBody(body, held));
    }

    private LockedResponseBody heldBody(Publisher<Object> body, LockHandle held) {
        LockedResponseBody later = new LockedResponseBody(body, held, owner, policy(), kept, scope);
        rest = later;
        if (isConcluded()) {
            later.claim();
        }
        return later;
    }

    @Override
    public void onError(Throwable failure) {
        if (!end(End.of(failure)) && !(policy().interrupts() && InterruptOnLoss.isConsequence(failure))) {
            Operators.onErrorDropped(failure, context);
        }
    }

    @Override
    public void onComplete() {
        end(End.SUCCESS);
    }

    private void lost() {
        beginCall();
        try {
            upstream.cancel();
        } finally {
            end(End.of(new CancellationException("The lock was lost")));
            endCall();
        }
    }

    // ---- the end

    private CallPolicy policy() {
        return work.policy();
    }

    @Override
    void conclude(End last) {
        LockHandle held = handle;
        LockedResponseBody body = rest;
        if (held == null) {
            endFallback(last);
        } else if (body != null && last.isSuccess()) {
            passTo(body, last);
        } else if (body != null && !body.claim()) {
            // It releases the lock, although its response was to be discarded.
            deliver(last);
        } else if (last.delivered()) {
            endAfterRelease(held, last.failure());
        } else {
            release(held).whenComplete(CallOutcome::logFailure);
        }
    }

    private void endFallback(End last) {
        if (last.delivered()) {
            downstream.end(last.failure());
        }
    }

    private void passTo(LockedResponseBody body, End last) {
        WorkInTransaction inTransaction = kept;
        if (inTransaction != null) {
            inTransaction.onRollback(body::endUnlessBegun);
        }
        deliver(last);
    }

    private void endAfterRelease(LockHandle held, @Nullable Throwable failure) {
        release(held)
                .whenComplete((done, release) ->
                        deliver(End.of(CallOutcome.failureOf(policy(), failure, StageFailures.unwrap(release)))));
    }

    /** After the transactions below the lock, which an operator may have cancelled. */
    private CompletionStage<@Nullable Void> release(LockHandle held) {
        LockScope inside = scope;
        return inside == null
                ? releaseLast(held)
                : CallRelease.release(inside, policy().lossMatters(), () -> releaseLast(held));
    }

    private CompletionStage<@Nullable Void> releaseLast(LockHandle held) {
        return work.afterEarlierWork(() -> releaseNow(held));
    }

    private CompletionStage<@Nullable Void> releaseNow(LockHandle held) {
        WorkInTransaction inTransaction = kept;
        if (inTransaction == null) {
            return ReleaseStages.close(held);
        }
        inTransaction.end();
        try {
            held.throwIfLost();
            return CompletableFuture.completedFuture(null);
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    /** Not inside the scope in which the publisher is subscribed to, since the lock is released. */
    private void deliver(End last) {
        if (!last.delivered() || isCancelled()) {
            endUndelivered();
        } else {
            ReactiveLocks.runOutside(context, () -> downstream.end(last.failure()));
        }
    }
}
