/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.engine.Lease.UnknownOutcome;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStore.ReleaseReply;
import io.distributedlock.engine.LeaseStore.ReleaseReply.Outcome;
import io.distributedlock.engine.LeaseStore.Requeue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Releases an acquisition in the store, with retries until the store has confirmed it or its lease has ended. A
 * release, a caller that stops waiting and an unknown outcome all use it.
 *
 * <p>It first waits for the reply to a request that is under way, since the two could cross on different connections.
 * If the engine no longer waits for that reply, the release makes the store refuse its id for a while, so that a late
 * copy of the request cannot get the lock.
 */
final class PendingRelease extends TimerTask {

    /**
     * Completes with the reply of the store; a failure means that the outcome is not known yet, or that it was refused.
     */
    final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    private final EngineContext engine;

    final String name;

    /** The explicit owner; null if there is none. */
    final @Nullable String owner;

    private final long number;

    private final long timeout;

    private final long leaseNanos;

    private final long giveUpAt;

    private final @Nullable AcquireAttempt unanswered;

    @GuardedBy("this")
    private boolean uncertain;

    @GuardedBy("this")
    private @Nullable AcquireAttempt requeueAttempt;

    @GuardedBy("this")
    private @Nullable Requeue requeue;

    @GuardedBy("this")
    private @Nullable ReleaseAttempt latest;

    /** Set before other threads find it. */
    private long begunAt;

    /** When to check it again. */
    @GuardedBy("this")
    private long look;

    /** The minimum of a hold that is not over yet; null if there is none. */
    private @Nullable Minimum minimum;

    /** Set before it is started. */
    private boolean lost;

    @GuardedBy("this")
    private boolean doubtful;

    /** An attempt has failed and its failure was handled; only then may another one start. */
    @GuardedBy("this")
    private boolean resting;

    @GuardedBy("this")
    private boolean done;

    @GuardedBy("this")
    private int failures;

    private volatile @Nullable Throwable lastFailure;

    /**
     * Releases a lease. If the release never succeeds, the entry ends with the longest lease that the store may have.
     */
    PendingRelease(NamedLock lock, Lease lease) {
        this(
                lock.engine,
                lock.name,
                explicitOwner(lock),
                lease.number,
                lease.longest(),
                lease.requestedAt() + (lease.mayComeBack() ? 2 : 1) * lease.longest(),
                lease.unknownOutcome());
    }

    /** Leaves the line. */
    PendingRelease(NamedLock lock, Acquisition acquisition) {
        this(
                lock.engine,
                lock.name,
                explicitOwner(lock),
                acquisition.number,
                acquisition.longestLease(),
                acquisition.sentAt + 2 * acquisition.longestLease(),
                UnknownOutcome.of(acquisition.uncertain, acquisition.unanswered()));
    }

    /** Releases an acquisition that no lock of this instance has, which may have this lease from now on. */
    static PendingRelease ofNoLock(EngineContext engine, String name, long number, long leaseNanos) {
        return new PendingRelease(engine, name, null, number, leaseNanos, engine.now() + leaseNanos, null);
    }

    private PendingRelease(
            EngineContext engine,
            String name,
            @Nullable String owner,
            long number,
            long leaseNanos,
            long giveUpAt,
            @Nullable UnknownOutcome unknown) {
        this.engine = engine;
        this.name = name;
        this.owner = owner;
        this.number = number;
        this.leaseNanos = leaseNanos;
        this.timeout = engine.timeout(leaseNanos);
        this.giveUpAt = giveUpAt;
        this.uncertain = unknown != null && unknown.uncertain();
        this.unanswered = unknown == null ? null : unknown.unanswered();
    }

    private static @Nullable String explicitOwner(NamedLock lock) {
        return Readers.isReader(lock) ? null : lock.owner;
    }

    /**
     * The store has to keep the lock without a holder.
     *
     * @param until the time, after which it releases the lease; until then it shortens it, so that it ends by itself
     * @param token the token of the latest hold
     */
    record Minimum(long until, long token) {}

    /** Whether the store keeps the lock for the minimum time of its hold, even after the lease that it had. */
    boolean keepsMinimum() {
        return minimum != null;
    }

    /** @param mayBeLengthened whether the store may lengthen the lease later, so that its end has to be checked */
    PendingRelease keeping(long until, long token, boolean mayBeLengthened) {
        minimum = new Minimum(until, token);
        engine.releases().keepMinimum(name, number, new KeptMinimum.Terms(until, token, leaseNanos, mayBeLengthened));
        return this;
    }

    /** A hold of an explicit owner has ended without being closed. */
    PendingRelease afterLossOf(@Nullable String owner) {
        lost = owner != null;
        return this;
    }

    /** Queues again in the same step; the reply to that is the reply to the given request. */
    synchronized void andRequeue(Requeue again, AcquireAttempt attempt) {
        requeue = again;
        requeueAttempt = attempt;
    }

    boolean isFor(long acquisition) {
        return number == acquisition;
    }

    /** Whether it was registered by that time. */
    boolean hasBegunBy(long time) {
        return begunAt - time <= 0;
    }

    /** From now on it will end, even if it is not started: then the timer starts it. */
    void register() {
        begunAt = engine.now();
        lookAt(engine.now() + timeout);
        engine.releases().begun(this);
    }

    /** May be called again, if the first call has failed half-way: then there is another attempt at once. */
    void start() {
        AcquireAttempt attempt = unanswered;
        if (attempt == null) {
            ReleaseAttempt before;
            synchronized (this) {
                before = latest;
            }
            send(engine.now(), before);
            return;
        }
        lookAt(attempt.sentAt + timeout);
        if (!attempt.notifyAtEnd(this)) {
            requestEnded(!attempt.hasReply());
        }
    }

    void requestEnded(boolean unknown) {
        synchronized (this) {
            if (latest != null || done) {
                return;
            }
            uncertain |= unknown;
        }
        send(engine.now(), null);
    }

    /**
     * Sends it, unless another thread has done that since. Changes nothing before it has all that it needs: without
     * memory, the next attempt comes as if this one had not begun.
     *
     * @param before the attempt that was the latest, or null
     */
    private void send(long now, @Nullable ReleaseAttempt before) {
        ReleaseAttempt attempt = new ReleaseAttempt(this, engine, minimum);
        ReleaseCommand command;
        synchronized (this) {
            if (done || latest != before) {
                return;
            }
            long tombstone = uncertain ? 2 * Math.max(1, leaseNanos / 1_000_000) : 0;
            command = new ReleaseCommand(name, number, engine.floor(), stillQueuing(), tombstone, lost);
            doubtful |= before != null && before.isOpen();
            latest = attempt;
            resting = false;
            lookAt(now + timeout);
        }
        if (before != null) {
            before.giveUp();
        }
        attempt.send(command);
    }

    /** The waiters that queue again may have left by now, and the instance may have sent a request under another id. */
    @GuardedBy("this")
    private @Nullable Requeue stillQueuing() {
        return requeueAttempt == null || !requeueAttempt.isOpen() ? null : requeue;
    }

    /** The reply to one of its attempts. */
    void replied(ReleaseAttempt attempt, @Nullable ReleaseReply reply, @Nullable Throwable failure) {
        synchronized (this) {
            if (attempt != latest || done) {
                return;
            }
            done = reply != null || StoreFailures.isRefused(failure);
        }
        if (reply != null) {
            engine.retries().succeeded(name);
            engine.tokenSeen(reply.token());
            completeRequeue(reply.requeued(), null);
            if (reply.outcome() == Outcome.RELEASED || reply.outcome() == Outcome.TRANSFERRED) {
                attempt.revokeOthers();
            }
            finish();
            outcome.complete(believed(reply.outcome()));
        } else {
            failed(StoreFailures.unwrap(failure));
        }
    }

    /** After an attempt of unknown outcome, that attempt may be the cause of "not held". */
    private synchronized Outcome believed(Outcome reported) {
        return doubtful && reported.isLoss() ? Outcome.RELEASED : reported;
    }

    private void failed(Throwable failure) {
        lastFailure = failure;
        boolean refused = StoreFailures.isRefused(failure);
        completeRequeue(null, failure);
        if (refused) {
            finish();
            outcome.completeExceptionally(failure);
        } else {
            synchronized (this) {
                doubtful |= StoreFailures.isUnknown(failure);
                resting = true;
                engine.retries().failed(name);
                lookAt(engine.now() + Acquisition.backOff(engine, failures++));
            }
        }
    }

    /** After a failure, the acquisition that queues again is separate; later attempts only release. */
    private void completeRequeue(@Nullable AcquireReply reply, @Nullable Throwable failure) {
        AcquireAttempt attempt;
        synchronized (this) {
            attempt = requeueAttempt;
            requeue = null;
            requeueAttempt = null;
        }
        if (attempt != null && failure != null) {
            attempt.replied(null, failure);
        } else if (attempt != null) {
            attempt.replied(reply == null ? new AcquireReply.Busy(0, false, 0, 0, 0) : reply, null);
        }
    }

    /** Why the latest attempt with a reply has failed, or null. */
    @Nullable
    Throwable lastFailure() {
        return lastFailure;
    }

    /** The store can be reached again: retries after that delay, if it pauses. */
    void retry(long delay) {
        long now = engine.now();
        ReleaseAttempt before;
        synchronized (this) {
            if (!resting) {
                return;
            }
            before = latest;
            if (delay > 0) {
                lookAt(look - now < delay ? look : now + delay);
                return;
            }
        }
        send(now, before);
    }

    private synchronized void lookAt(long time) {
        look = time;
        if (!done) {
            engine.arm(this, time);
        }
    }

    @Override
    void onDue(long now) {
        boolean overdue;
        ReleaseAttempt attempt;
        synchronized (this) {
            if (done) {
                return;
            }
            if (now - look < 0) {
                engine.arm(this, look);
                return;
            }
            attempt = latest;
            uncertain |= attempt == null;
            overdue = attempt != null && !resting;
            if (attempt != null && overdue && !attempt.isOpen()) {
                return;
            }
            doubtful |= overdue;
        }
        if (attempt != null && now - giveUpAt >= 0) {
            giveUp();
            return;
        }
        if (overdue) {
            engine.retries().failed(name);
            completeRequeue(null, StoreFailures.noReply(timeout));
        }
        if (attempt == null || engine.retries().tryAcquirePermit(name, now)) {
            send(now, attempt);
        } else {
            lookAt(now + Acquisition.longBackOff(engine));
        }
    }

    private void giveUp() {
        synchronized (this) {
            done = true;
        }
        Throwable failure = StoreFailures.noReply(timeout);
        completeRequeue(null, failure);
        finish();
        outcome.completeExceptionally(failure);
    }

    /** The engine has closed. A later reply changes nothing, and no timer would end the wait for it. */
    void endUnanswered() {
        Throwable known = lastFailure;
        outcome.completeExceptionally(known == null ? StoreFailures.noReply(timeout) : known);
    }

    private void finish() {
        engine.disarm(this);
        engine.locks().releaseEnded(this);
    }
}
