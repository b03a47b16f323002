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
 * One caller's hold, from grant to release, re-entries included. Fields that are not volatile are guarded by the
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

    /**
     * As {@link Waiter#owner}; also null once an owner that is a thread has left and nested work continues. Guarded by
     * the lock's monitor, as are the counts.
     */
    private @Nullable Object owner;

    /** The lease that its caller requested. */
    final long lease;

    /** Whether it is renewed to that as long as it lasts. */
    final boolean renew;

    final long token;

    final long grantedAt;

    /** The lock must not become free earlier than this long after the grant. */
    private volatile long minHold;

    /** The number of entries that were not left yet. */
    int entries = 1;

    /** The number of these entries by the owner itself, not by work nested in its own. */
    private int ownEntries = 1;

    /** The lease is never renewed beyond this time. */
    long renewUntil;

    /** The lease must not be renewed to end before this time, if it is later than now. */
    long extendedUntil;

    /** Whether the warning was logged that it can no longer be closed. */
    boolean abandonmentTold;

    private volatile long deadline;

    /** When its last confirmed renewal was sent, if there was one. Guarded by the lock's monitor. */
    private long renewedAt;

    private boolean renewed;

    private volatile Phase phase = Phase.HELD;

    private volatile @Nullable Loss loss;

    /**
     * The listener to its end, until it was called; null if there is none, or before the holder has received the hold.
     */
    private volatile LockListener.@Nullable Attempt told;

    private volatile @Nullable String traceId;

    /** All handles share this, so it is reachable as long as one of them is. */
    private WeakReference<HandleAnchor> anchor;

    /**
     * How it was lost.
     *
     * @param anchor reachable from the loss on: the callbacks are run although the handles may be unreachable by then
     */
    private record Loss(LockLostException how, @Nullable HandleAnchor anchor) {}

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

    /** The remaining time for which the lock must not become free. */
    long mustStay(long now) {
        return Math.max(0, minHold - (now - grantedAt));
    }

    /** No work was done under it, so the lock may become free at once. */
    void waiveMinHold() {
        minHold = 0;
    }

    /** The anchor for a new handle. If the earlier handles are gone, their entries can no longer be closed. */
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

    @Nullable
    Object owner() {
        return owner;
    }

    /** Whether the caller is the owner. */
    boolean isOwnedBy(@Nullable Object caller) {
        return caller != null && owner == caller;
    }

    /** Whether the caller may re-enter: it is the owner, or its work is nested in work of the owner. */
    boolean admits(@Nullable Object caller, @Nullable LockOwner enclosing) {
        if (isOwnedBy(caller)) {
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

    /** The rest may be nested work that outlives its owner, while the thread continues with other work. */
    void left(boolean byOwner) {
        entries--;
        ownEntries -= byOwner ? 1 : 0;
        owner = ownEntries == 0 && owner instanceof Thread ? null : owner;
    }

    /** It can no longer be closed: its handles were garbage collected, or the thread that acquired it has ended. */
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

    @Nullable
    String traceId() {
        return told == null ? null : traceId;
    }

    LockOrigin origin() {
        return origin;
    }

    /** Its holder has received it. */
    void isTold(LockListener.Attempt attempt, @Nullable String trace) {
        traceId = trace;
        told = attempt;
    }

    /** The listener to its end; at the first call only. */
    LockListener.@Nullable Attempt takeTold() {
        return told == null ? null : TOLD.getAndSet(this, null);
    }

    boolean isLost() {
        return phase == Phase.LOST;
    }

    boolean isClosed() {
        return phase == Phase.CLOSED;
    }

    void close() {
        phase = Phase.CLOSED;
        takeCallbacks();
    }

    void lose(LossCause why, long now) {
        Duration heldFor = Duration.ofNanos(now - grantedAt);
        LockLostException how = new LockLostException(
                name(), "Lock '" + name() + "' was lost after " + heldFor.toMillis() + " ms: " + why.words(), heldFor);
        loss = new Loss(how, anchor.get());
        phase = Phase.LOST;
    }

    /** The callbacks of a lost hold, at the first call only. There are none if no handle is reachable any more. */
    List<Runnable> takeCallbacks() {
        Loss lost = loss;
        HandleAnchor known = lost == null || lost.anchor() == null ? anchor.get() : lost.anchor();
        return known == null ? List.of() : known.end();
    }

    /** @return true if it is already lost, so the callback has to run at once */
    boolean onLost(DefaultLockHandle handle, HandleAnchor kept, Runnable callback) {
        return !kept.add(handle, callback) && phase == Phase.LOST;
    }

    /** A new exception for every caller, so that the stack is the caller's; null if it was not lost. */
    @Nullable
    LockLostException loss() {
        Loss known = loss;
        if (known == null) {
            return null;
        }
        LockLostException first = known.how();
        return new LockLostException(first.lockName(), String.valueOf(first.getMessage()), first.heldFor());
    }
}
