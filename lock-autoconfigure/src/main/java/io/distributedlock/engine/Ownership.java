/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener.Path;
import io.distributedlock.LockOwner;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import org.jspecify.annotations.Nullable;

/**
 * The side of a {@link NamedLock} that has a lease, and the hold of the present caller. It exists from the grant to the
 * release or loss. Guarded by the lock's monitor.
 */
final class Ownership {

    private final NamedLock lock;

    final Lease lease;

    private final RenewalSchedule watch;

    /** The hold of the present caller, or while retained, the rest of the latest one. */
    private Hold hold;

    private boolean retained;

    /** @param recalled whether a recall by another instance arrived before the grant */
    Ownership(
            NamedLock lock,
            StoreAcquisition.Grant granted,
            boolean recalled,
            Waiter first,
            long now,
            DeferredActions actions) {
        this.lock = lock;
        this.lease = granted.lease();
        this.watch = new RenewalSchedule(lease);
        lease.othersWait(granted.waiting(), now);
        if (recalled) {
            lease.recall(now);
        }
        hold = grant(first, granted.path(), lease.sentAt(), now, actions);
    }

    private Hold grant(Waiter waiter, Path path, long start, long now, DeferredActions actions) {
        HandleAnchor anchor = new HandleAnchor();
        Hold granted = new Hold(lock, waiter, lease, start, now, anchor);
        DefaultLockHandle handle = new DefaultLockHandle(granted, anchor, true);
        actions.add(() -> waiter.decide(new AcquireResult.Granted(handle, path)));
        return granted;
    }

    /** Whether the next caller in this instance may have the lease. */
    boolean mayPass(long now) {
        return lease.mayPass(lock.engine.settings(), hold, now);
    }

    /** The time until the next hold of this lease may have its token; 0 if it may. */
    long nanosToNextToken(long now) {
        return lease.nanosToNextToken(hold, now);
    }

    /** Passes the lease to the next caller in this instance, with the next token. */
    void passTo(Waiter next, long now, DeferredActions actions) {
        lease.pass();
        lock.engine.tokenSeen(lease.token());
        Path path = retained ? Path.RETAINED : Path.LOCAL;
        retained = false;
        hold = grant(next, path, now, now, actions);
        watch.passed(lease, hold, now);
    }

    /** No local caller requests the lock now, but one may soon: the lease stays here until then, or until that time. */
    void retainUntil(long end, long now) {
        hold.renewUntil = end + hold.lease;
        hold.extendedUntil = now;
        hold.updateDeadline(lease, now);
        retained = true;
    }

    /** Whether the lease is kept for the next local caller, without a hold. Then no local caller waits. */
    boolean isRetained() {
        return retained;
    }

    /** Whether the lease may be kept: not if an extension made it longer than the next holder requests. */
    boolean mayRetain(long retention, long now) {
        return retention > 0 && !lease.isContended() && lease.isLongEnough(now) && lease.length() <= hold.lease;
    }

    /** Whether a retained lease has to be released now. */
    boolean isRecalled(long now) {
        return lease.isContended() || retainedUntil() - now <= 0;
    }

    /**
     * The end of the retention, or earlier if the lease could not be renewed: it must not end by itself, since the line
     * of the waiters would end with it.
     */
    private long retainedUntil() {
        long end = hold.renewUntil - hold.lease;
        return lease.shortFrom() - end < 0 ? lease.shortFrom() : end;
    }

    Hold hold() {
        return hold;
    }

    // ---- re-entry

    @Nullable
    DefaultLockHandle reenter(@Nullable Object owner, @Nullable LockOwner enclosing, long now) {
        if (!hold.admits(owner, enclosing) || !hold.isHeld(now)) {
            return null;
        }
        boolean byOwner = hold.isOwnedBy(owner);
        DefaultLockHandle handle = new DefaultLockHandle(hold, hold.anchorForNext(), byOwner);
        hold.entered(byOwner);
        return handle;
    }

    /** Whether closing an inner entry was sufficient. */
    boolean exitNested(Hold closing, boolean byOwner, long now) {
        if (hold != closing || closing.entries <= 1 || closing.isExpired(now)) {
            return false;
        }
        closing.left(byOwner);
        return true;
    }

    // ---- renewal

    void onDue(long now, DeferredActions actions) {
        Hold current = hold;
        if (!retained && current.isAbandoned() && !watch.isTooLong()) {
            if (!current.abandonmentTold) {
                current.abandonmentTold = true;
                actions.add(() -> lock.engine.log().abandoned(current));
            }
            return;
        }
        RenewCommand command = watch.renew(lease, current, timeout(), now);
        if (command != null) {
            current.updateDeadline(lease, now);
            lock.engine.renewal().add(new LeaseRenewal.Due(lock, watch.current(), command));
        }
    }

    LeaseRenewal.Due extend(long length, long now) {
        if (!hold.renew) {
            hold.renewUntil = now + length;
        }
        hold.extendedUntil = now + length;
        RenewCommand command = watch.extend(lease, hold, Math.min(length, hold.renewUntil - now), now);
        hold.updateDeadline(lease, now);
        return new LeaseRenewal.Due(lock, watch.current(), command);
    }

    /** Whether a reply is the expected one. */
    boolean isAwaited(int renewal) {
        return watch.isAwaited(renewal);
    }

    /** Whether another extension was begun after this renewal, so that its reply has no meaning. */
    boolean isExtendedSince(int renewal) {
        return watch.extension() > renewal;
    }

    /** @return false if the lease is gone according to the store */
    boolean renewed(@Nullable RenewReply reply, @Nullable Throwable failure, long now) {
        if (reply == null) {
            watch.failed(lease, StoreFailures.isNotExecuted(failure) || StoreFailures.isRefused(failure), now);
            return true;
        }
        lock.engine.retries().succeeded(lock.name);
        if (reply.renewed()) {
            lock.engine.tokenSeen(reply.token());
            lease.tokenSeen(reply.token());
            lease.othersWait(reply.waiting(), now);
            watch.renewed(lease);
            hold.renewed(lease, now);
        }
        return reply.renewed();
    }

    /** A lease that recalls do not reach is renewed at once: the reply has the number of waiters. */
    void connected(long delay, long now) {
        watch.retry(now);
        if (lock.engine.store().isOutOfReach(lock.name, lease.number)) {
            watch.renewBy(now + delay);
        }
    }

    long nextLook() {
        long look = hold.abandonmentTold && !retained ? TimerQueue.NEVER : watch.nextLook(lease, hold, timeout());
        long end = retained ? retainedUntil() : hold.deadline();
        return look == TimerQueue.NEVER || look - end > 0 ? end : look;
    }

    private long timeout() {
        return lock.engine.timeout(lease.length());
    }

    /** Why a hold is lost whose deadline has passed. */
    LossCause whyExpired(long now) {
        boolean tooOld = hold.renew && hold.renewUntil - now <= 2 * Lease.margin(lease.length());
        return tooOld ? LossCause.TOO_OLD : LossCause.EXPIRED;
    }
}
