/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockActivity;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOrigin;
import io.distributedlock.LockOwner;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One caller's hold, from grant to release, re-entries included. What is not volatile is guarded by the
 * {@link NamedLock}.
 */
final class Hold {

    private enum Phase {
        HELD,
        CLOSED,
        LOST
    }

    private static final AtomicReferenceFieldUpdater<Hold, LockListener.@Nullable Attempt> TOLD =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, LockListener.Attempt.class, "told");

    final NamedLock lock;

    private final LockOrigin origin;

    /** Guarded by the lock's monitor, as are the counts. */
    private Object owner;

    /** The lease that its caller asked for. */
    final long lease;

    /** Whether it is renewed to that as long as it lasts. */
    final boolean renew;

    final long token;

    final long grantedAt;

    /** The lock must not become free earlier than this long after the grant. */
    private volatile long minHold;

    /** How often it was entered and not yet left. */
    int entries = 1;

    /** How many of these entries were made by the owner itself, not by work nested in its own. */
    private int ownEntries = 1;

    /** The lease is never renewed beyond this time. */
    long renewUntil;

    /** The lease must not be renewed to end before this time, if it is later than now. */
    long extendedUntil;

    /** Whether a warning was written that nobody can close it any more. */
    boolean abandonmentTold;

    private volatile long deadline;

    /** When its last renewal was sent that was confirmed, if there was one. Guarded by the lock's monitor. */
    private long renewedAt;

    private boolean renewed;

    private volatile Phase phase = Phase.HELD;

    private volatile @Nullable LockLostException loss;

    /** What is told of its end, until it was; null if nobody listens, or the holder has not got it yet. */
    private volatile LockListener.@Nullable Attempt told;

    /** All handles share it, so it is reachable as long as one of them is. */
    private WeakReference<HandleAnchor> anchor;

    /** @param start from when its own lease counts if it is not renewed */
    Hold(NamedLock lock, Waiter waiter, Lease granted, long start, long now, HandleAnchor anchor) {
        this.lock = lock;
        this.owner = waiter.owner;
        this.origin = waiter.terms.origin();
        this.lease = waiter.terms.lease();
        this.renew = waiter.terms.renew();
        this.token = granted.token();
        this.grantedAt = now;
        this.minHold = waiter.terms.minHold();
        this.extendedUntil = now;
        this.anchor = new WeakReference<>(anchor);
        this.renewUntil = renew ? now + waiter.terms.maxHold() : start + lease;
        updateDeadline(granted, now);
    }

    String name() {
        return lock.name;
    }

    /** For how much longer the lock must not become free. */
    long mustStay(long now) {
        return Math.max(0, minHold - (now - grantedAt));
    }

    /** Nothing was done under it, so that it may become free at once. */
    void waiveMinHold() {
        minHold = 0;
    }

    /** What a new handle keeps. If the earlier ones are gone, nobody can close their entries any more. */
    HandleAnchor anchorForNext() {
        HandleAnchor known = anchor.get();
        if (known == null) {
            known = new HandleAnchor();
            anchor = new WeakReference<>(known);
            abandonmentTold = false;
            entries = 0;
            ownEntries = 0;
        }
        return known;
    }

    Object owner() {
        return owner;
    }

    /** Whether the caller is the owner. */
    boolean isOwnedBy(Object caller) {
        return owner == caller;
    }

    /** Whether the caller may enter again: it is the owner, or its work is nested in work of the owner. */
    boolean admits(Object caller, @Nullable LockOwner enclosing) {
        if (owner == caller) {
            return true;
        }
        for (LockOwner each = enclosing; each != null; each = each.enclosing()) {
            if (each == owner || each.isInside(name(), token)) {
                return true;
            }
        }
        return false;
    }

    void entered(boolean byOwner) {
        entries++;
        ownEntries += byOwner ? 1 : 0;
    }

    /** What is left may be nested work that outlives its owner, and a thread goes on to do something else. */
    void left(boolean byOwner) {
        entries--;
        ownEntries -= byOwner ? 1 : 0;
        if (ownEntries == 0 && owner instanceof Thread) {
            owner = new Object();
        }
    }

    /** Nobody is left to close it: its handles were garbage collected, or the thread that acquired it has ended. */
    boolean isAbandoned() {
        return anchor.get() == null || (owner instanceof Thread thread && !thread.isAlive());
    }

    /** The lease was granted or renewed. */
    void updateDeadline(Lease granted, long now) {
        long limit = renewUntil - now;
        deadline = granted.deadline() - now <= limit ? granted.deadline() : renewUntil;
    }

    /** A renewal was confirmed. */
    void renewed(Lease granted, long now) {
        renewed = true;
        renewedAt = granted.sentAt();
        updateDeadline(granted, now);
    }

    long deadline() {
        return deadline;
    }

    boolean isExpired(long now) {
        return now - deadline >= 0;
    }

    boolean isHeld(long now) {
        return phase == Phase.HELD && !isExpired(now);
    }

    long remaining(long now) {
        return phase == Phase.HELD ? Math.max(0, deadline - now) : 0;
    }

    LockActivity.Held describe(long now, int waiters) {
        return new LockActivity.Held(
                name(),
                token,
                Duration.ofNanos(now - grantedAt),
                Duration.ofNanos(remaining(now)),
                Waiter.describe(owner),
                entries - 1,
                waiters,
                origin,
                traceId(),
                renewed ? Duration.ofNanos(now - renewedAt) : null,
                Readers.isReader(lock) ? LockMode.SHARED : LockMode.EXCLUSIVE);
    }

    private @Nullable String traceId() {
        LockListener.Attempt known = told;
        return known == null ? null : known.traceId();
    }

    LockOrigin origin() {
        return origin;
    }

    /** Its holder has got it. */
    void isTold(LockListener.Attempt attempt) {
        told = attempt;
    }

    /** What is to be told of its end; at the first call only. */
    LockListener.@Nullable Attempt takeTold() {
        return told == null ? null : TOLD.getAndSet(this, null);
    }

    boolean isClosed() {
        return phase == Phase.CLOSED;
    }

    void close() {
        phase = Phase.CLOSED;
        takeCallbacks();
    }

    /** @return the callbacks to run */
    List<Runnable> lose(LossCause why, long now) {
        Duration heldFor = Duration.ofNanos(now - grantedAt);
        loss = new LockLostException(
                name(), "Lock '" + name() + "' was lost after " + heldFor.toMillis() + " ms: " + why.words(), heldFor);
        phase = Phase.LOST;
        return takeCallbacks();
    }

    /** None are left if nobody can reach a handle any more. */
    private List<Runnable> takeCallbacks() {
        HandleAnchor known = anchor.get();
        return known == null ? List.of() : known.end();
    }

    /** @return true if it is lost already, so the callback is to be run at once */
    boolean onLost(DefaultLockHandle handle, HandleAnchor kept, Runnable callback) {
        return !kept.add(handle, callback) && phase == Phase.LOST;
    }

    /** A new exception for every caller, so that the stack is the caller's; null if it was not lost. */
    @Nullable
    LockLostException loss() {
        LockLostException first = loss;
        return first == null
                ? null
                : new LockLostException(first.lockName(), String.valueOf(first.getMessage()), first.heldFor());
    }
}
