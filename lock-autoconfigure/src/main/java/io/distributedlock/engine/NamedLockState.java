/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockActivity;
import io.distributedlock.LockOwner;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one lock name in this JVM, and its transitions: the holder, the waiters, the latest replies of the
 * store. {@link NamedLock} describes the states and the outcome of each race. This class has no lock of its own: it is
 * reached through {@link NamedLock} only, and each method runs under the monitor of that.
 *
 * <p>Any step may fail, for lack of memory or stack, and {@link #repair} completes a transition that was left half
 * done. For that reason, a lease is first taken out of the state and then released: a release cannot be revoked, and
 * must not apply to a later hold under the same number.
 */
final class NamedLockState {

    /** For looks at a lock without waiters. Nothing is added to it. */
    private static final WaiterQueue NONE = new WaiterQueue();

    private final NamedLock lock;

    /** The callers that wait; null between two transitions while there are none. */
    private @Nullable WaiterQueue waiters;

    private @Nullable StoreAcquisition acquiring;

    private @Nullable Ownership ownership;

    private boolean retired;

    /** Whether a transition has begun and not ended: while it runs, or after it has failed half-way. */
    private boolean halfDone;

    NamedLockState(NamedLock lock) {
        this.lock = lock;
    }

    // ---- the frame of every transition

    /** @return what the transition returns, or null if the lock is retired and the transition was not run */
    <R> @Nullable R run(Transition<R> transition, long now, DeferredActions actions) {
        if (halfDone) {
            repair(now, actions);
        }
        if (retired) {
            return null;
        }
        halfDone = true;
        expireIfDue(now, actions);
        R result = transition.run(this, now, actions);
        scheduleNext(now, actions);
        forgetTaken();
        halfDone = false;
        return result;
    }

    /** Few locks that are held have waiters, so the queue goes with the last one. */
    private void forgetTaken() {
        WaiterQueue known = waiters;
        if (known != null) {
            known.forgetTaken();
            waiters = known.isEmpty() ? null : known;
        }
    }

    /**
     * The transition before this one has failed half-way. A waiter that it has taken out of the queue without a result
     * fails; a request that it may have sent has an unknown outcome; and a lease whose hold has ended is passed on. All
     * other state is unchanged, or is corrected at the next check of the clock.
     */
    private void repair(long now, DeferredActions actions) {
        if (waiters != null) {
            waiters.decideTaken(AcquireResult.failed(null), actions);
        }
        Ownership known = ownership;
        if (retired) {
            retire(actions);
        } else if (known != null && known.hold().isClosed() && !known.isRetained()) {
            ended(known, now, actions);
        } else if (known != null && known.hold().isLost()) {
            release(known, now, actions);
        } else if (known == null && acquiring != null) {
            acquiring.noReply(now, actions);
        }
        halfDone = false;
    }

    /** Ensures that another event follows: a reply, the timer, or an action of the holder. */
    private void scheduleNext(long now, DeferredActions actions) {
        Ownership kept = ownership;
        if (kept != null && kept.isRetained() && (lock.engine.isClosing() || kept.isRecalled(now))) {
            release(kept, now, actions);
        }
        if (ownership != null) {
            lock.engine.arm(lock, ownership.nextLook());
            return;
        }
        WaiterQueue waiting = waitersIfAny();
        if (waiting == null) {
            retire(actions);
        } else {
            StoreAcquisition current = acquiring;
            if (current == null) {
                current = new StoreAcquisition(lock, waiting, false, now);
                acquiring = current;
                current.request(now, actions);
            }
            lock.engine.arm(lock, current.nextLook());
        }
    }

    /** The callers that wait, or null if there are none. */
    private @Nullable WaiterQueue waitersIfAny() {
        return waiters == null || waiters.isEmpty() ? null : waiters;
    }

    /** May be repeated. */
    private void retire(DeferredActions actions) {
        PendingRelease leaving = acquiring == null ? null : acquiring.leave();
        acquiring = null;
        retired = true;
        if (leaving != null) {
            actions.start(leaving);
        }
        lock.engine.disarm(lock);
        leftLine(0, actions);
        lock.engine.locks().retired(lock);
        if (lock.engine.isClosing()) {
            actions.add(lock.engine.locks()::signal);
        }
    }

    // ---- callers come and go

    /** Decides about a new caller at once, or lets it wait. */
    void admit(Waiter waiter, long now, DeferredActions actions) {
        AcquireResult result = resultAtOnce(waiter, now);
        if (result == null) {
            WaiterQueue known = waiters == null ? new WaiterQueue() : waiters;
            waiters = known;
            known.add(waiter);
            if (ownership != null && ownership.isRetained()) {
                passOn(ownership, now, actions);
            }
        } else {
            actions.add(() -> waiter.decide(result));
        }
    }

    private @Nullable AcquireResult resultAtOnce(Waiter waiter, long now) {
        Ownership current = ownership == null || ownership.isRetained() ? null : ownership;
        AcquireResult nested = current == null ? null : current.resultOfReentry(waiter, now);
        if (nested != null) {
            return nested;
        }
        if (lock.engine.isClosing()) {
            return AcquireResult.shuttingDown();
        }
        if (waiter.request.triesOnce()) {
            boolean busy = current != null || (acquiring != null && acquiring.isInLine());
            return busy ? new AcquireResult.Busy() : null;
        }
        int limit = lock.engine.settings().maxWaiters();
        int before = waiters == null ? 0 : waiters.staying();
        return before < limit ? null : AcquireResult.tooMany(limit);
    }

    /** The caller re-enters its hold; null if it has none. */
    @Nullable
    DefaultLockHandle reenter(Object caller, @Nullable LockOwner enclosing, long now) {
        Ownership current = ownership;
        return current == null || current.hold().isAbandoned() ? null : current.reenter(caller, enclosing, now);
    }

    /** @return false if the waiter has to wait a little longer, for a first or a last reply of the store */
    boolean expire(Waiter waiter, long now, DeferredActions actions) {
        StoreAcquisition current = acquiring;
        boolean undecided = current != null && !current.isKnownBusy();
        if (current != null && undecided && waiter.queued && current.isWorthPatience(waiter, now)) {
            waiter.awaitFirstReply();
            return false;
        }
        if (current != null && waiter.queued && current.requestOnceMore(waiter, now, actions)) {
            return false;
        }
        endWait(waiter, current != null && undecided ? current.unavailable() : new AcquireResult.Busy(), actions);
        return true;
    }

    /** Does nothing if the result of the waiter is on its way. */
    void endWait(Waiter waiter, AcquireResult result, DeferredActions actions) {
        if (waiters != null && waiters.remove(waiter)) {
            actions.add(() -> waiter.decide(result));
        }
    }

    /** @return false if it may be the last handle of the hold, or if the hold was lost */
    boolean exitNested(Hold closing, boolean byOwner, long now) {
        return ownership != null && ownership.exitNested(closing, byOwner, now);
    }

    /** @return the release to wait for, or null if there is none */
    @Nullable
    PendingRelease exit(Hold closing, boolean byOwner, long now, DeferredActions actions) {
        Ownership current = ownership;
        if (current == null || current.hold() != closing) {
            return null;
        }
        if (closing.entries() > 1) {
            closing.left(byOwner);
            return null;
        }
        closing.close();
        return ended(current, now, actions);
    }

    /** Shows the hold and the waiters of this moment. */
    void show(NamedLock.Look look, long now) {
        Hold hold = ownership == null || ownership.isRetained() ? null : ownership.hold();
        look.at(hold, waiters == null ? NONE : waiters, now);
    }

    LockActivity.Held describeHold(Hold hold, long now) {
        return hold.describe(now, ownership == null ? null : ownership.sinceRenewal(now));
    }

    void refuseWaiters(DeferredActions actions) {
        if (waiters != null) {
            waiters.decideAll(AcquireResult.shuttingDown(), actions);
        }
    }

    // ---- the next user of the lease

    /** The hold was closed. */
    private @Nullable PendingRelease ended(Ownership current, long now, DeferredActions actions) {
        long stay = current.hold().mustStay(now);
        return stay > 0 ? leaveTaken(current, now + stay, actions) : passOn(current, now, actions);
    }

    private @Nullable PendingRelease passOn(Ownership current, long now, DeferredActions actions) {
        WaiterQueue waiting = waitersIfAny();
        if (waiting != null && current.mayPass(waiting, now)) {
            current.passTo(waiting.takeFirst(), now, actions);
            return null;
        }
        if (waiting == null && lock.owner == null && current.mayRetain(lock.engine.retention(), now)) {
            current.retainUntil(now + lock.engine.retention(), now);
            return null;
        }
        return release(current, now, actions);
    }

    /** From now on the lock has no holder, and no caller gets it before that time: the store keeps it until then. */
    private PendingRelease leaveTaken(Ownership current, long until, DeferredActions actions) {
        PendingRelease release = new PendingRelease(lock, current)
                .keeping(until, current.tokenAfterShortening(), current.mayBeLengthened());
        ownership = null;
        actions.start(release);
        return release;
    }

    /** Releases the lease, and queues again in the same step if a local caller waits: another instance has its turn. */
    private PendingRelease release(Ownership current, long now, DeferredActions actions) {
        PendingRelease release = new PendingRelease(lock, current);
        StoreAcquisition again = null;
        WaiterQueue waiting = waitersIfAny();
        if (waiting != null) {
            again = new StoreAcquisition(lock, waiting, current.isContended(), now);
            again.requestIn(release, now);
        }
        ownership = null;
        acquiring = again;
        actions.start(release);
        return release;
    }

    // ---- replies and messages of the store

    void replied(
            Acquisition acquisition,
            AcquireAttempt attempt,
            @Nullable AcquireReply reply,
            @Nullable Throwable failure,
            long now,
            DeferredActions actions) {
        StoreAcquisition current = acquiring;
        if (current != null && current.awaits(acquisition, attempt)) {
            accept(current, current.replied(reply, failure, now, actions), now, actions);
        }
    }

    /** @return false if this instance does not know that acquisition */
    boolean granted(long number, long token, long leaseMillis, int waiting, long now, DeferredActions actions) {
        StoreAcquisition current = acquiring;
        if (current == null || !current.isFor(number)) {
            return leaseNumber() == number;
        }
        accept(current, current.granted(token, leaseMillis, waiting, now, actions), now, actions);
        return true;
    }

    private void accept(
            StoreAcquisition current, StoreAcquisition.@Nullable Grant grant, long now, DeferredActions actions) {
        if (grant == null) {
            return;
        }
        Lease lease = grant.lease();
        lease.raiseLongest(current.longestLease());
        if (lease.deadline() - now <= 0) {
            current.expiredOnArrival(lease, now, actions);
            actions.start(new PendingRelease(lock, lease));
            return;
        }
        WaiterQueue waiting = current.waiters;
        ownership = new Ownership(lock, grant, current.wasRecalled(), waiting.takeFirst(), now, actions);
        // The place in line may have had the longer lease of a waiter that has left.
        ownership.passed(ownership.hold(), now);
        acquiring = null;
        waiting.decideThoseWhoTryOnce(Long.MAX_VALUE, actions);
        leftLine(current.isLeader() ? lease.number : 0, actions);
    }

    /** An explicit owner no longer waits, so others of this instance may stand in line. */
    private void leftLine(long entered, DeferredActions actions) {
        if (lock.owner != null) {
            List<NamedLock> next = lock.engine.locks().ownersInLine().left(lock, entered != 0);
            if (!next.isEmpty()) {
                actions.add(() -> next.forEach(other -> other.mayRequest(entered)));
            }
        }
    }

    void mayRequest(long entered, long now, DeferredActions actions) {
        if (acquiring != null) {
            acquiring.mayRequest(entered, now, actions);
        }
    }

    /** @return false if no local caller requests that acquisition */
    boolean near(long number, long now) {
        if (acquiring == null || !acquiring.isFor(number)) {
            return false;
        }
        acquiring.near(now);
        return true;
    }

    /** @return false if no local caller holds or requests that acquisition */
    boolean recalled(long number, long now) {
        if (ownership != null && leaseNumber() == number) {
            ownership.recall(now);
            return true;
        }
        if (acquiring != null && acquiring.isFor(number)) {
            acquiring.recalled();
            return true;
        }
        return false;
    }

    void recalledHere(boolean waits, long now) {
        if (ownership != null && (waits || ownership.isRetained())) {
            ownership.recall(now);
        }
    }

    /** @return false if no local caller holds or requests that acquisition */
    boolean revoked(long number, long now, DeferredActions actions) {
        if (ownership != null && leaseNumber() == number) {
            lose(ownership, LossCause.REVOKED, now, actions);
            return true;
        }
        if (acquiring != null && acquiring.isFor(number)) {
            acquiring.revoked(now, actions);
            return true;
        }
        return false;
    }

    long leaseNumber() {
        return ownership == null ? 0 : ownership.number;
    }

    void releaseEnded(long now, DeferredActions actions) {
        if (acquiring != null) {
            acquiring.releaseEnded(now, actions);
        }
    }

    void connected(long delay, long now, DeferredActions actions) {
        if (acquiring != null) {
            acquiring.connected(delay, now, actions);
        } else if (ownership != null) {
            ownership.connected(delay, now);
        }
    }

    // ---- renewal and loss

    /** @return false if the lease was shortened since for another reason than an extension */
    boolean renewed(LeaseRenewal.Due renewal, LeaseRenewal.Outcome outcome, long now, DeferredActions actions) {
        if (ownership == null || leaseNumber() != renewal.command().number()) {
            return true;
        }
        if (outcome.reply() == null || outcome.reply().renewed()) {
            return ownership.replied(renewal.renewal(), outcome, now);
        }
        lose(ownership, LossCause.NOT_RENEWED, now, actions);
        return true;
    }

    /** @return null if the hold no longer has this lock */
    LeaseRenewal.@Nullable Due extend(Hold extending, long length, long now) {
        return ownership != null && ownership.hold() == extending && !ownership.isRetained()
                ? ownership.extend(length, now)
                : null;
    }

    void beginMaxHold(Hold of, long now) {
        if (ownership != null && ownership.hold() == of && !ownership.isRetained()) {
            ownership.beginMaxHold(now);
        }
    }

    void onDue(long now, DeferredActions actions) {
        if (acquiring != null) {
            acquiring.onDue(now, actions);
        } else if (ownership != null) {
            ownership.onDue(now, actions);
        }
    }

    /** A hold that is past its deadline is lost at the next transition, on any thread. */
    private void expireIfDue(long now, DeferredActions actions) {
        Ownership current = ownership;
        if (current == null || !current.hold().isExpired(now)) {
            return;
        }
        if (current.isRetained()) {
            release(current, now, actions);
        } else {
            giveUp(current, current.expired(now, actions), now, actions);
        }
    }

    void terminate(long now, DeferredActions actions) {
        if (ownership != null) {
            giveUp(ownership, LossCause.SHUTDOWN, now, actions);
        }
    }

    /** The store no longer has it, unless a copy of a request is still on its way. */
    private void lose(Ownership losing, LossCause why, long now, DeferredActions actions) {
        endByLoss(losing, why, losing.mayComeBack(), now, actions);
    }

    /** The store may still have it; the local waiters request the lock under a new id. */
    private void giveUp(Ownership losing, LossCause why, long now, DeferredActions actions) {
        endByLoss(losing, why, true, now, actions);
    }

    private void endByLoss(Ownership losing, LossCause why, boolean release, long now, DeferredActions actions) {
        if (!losing.isRetained()) {
            Hold lost = losing.hold();
            actions.add(() -> lock.engine.events().lost(lost, why));
            lost.lose(why, now);
        }
        ownership = null;
        if (release) {
            actions.start(new PendingRelease(lock, losing).afterLossOf(lock.owner));
        }
    }

    // ---- the retained lease

    /** Whether the store has the lock under this token, no caller holds it, and this instance retains its lease. */
    boolean isRetained(long inStore, long now) {
        return ownership != null && ownership.isRetainedWith(inStore, now);
    }

    /** See {@link Ownership#tokenOfHold}. */
    long tokenOfHold(long inStore) {
        return ownership == null ? inStore : ownership.tokenOfHold(inStore);
    }

    /** The time until a retained lease has a token for the next hold; 0 if it has one, or if no lease is retained. */
    long nanosToRetainedToken(long now) {
        return ownership == null || !ownership.isRetained() ? 0 : ownership.nanosToNextToken(now);
    }
}
