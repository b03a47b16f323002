/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener.Path;
import io.distributedlock.LockOwner;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The side of a {@link NamedLock} that has a lease, and the hold of the present caller. It exists from the grant to the
 * release or loss. Guarded by the lock's monitor.
 *
 * <p>A lease that a caller holds is this one object, in three layers that know only those before: what the store has
 * ({@link Lease}), when it is renewed ({@link RenewedLease}), and who has it here. The hold is not a part of it, since
 * it ends when the lease is passed on.
 */
final class Ownership extends RenewedLease {

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
        super(granted.lease());
        othersWait(granted.waiting(), now);
        if (recalled) {
            recall(now);
        }
        hold = grant(lock, first, granted.path(), sentAt(), now, actions);
    }

    private Hold grant(NamedLock lock, Waiter waiter, Path path, long start, long now, DeferredActions actions) {
        HandleAnchor anchor = new HandleAnchor();
        Hold granted = new Hold(lock, waiter, this, start, now, anchor);
        DefaultLockHandle handle = new DefaultLockHandle(granted, anchor);
        actions.add(() -> waiter.decide(new AcquireResult.Granted(handle, path)));
        return granted;
    }

    /** Whether the next caller in this instance may have the lease. */
    boolean mayPass(long now) {
        return mayPass(engine().settings(), hold, now);
    }

    /** The time until the next hold of this lease may have its token; 0 if it may. */
    long nanosToNextToken(long now) {
        return nanosToNextToken(hold, now);
    }

    /** Passes the lease to the next caller in this instance, with the next token. */
    void passTo(Waiter next, long now, DeferredActions actions) {
        pass();
        engine().tokenSeen(token());
        Path path = retained ? Path.RETAINED : Path.LOCAL;
        retained = false;
        hold = grant(hold.lock, next, path, now, now, actions);
        passed(hold, now);
    }

    /** No local caller requests the lock now, but one may soon: the lease stays here until then, or until that time. */
    void retainUntil(long end, long now) {
        hold.retainUntil(end);
        hold.updateDeadline(this, now);
        retained = true;
    }

    /** Whether the lease is kept for the next local caller, without a hold. Then no local caller waits. */
    boolean isRetained() {
        return retained;
    }

    /** Whether the lease may be kept: not if an extension made it longer than the next holder requests. */
    boolean mayRetain(long retention, long now) {
        return retention > 0 && !isContended() && isLongEnough(now) && length() <= hold.lease;
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
        long end = hold.retainedUntil();
        return shortFrom() - end < 0 ? shortFrom() : end;
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
        HandleAnchor anchor = hold.anchorForNext();
        DefaultLockHandle handle = byOwner ? new DefaultLockHandle(hold, anchor) : new NestedWorkHandle(hold, anchor);
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
        if (!retained && current.isAbandoned()) {
            if (!current.abandonmentTold) {
                current.abandonmentTold = true;
                actions.add(() -> engine().log().abandoned(current));
            }
            return;
        }
        RenewCommand command = renewIfDue(current, timeout(), now);
        if (command != null) {
            current.updateDeadline(this, now);
            engine().renewal().add(due(command));
        }
    }

    private LeaseRenewal.Due due(RenewCommand command) {
        return new LeaseRenewal.Due(hold.lock, Objects.requireNonNull(underWay()), command);
    }

    LeaseRenewal.Due extend(long length, long now) {
        hold.extendUntil(now + length);
        RenewCommand command = startExtension(hold, Math.min(length, hold.renewUntil() - now), now);
        hold.updateDeadline(this, now);
        return due(command);
    }

    /** Whether another extension was begun after this renewal, so that its reply has no meaning. */
    boolean isExtendedSince(Renewal renewal) {
        return hold.extensions() > renewal.extensions;
    }

    /** @return false if the lease is gone according to the store */
    boolean renewed(@Nullable RenewReply reply, @Nullable Throwable failure, long now) {
        if (reply == null) {
            renewalFailed(StoreFailures.isNotExecuted(failure) || StoreFailures.isRefused(failure), now);
            return true;
        }
        engine().retries().succeeded(hold.name());
        if (reply.renewed()) {
            engine().tokenSeen(reply.token());
            tokenSeen(reply.token());
            othersWait(reply.waiting(), now);
            renewalConfirmed();
            hold.updateDeadline(this, now);
        }
        return reply.renewed();
    }

    /** The time since the last renewal for the present hold was sent, or null if there was none yet. */
    @Nullable
    Duration sinceRenewal(long now) {
        return sentAt() - hold.grantedAt > 0 ? Duration.ofNanos(now - sentAt()) : null;
    }

    /** A lease that recalls do not reach is renewed at once: the reply has the number of waiters. */
    void connected(long delay, long now) {
        retry(now);
        if (engine().store().isOutOfReach(hold.name(), number)) {
            renewBy(now + delay);
        }
    }

    long nextLook() {
        long look = hold.abandonmentTold && !retained ? TimerQueue.NEVER : nextRenewal(hold, timeout());
        long end = retained ? retainedUntil() : hold.deadline();
        return look == TimerQueue.NEVER || look - end > 0 ? end : look;
    }

    private long timeout() {
        return engine().timeout(length());
    }

    private EngineContext engine() {
        return hold.lock.engine;
    }

    /** Why a hold is lost whose deadline has passed. */
    LossCause whyExpired(long now) {
        boolean tooOld = hold.renew && hold.renewUntil() - now <= 2 * margin(length());
        return tooOld ? LossCause.TOO_OLD : LossCause.EXPIRED;
    }
}
