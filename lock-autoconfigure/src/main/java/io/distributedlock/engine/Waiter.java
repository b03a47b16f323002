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

    final ResolvedRequest terms;

    /** A thread, or an object that stands for an asynchronous caller. Compared by identity. */
    final Object owner;

    /** Whose holds it may enter besides. */
    final @Nullable LockOwner enclosing;

    final long since;

    final CompletableFuture<AcquireResult> result = new CompletableFuture<>();

    /** What is told how this acquisition goes on; null if nobody listens. */
    final LockListener.@Nullable Attempt attempt;

    private final EngineContext engine;

    private volatile @Nullable NamedLock lock;

    @Nullable
    Waiter next;

    @Nullable
    Waiter previous;

    boolean queued;

    /** Whether one more request was asked at the end of its wait, and until when it waits for the answer. */
    private volatile boolean asksOnceMore;

    private volatile long lastAnswerBy;

    /** How many came before it. */
    long arrival;

    Waiter(EngineContext engine, ResolvedRequest terms, Object owner) {
        this(engine, terms, owner, null);
    }

    Waiter(EngineContext engine, ResolvedRequest terms, Object owner, @Nullable LockOwner enclosing) {
        this(engine, terms, owner, enclosing, engine.now(), engine.listening().requested(terms));
    }

    private Waiter(
            EngineContext engine,
            ResolvedRequest terms,
            Object owner,
            @Nullable LockOwner enclosing,
            long since,
            LockListener.@Nullable Attempt attempt) {
        this.engine = engine;
        this.terms = terms;
        this.owner = owner;
        this.enclosing = enclosing;
        this.since = since;
        this.attempt = attempt;
    }

    /** The same caller, who goes on waiting; null if its wait is over. */
    @Nullable
    Waiter again() {
        return terms.triesOnce() || engine.now() - waitEnd() >= 0
                ? null
                : new Waiter(engine, terms, owner, enclosing, since, attempt);
    }

    /** It is about to stand in the queue of this lock. */
    void standsIn(NamedLock inQueue) {
        lock = inQueue;
    }

    /** Its caller does not want to wait any longer. */
    void leave() {
        end(new AcquireResult.Left());
    }

    /** Its wait ends with that, unless its result is on its way. */
    void end(AcquireResult result) {
        NamedLock known = lock;
        if (known != null) {
            known.leave(this, result);
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
        return since + terms.waitUpTo();
    }

    /**
     * Until when a caller whose wait is over waits for a first word of the store, if it has heard nothing, or for the
     * last.
     */
    long patienceEnd() {
        return asksOnceMore ? lastAnswerBy : since + Math.max(terms.waitUpTo(), engine.timeout(terms.firstLease()));
    }

    /** Its wait is over, and the store is asked for the last time. */
    void askOnceMore(long answerBy) {
        lastAnswerBy = answerBy;
        asksOnceMore = true;
    }

    /** Whether the next answer decides, be it a grant to another one or "busy". */
    boolean wantsOneAnswer() {
        return terms.triesOnce() || asksOnceMore;
    }

    LockActivity.Waiting describe(long now, @Nullable String holder) {
        boolean limited = terms.waitUpTo() != ResolvedRequest.FOREVER;
        Duration left = limited ? Duration.ofNanos(Math.max(0, waitEnd() - now)) : null;
        return new LockActivity.Waiting(
                terms.name(),
                describe(owner),
                Duration.ofNanos(now - since),
                left,
                holder,
                terms.origin(),
                attempt == null ? null : attempt.traceId());
    }

    /** A caller as operators see it. */
    static String describe(Object owner) {
        return owner instanceof Thread thread ? thread.getName() : "asynchronous";
    }

    Duration waited() {
        return Duration.ofNanos(Math.max(0, engine.now() - since));
    }

    void decide(AcquireResult decided) {
        engine.disarm(this);
        engine.log().decided(this, decided);
        result.complete(decided);
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
        boolean over = lock().expire(this);
        if (over && result.isDone()) {
            return;
        }
        // It may be on its way into the queue, where it could not be found yet, or into that of the next object.
        engine.arm(this, over ? now + LOOK_AGAIN_NANOS : patienceEnd());
        if (result.isDone()) {
            engine.disarm(this);
        }
    }
}
