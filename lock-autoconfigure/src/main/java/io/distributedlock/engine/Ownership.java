/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener.Path;
import io.distributedlock.LockOwner;
import org.jspecify.annotations.Nullable;

/**
 * The side of a {@link NamedLock} that has a lease, and the hold of the present caller. It exists from the grant to the
 * release or loss. Guarded by the lock's monitor.
 *
 * <p>A lease that a caller holds is this one object, in three layers that know only those before: what the store has
 * ({@link Lease}), for which hold it is renewed and when ({@link RenewedLease}), and who has it here next. The hold is
 * an object of its own, since it ends when the lease is passed on.
 */
final class Ownership extends RenewedLease {

    private static final long LONGEST_WITHOUT_RECALLS_NANOS = 1_000_000_000;

    /** @param recalled whether a recall by another instance arrived before the grant */
    Ownership(
            NamedLock lock,
            StoreAcquisition.Grant granted,
            boolean recalled,
            Waiter first,
            long now,
            DeferredActions actions) {
        super(
                leaseOf(granted, recalled, now),
                grant(
                        lock,
                        first,
                        granted.lease(),
                        granted.path(),
                        granted.lease().sentAt(),
                        now,
                        actions));
    }

    private static Lease leaseOf(StoreAcquisition.Grant granted, boolean recalled, long now) {
        Lease lease = granted.lease();
        lease.updateContention(granted.waiting(), now);
        if (recalled) {
            lease.recall(now);
        }
        return lease;
    }

    private static Hold grant(
            NamedLock lock, Waiter waiter, Lease lease, Path path, long start, long now, DeferredActions actions) {
        HandleAnchor anchor = new HandleAnchor();
        Hold granted = new Hold(lock, waiter, lease, start, now, anchor);
        DefaultLockHandle handle = new DefaultLockHandle(granted, anchor);
        // Made once, since the action may run twice: another result would be another grant, and be released.
        AcquireResult result = new AcquireResult.Granted(handle, path);
        actions.add(() -> waiter.decide(result));
        return granted;
    }

    /** Whether the next caller in this instance may have the lease. */
    boolean mayPass(WaiterQueue waiters, long now) {
        Waiter next = waiters.first();
        return next != null
                && mayPass(engine().settings(), hold(), next.request.firstLease(), now)
                && !mayHaveMissedRecall(now);
    }

    /**
     * Whether recalls do not arrive, and the latest reply with the number of waiters is old. A request takes the place
     * of the hand-over then, and its reply has the number.
     */
    private boolean mayHaveMissedRecall(long now) {
        return now - requestedAt() > LONGEST_WITHOUT_RECALLS_NANOS && !receivesRecalls();
    }

    private boolean receivesRecalls() {
        LeaseStore store = engine().store();
        return store.receivesMessages(hold().name()) && !store.isOutOfReach(hold().name(), number);
    }

    /** The time until the next hold of this lease may have its token; 0 if it may. */
    long nanosToNextToken(long now) {
        return nanosToNextToken(hold(), now);
    }

    /** Passes the lease to the next caller in this instance, with the next token. */
    void passTo(Waiter next, long now, DeferredActions actions) {
        pass();
        engine().tokenSeen(token());
        Path path = isRetained() ? Path.RETAINED : Path.LOCAL;
        passed(grant(hold().lock, next, this, path, now, now, actions), now);
    }

    /** No local caller requests the lock now, but one may soon: the lease stays here until then, or until that time. */
    void retainUntil(long end, long now) {
        hold().retain(this, end, now);
    }

    /** Whether the lease is kept for the next local caller, without a hold. Then no local caller waits. */
    boolean isRetained() {
        return hold().isRetained();
    }

    /** Whether the store has the lock under this token, and the lease is retained. */
    boolean isRetainedWith(long inStore, long now) {
        return isRetained() && token() >= inStore && !hold().isExpired(now);
    }

    /**
     * The token of the hold, if the store has the lock under this one, which only the commands of its lease have; else
     * the given token.
     */
    long tokenOfHold(long inStore) {
        return token() >= inStore ? Math.min(hold().token, inStore) : inStore;
    }

    /**
     * Whether the lease may be kept: not if an extension made it longer than the next holder requests, nor if other
     * instances cannot recall it.
     */
    boolean mayRetain(long retention, long now) {
        return retention > 0
                && !isContended()
                && isLongEnough(length(), now)
                && length() <= hold().lease
                && receivesRecalls();
    }

    /** Whether a retained lease has to be released now. */
    boolean isRecalled(long now) {
        return isContended() || retainedUntil() - now <= 0;
    }

    /**
     * The end of the retention, or earlier if the lease could not be renewed: it must not end by itself, since the line
     * of the waiters would end with it.
     */
    private long retainedUntil() {
        long end = hold().retainedUntil();
        return shortFrom() - end < 0 ? shortFrom() : end;
    }

    /** All locks of the request are held. The lease may be longer than the maximum time by now. */
    void beginMaxHold(long now) {
        hold().beginMaxHold(now);
        hold().updateDeadline(this, now);
        passed(hold(), now);
    }

    // ---- re-entry

    /** The result of a caller that has the hold already; null if the caller has to wait. */
    @Nullable
    AcquireResult resultOfReentry(Waiter waiter, long now) {
        if (!hold().admits(waiter.owner, waiter.enclosing)) {
            return null;
        }
        if (!waiter.request.reentrant()) {
            return new AcquireResult.ReentryRefused();
        }
        DefaultLockHandle handle = reenter(waiter.owner, waiter.enclosing, now);
        return handle == null ? null : AcquireResult.reentered(handle);
    }

    @Nullable
    DefaultLockHandle reenter(@Nullable Object owner, @Nullable LockOwner enclosing, long now) {
        Hold entered = hold();
        if (!entered.admits(owner, enclosing) || !entered.isHeld(now)) {
            return null;
        }
        boolean byOwner = entered.isOwnedBy(owner);
        HandleAnchor anchor = entered.anchorForNext();
        DefaultLockHandle handle =
                byOwner ? new DefaultLockHandle(entered, anchor) : new NestedWorkHandle(entered, anchor);
        entered.entered(byOwner);
        return handle;
    }

    /** Whether closing an inner entry was sufficient. */
    boolean exitNested(Hold closing, boolean byOwner, long now) {
        if (hold() != closing || closing.entries() <= 1 || closing.isExpired(now)) {
            return false;
        }
        closing.left(byOwner);
        return true;
    }

    // ---- time

    void onDue(long now, DeferredActions actions) {
        Hold current = hold();
        if (!isRetained() && current.isAbandoned() && !isTooLong()) {
            if (!current.abandonmentLogged) {
                current.abandonmentLogged = true;
                actions.add(() -> current.lock.engine.lockLog().abandoned(current));
            }
            return;
        }
        Renewal overdue = giveUpOverdue(now);
        if (overdue != null) {
            actions.add(overdue::giveUp);
        }
        LeaseRenewal.Due due = renewIfDue(now);
        if (due != null) {
            engine().renewal().add(due);
        }
    }

    long nextLook() {
        long look = hold().abandonmentLogged && !isRetained() ? TimerQueue.NEVER : nextRenewal();
        long end = isRetained() ? retainedUntil() : hold().deadline();
        return look == TimerQueue.NEVER || look - end > 0 ? end : look;
    }

    /** The deadline of the hold has passed; returns why it is lost. A renewal that is under way came too late. */
    LossCause expired(long now, DeferredActions actions) {
        if (hold().renew && hold().renewUntil() - now <= 2 * margin(length())) {
            return LossCause.TOO_OLD;
        }
        Renewal tooLate = underWay();
        if (tooLate != null) {
            actions.add(tooLate::giveUp);
        }
        return LossCause.EXPIRED;
    }
}
