/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockActivity;
import io.distributedlock.LockListener;
import io.distributedlock.LockOwner;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A caller that wants a lock. A blocking caller waits for the result itself; for an asynchronous one it is also the
 * timer of its wait. The links and {@link #queued} belong to the {@link WaiterQueue}, guarded by the lock it stands in.
 */
final class Waiter extends TimerTask {

    private static final long LOOK_AGAIN_NANOS = 1_000_000;

    /** An equal object may replace it. */
    ResolvedRequest request;

    /**
     * A thread, or the {@link LockOwner} of asynchronous work; null if no other call can have the same owner. Compared
     * by identity.
     */
    final @Nullable Object owner;

    /** The owners whose holds it may also enter. */
    final @Nullable LockOwner enclosing;

    final long since;

    final CompletableFuture<AcquireResult> result = new CompletableFuture<>();

    /** The receiver of the result; null for a blocking caller. Set before it stands in a queue. */
    @Nullable
    AsyncAcquisition stage;

    /** The listener to this acquisition; null if there is none. */
    final LockListener.@Nullable Attempt attempt;

    /** The id of the trace that the caller was in, or null. */
    final @Nullable String traceId;

    private final EngineContext engine;

    private volatile @Nullable NamedLock lock;

    @Nullable
    Waiter next;

    @Nullable
    Waiter previous;

    boolean queued;

    /** Whether one more request was sent at the end of its wait, and until when it waits for the reply. */
    private volatile boolean requestsOnceMore;

    private volatile long lastReplyBy;

    /** Whether its wait ended before the first reply of the store. */
    private volatile boolean awaitsFirstReply;

    /** The number of waiters that came before it. */
    long arrival;

    Waiter(EngineContext engine, ResolvedRequest request, @Nullable Object owner, @Nullable LockOwner enclosing) {
        this.engine = engine;
        this.request = request;
        this.owner = owner;
        this.enclosing = enclosing;
        this.since = engine.now();
        this.attempt = engine.listening().requested(request);
        this.traceId = engine.listening().traceId(attempt);
    }

    /** The same caller, who goes on waiting. */
    private Waiter(Waiter before) {
        this.engine = before.engine;
        this.request = before.request;
        this.owner = before.owner;
        this.enclosing = before.enclosing;
        this.since = before.since;
        this.attempt = before.attempt;
        this.traceId = before.traceId;
    }

    /** The same caller, which continues to wait; null if its wait is over. */
    @Nullable
    Waiter again() {
        return request.triesOnce() || engine.now() - waitEnd() >= 0 ? null : new Waiter(this);
    }

    /** It is about to stand in the queue of this lock. */
    void setLock(NamedLock inQueue) {
        lock = inQueue;
    }

    /** Equal requests share one object and one name, since many callers may wait for a lock. */
    void shareRequestOf(Waiter other) {
        if (request.equals(other.request)) {
            request = other.request;
        }
    }

    /** Its caller stops waiting. */
    void cancelWait() {
        end(new AcquireResult.Cancelled());
    }

    /** Its wait ends with that, unless its result is on its way. */
    void end(AcquireResult result) {
        NamedLock known = lock;
        if (known != null) {
            known.endWait(this, result);
        }
    }

    /** The lock in whose queue it stands or stood. */
    NamedLock lock() {
        NamedLock known = lock;
        if (known == null) {
            throw new IllegalStateException("It does not stand in a queue yet");
        }
        return known;
    }

    /** When the wait is over. */
    long waitEnd() {
        return since + request.waitUpTo();
    }

    /**
     * Until when a caller whose wait is over waits for the first reply of the store, if there was none, or for the
     * last.
     */
    long patienceEnd() {
        return requestsOnceMore
                ? lastReplyBy
                : since + Math.max(request.waitUpTo(), engine.timeout(request.firstLease()));
    }

    /** The lease that its request has, in nanoseconds: whole milliseconds. */
    long lease() {
        return request.firstLease() / 1_000_000 * 1_000_000;
    }

    /** Its wait is over, and the last request is sent. */
    void requestOnceMore(long replyBy) {
        lastReplyBy = replyBy;
        requestsOnceMore = true;
    }

    /** Its wait is over before the first reply of the store. */
    void awaitFirstReply() {
        awaitsFirstReply = true;
    }

    /** Whether the next reply decides, whether it is a grant to another waiter or "busy". */
    boolean wantsOneReply() {
        return request.triesOnce() || requestsOnceMore || awaitsFirstReply;
    }

    LockActivity.Waiting describe(long now, @Nullable String holder) {
        boolean limited = request.waitUpTo() != ResolvedRequest.FOREVER;
        Duration left = limited ? Duration.ofNanos(Math.max(0, waitEnd() - now)) : null;
        return new LockActivity.Waiting(
                request.name(),
                CallerName.of(owner),
                Duration.ofNanos(now - since),
                left,
                holder,
                request.origin(),
                traceId);
    }

    Duration waited() {
        return Duration.ofNanos(Math.max(0, engine.now() - since));
    }

    /** The first result counts; a grant that comes after another result is released. May be repeated if it fails. */
    void decide(AcquireResult decided) {
        try {
            engine.disarm(this);
            engine.lockLog().decided(this, decided);
        } finally {
            if (!result.complete(decided)) {
                abandonUnlessFirst(decided);
            }
            deliverToStage();
        }
    }

    /** The same handle again is the first grant, whose caller has it. */
    private void abandonUnlessFirst(AcquireResult late) {
        if (late instanceof AcquireResult.Granted granted
                && granted.handle() instanceof DefaultLockHandle handle
                && !(result.join() instanceof AcquireResult.Granted first && first.handle() == handle)) {
            handle.abandon();
        }
    }

    /** Passes the result to the stage, if there is one and the stage has not received it yet. */
    private void deliverToStage() {
        AsyncAcquisition receiver = stage;
        if (receiver != null && result.isDone()) {
            receiver.decided(this, result.join());
        }
    }

    /** A step of the engine on the way of this waiter has failed: it no longer waits. */
    void fail(Throwable failure) {
        try {
            decide(AcquireResult.failed(failure));
        } finally {
            cancelWait();
        }
    }

    /** See {@link NamedLock#expire}. */
    boolean expire() {
        try {
            return lock().expire(this);
        } catch (RuntimeException | Error ex) {
            fail(ex);
            return true;
        }
    }

    @Override
    void onDue(long now) {
        if (lock == null) {
            engine.arm(this, now + LOOK_AGAIN_NANOS);
        } else {
            waitOver(now);
        }
    }

    /** The wait of an asynchronous caller is over. */
    private void waitOver(long now) {
        boolean over = expire();
        if (over && result.isDone()) {
            deliverToStage();
            return;
        }
        // It may be on its way into the queue, where it is not found yet, or into that of the next object.
        engine.arm(this, over ? now + LOOK_AGAIN_NANOS : patienceEnd());
        if (result.isDone()) {
            engine.disarm(this);
        }
    }
}
