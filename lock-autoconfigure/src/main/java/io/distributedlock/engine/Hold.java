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
 *
 * <p>It refers weakly to the anchor that all its handles share, so that is reachable as long as one of them is.
 */
final class Hold extends WeakReference<HandleAnchor> {

    private static final AtomicReferenceFieldUpdater<Hold, LockListener.@Nullable Attempt> ATTEMPT =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, LockListener.Attempt.class, "attempt");

    final NamedLock lock;

    private final LockOrigin origin;

    /**
     * As {@link Waiter#owner}; also null once an owner that is a thread has left and nested work continues. Guarded by
     * the lock's monitor, as are the entries.
     */
    private @Nullable Object owner;

    /** The lease that its caller requested. */
    final long lease;

    /** Whether it is renewed to that as long as it lasts. */
    final boolean renew;

    final long token;

    final long grantedAt;

    /** Null for a hold that was not re-entered: it has one entry, which is by the owner. */
    private @Nullable HoldEntries entries;

    /** The limits of its length; null for a hold that has none and was not extended. */
    private @Nullable HoldLimits limits;

    /** Whether the warning was logged that it can no longer be closed. */
    boolean abandonmentLogged;

    private volatile long deadline;

    /** How it has ended; null while it is held. */
    private volatile @Nullable Ending ending;

    /**
     * The listener to its end, until it was called; null if there is none, or before the holder has received the hold.
     */
    private volatile LockListener.@Nullable Attempt attempt;

    private volatile @Nullable String traceId;

    private sealed interface Ending {}

    /** The last handle was closed. */
    private enum Closed implements Ending {
        INSTANCE
    }

    /**
     * It was lost.
     *
     * @param anchor reachable from the loss on: the callbacks are run although the handles may be unreachable by then
     */
    private record Loss(LockLostException how, @Nullable HandleAnchor anchor) implements Ending {}

    /** @param start from when its own lease counts if it is not renewed */
    Hold(NamedLock lock, Waiter waiter, Lease granted, long start, long now, HandleAnchor anchor) {
        super(anchor);
        this.lock = lock;
        this.owner = waiter.owner;
        this.origin = waiter.request.origin();
        this.lease = waiter.request.lease();
        this.renew = waiter.request.renew();
        this.token = granted.token();
        this.grantedAt = now;
        this.limits = HoldLimits.of(waiter.request, start, now);
        updateDeadline(granted, now);
    }

    String name() {
        return lock.name;
    }

    /** The remaining time for which the lock must not become free. */
    long mustStay(long now) {
        return limits == null ? 0 : Math.max(0, limits.minHold - (now - grantedAt));
    }

    /** No work was done by this entry. The lock may become free at once, unless another entry has ended before. */
    void waiveMinHold() {
        HoldLimits known = limits;
        if (known != null && (entries == null || !entries.wasOneLeft())) {
            known.minHold = 0;
        }
    }

    /** The lease is never renewed beyond this time. */
    long renewUntil() {
        return limits == null ? grantedAt + ResolvedRequest.FOREVER : limits.renewUntil;
    }

    /** Its maximum time begins now, if that waits for other locks of the request. */
    void beginMaxHold(long now) {
        if (limits != null) {
            limits.begin(now);
        }
    }

    /** The lease must not be renewed to end before this time, if it is later than now. */
    long extendedUntil() {
        return limits == null ? grantedAt : limits.extendedUntil;
    }

    /** The number of its extensions that have begun. */
    int extensions() {
        return limits == null ? 0 : limits.extensions;
    }

    /** Its caller extends it. What that changes counts only when the store has confirmed it. */
    Extension extend(long end, Lease before) {
        return new Extension(++limits().extensions, end, before);
    }

    void extended(Extension extension) {
        if (ending == null) {
            limits().extended(extension, renew);
        }
    }

    /** Unknown outcome: no renewal restores a lease that is not renewed, so the shorter one counts. */
    void extensionUnknown(Extension extension) {
        if (ending == null && !renew) {
            limits().extensionUnknown(extension);
        }
    }

    /** It was closed, and its lease is retained until then: the lease must not be renewed much beyond that. */
    void retain(Lease kept, long end, long now) {
        HoldLimits changed = limits();
        changed.retainedUntil = end;
        changed.renewUntil = end + lease;
        changed.extendedUntil = grantedAt;
        updateDeadline(kept, now);
        changed.retained = true;
    }

    /** Whether it was closed, and its lease is kept for the next hold. */
    boolean isRetained() {
        return limits != null && limits.retained;
    }

    /** Until when its lease is retained. */
    long retainedUntil() {
        return limits().retainedUntil;
    }

    private HoldLimits limits() {
        HoldLimits known = limits == null ? new HoldLimits(0, renewUntil(), extendedUntil()) : limits;
        limits = known;
        return known;
    }

    private @Nullable HandleAnchor anchor() {
        WeakReference<HandleAnchor> later = entries == null ? null : entries.laterAnchor();
        return later == null ? get() : later.get();
    }

    /** The anchor for a new handle. If the earlier handles are gone, their entries can no longer be closed. */
    HandleAnchor anchorForNext() {
        HandleAnchor known = anchor();
        if (known == null) {
            known = new HandleAnchor();
            reentered().restart(known);
            abandonmentLogged = false;
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

    /** The number of entries that were not left yet. */
    int entries() {
        return entries == null ? 1 : entries.open();
    }

    private HoldEntries reentered() {
        HoldEntries known = entries == null ? new HoldEntries() : entries;
        entries = known;
        return known;
    }

    void entered(boolean byOwner) {
        reentered().entered(byOwner);
    }

    /** The rest may be nested work that outlives its owner, while the thread continues with other work. */
    void left(boolean byOwner) {
        HoldEntries left = reentered();
        left.left(byOwner);
        owner = left.isOwnerGone() && owner instanceof Thread ? null : owner;
    }

    /**
     * It can no longer be closed: its handles were garbage collected, or the thread that owns it has ended. An explicit
     * owner is no thread, and outlives the one that has acquired the lock.
     */
    boolean isAbandoned() {
        return anchor() == null || (isOwnedByThread() && owner instanceof Thread thread && !thread.isAlive());
    }

    /** Whether the work under it is that of the thread that has acquired it. */
    boolean isOwnedByThread() {
        return owner instanceof Thread && (lock.owner == null || Readers.isReader(lock));
    }

    /** The lease was granted or renewed. */
    void updateDeadline(Lease granted, long now) {
        long limit = renewUntil() - now;
        deadline = granted.deadline() - now <= limit ? granted.deadline() : renewUntil();
    }

    long deadline() {
        return deadline;
    }

    boolean isExpired(long now) {
        return now - deadline >= 0;
    }

    boolean isHeld(long now) {
        return ending == null && !isExpired(now);
    }

    long remaining(long now) {
        return ending == null ? Math.max(0, deadline - now) : 0;
    }

    /**
     * Without the waiters, which wait for the locks of all owners of the name.
     *
     * @param sinceRenewal the time since the last renewal was sent, null if there was none yet
     */
    LockActivity.Held describe(long now, @Nullable Duration sinceRenewal) {
        return new LockActivity.Held(
                name(),
                token,
                Duration.ofNanos(now - grantedAt),
                Duration.ofNanos(remaining(now)),
                CallerName.of(owner),
                entries() - 1,
                0,
                origin,
                traceId(),
                sinceRenewal,
                Readers.isReader(lock) ? LockMode.SHARED : LockMode.EXCLUSIVE);
    }

    @Nullable
    String traceId() {
        return attempt == null ? null : traceId;
    }

    LockOrigin origin() {
        return origin;
    }

    /** Its holder has received it, and the listener knows that. The hold may have ended meanwhile. */
    void setAttempt(LockListener.Attempt listener, @Nullable String trace) {
        traceId = trace;
        attempt = listener;
    }

    /** The listener to its end; at the first call only. */
    LockListener.@Nullable Attempt takeAttempt() {
        return attempt == null ? null : ATTEMPT.getAndSet(this, null);
    }

    boolean isLost() {
        return ending instanceof Loss;
    }

    boolean hasEnded() {
        return ending != null;
    }

    boolean isClosed() {
        return ending instanceof Closed;
    }

    void close() {
        ending = Closed.INSTANCE;
        takeCallbacks();
    }

    void lose(LossCause why, long now) {
        Duration heldFor = Duration.ofNanos(now - grantedAt);
        LockLostException how = new LockLostException(
                name(), "Lock '" + name() + "' was lost after " + heldFor.toMillis() + " ms: " + why.words(), heldFor);
        ending = new Loss(how, anchor());
    }

    /** The callbacks of a lost hold, at the first call only. There are none if no handle is reachable any more. */
    List<Runnable> takeCallbacks() {
        HandleAnchor kept = ending instanceof Loss lost ? lost.anchor() : null;
        HandleAnchor known = kept == null ? anchor() : kept;
        return known == null ? List.of() : known.end();
    }

    /** @return true if it is already lost, so the callback has to run at once */
    boolean onLost(DefaultLockHandle handle, HandleAnchor kept, Runnable callback) {
        return !kept.add(this, handle, callback) && isLost();
    }

    /** A new exception for every caller, so that the stack is the caller's; null if it was not lost. */
    @Nullable
    LockLostException loss() {
        if (!(ending instanceof Loss lost)) {
            return null;
        }
        LockLostException first = lost.how();
        return new LockLostException(first.lockName(), String.valueOf(first.getMessage()), first.heldFor());
    }
}
