/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockOwner;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.engine.LeaseStore.RenewReply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of one lock name in this JVM. It exists while a caller here holds the lock or waits for it, or
 * while its lease is retained.
 *
 * <h2>States</h2>
 *
 * Between two transitions it is in one of three states:
 *
 * <ul>
 *   <li><b>acquiring</b> ({@link StoreAcquisition}): callers wait, and one of them stands for all in the store's queue,
 *       under one acquisition id. A request is under way, or was answered "wait", or could not be asked and will be
 *       again;
 *   <li><b>owning</b> ({@link Ownership}): this instance has the lease, and one caller the hold. Others may wait
 *       behind. Or nobody here wants the lock, and the lease is <b>retained</b> for the next caller, until another
 *       instance waits;
 *   <li><b>retired</b>: nobody holds or waits. The object is out of the engine's map and never comes back; whoever
 *       still found it there looks the name up again.
 * </ul>
 *
 * <h2>Who owns what</h2>
 *
 * All fields here, in {@link StoreAcquisition}, {@link Ownership}, {@link Acquisition}, {@link Lease},
 * {@link RenewalSchedule}, {@link WaiterQueue}, and those of {@link Hold} that are not volatile, are guarded by the
 * monitor of this object. It is held for the length of a {@link #transition transition} only. What a transition wants
 * done (send a command, wake a caller, run callbacks) it leaves in {@link DeferredActions}, which run after the monitor
 * is released: no I/O, no waiting and no code of applications ever happens inside. So the store, the timer, and callers
 * may all call in from any thread, and the order in which they get the monitor is the order in which things have
 * happened. A {@link PendingRelease} lives on its own once it is started.
 *
 * <h2>Time</h2>
 *
 * Every transition first looks whether the hold's deadline has passed, so a hold past its deadline is lost whichever
 * comes first: timer, holder, waiter or message. A deadline counts from before the request was sent whose answer
 * granted or renewed the lease; the store cannot have begun to count earlier, so the store's lease ends later than
 * ours, unless the two clocks run at rates that differ by more than the margin.
 *
 * <h2>Tokens</h2>
 *
 * The store takes fencing tokens from its clock in microseconds. {@link LocalTokens} keeps the tokens of local passes
 * below that clock; when it is reached, the lease goes back to the store in the same command that asks for the next
 * one.
 *
 * <h2>Races, and what they resolve to</h2>
 *
 * <ul>
 *   <li><b>A caller leaves while it is granted the lock.</b> The monitor decides. If it left first, the next one gets
 *       the lock; if the grant came first, its result is on its way, the caller picks it up and closes the handle.
 *   <li><b>The last waiter leaves while a request is under way.</b> A {@link PendingRelease} waits for the answer and
 *       then takes back whatever it brought, so that taking back never overtakes the request. If no answer comes, the
 *       id is cancelled in the store for good, since a copy of the request may lie in a dead connection's buffers.
 *   <li><b>A request gets no answer in time.</b> That is not "busy" and not a hold. It is asked again under the same
 *       id, which makes it the same acquisition however often the store sees it. Its release will cancel the id for
 *       good.
 *   <li><b>A request overtakes a release of the same instance</b> that nobody waits for, on another connection or since
 *       the script had to be sent. "Busy" then does not count for those who try once: they are asked for again when the
 *       release was answered.
 *   <li><b>A grant message crosses the answer to a request.</b> Messages come on another connection. The first to
 *       arrive makes the ownership; the other finds that nothing of that id is asked for any more and is ignored. If
 *       the answer is still missing when the lock is released, the release waits for it.
 *   <li><b>A recall crosses the answer that granted the lease,</b> or one to a renewal that was executed before. It is
 *       remembered: the ownership begins with it, and "nobody waits" counts only if no recall came since that was
 *       asked.
 *   <li><b>A revocation overtakes the answer or the message that granted the lease.</b> It says that the id had the
 *       lock and has it no longer. The id is given back for good, and the waiters ask under a new one. So nothing has
 *       to be remembered, and the answer or message, when it comes, is for an id that nobody asks for.
 *   <li><b>A grant message is late.</b> It cannot be older than the last request before it that was answered "wait";
 *       the deadline counts from there. If that leaves less than half of the lease, the message only makes us ask.
 *   <li><b>A grant message is lost.</b> An instance near the head of the line asks again when the holder's lease ends,
 *       at the latest after a second, and each instance whenever a connection comes back. The answer is then the grant.
 *       {@link AskingPace} says how often those ask who stand further back, and what a lost message costs there.
 *   <li><b>A grant comes for an id that nobody knows any more</b>, because leaving could not be said in time: it is
 *       given back at once.
 *   <li><b>A release crosses a renewal.</b> The ownership ends before the release is sent, and no renewal starts
 *       without one. One sent earlier goes ahead of the release on the same connection; its answer finds no ownership.
 *       On different connections it may come after, and renews nothing, since the id owns nothing.
 *   <li><b>The lease is lost while callers wait here.</b> They go on to the store under a new id, while the late holder
 *       may still be inside; it is told by its handle, and its late release finds that the lock has gone on.
 *   <li><b>A caller comes while a retained lease is recalled.</b> The monitor decides. If the caller came first, it has
 *       the hold, with the next token, and the recall makes the limits of passing on count. If the recall came first,
 *       the lease is on its way back, and the caller queues behind who waits. A recall that is lost is repeated with
 *       every request of the instance that waits, and the end of the retention bounds it.
 *   <li><b>A hold is released before its minimum is over.</b> The ownership ends, and instead of a release the lease is
 *       shortened to the rest. Callers here ask the store like those of other instances, and it says "wait".
 *   <li><b>A retained lease is lost, forced away, or runs out.</b> Nobody believes to hold it, so nobody is told.
 *   <li><b>The object retires while a caller comes.</b> The caller is refused entry and looks the name up again.
 * </ul>
 */
final class NamedLock extends TimerTask {

    private static final int LOOKS_AT_THE_CLOCK = 200;

    private static final long NEAR = 10_000;

    final EngineContext engine;

    final String name;

    /** The explicit owner, or null. With one, this object serves a single acquisition. */
    final @Nullable String owner;

    private final WaiterQueue waiters = new WaiterQueue();

    private @Nullable StoreAcquisition acquiring;

    private @Nullable Ownership ownership;

    private boolean retired;

    /** Written under the monitor. With an explicit owner there is one grant, so nobody waits here after it. */
    private volatile boolean granted;

    NamedLock(EngineContext engine, String name, @Nullable String owner) {
        this.engine = engine;
        this.name = name;
        this.owner = owner;
    }

    // ---- what callers do

    /** @return false if this object is retired, and the name has to be looked up again */
    boolean enqueue(Waiter waiter) {
        if (engine.retention() > 0) {
            awaitToken();
        }
        DeferredActions actions = new DeferredActions();
        synchronized (this) {
            if (retired) {
                return false;
            }
            long now = engine.now();
            expireIfDue(now, actions);
            admit(waiter, now, actions);
            scheduleNext(now, actions);
        }
        actions.run();
        return true;
    }

    /**
     * A retained lease may give the next token in a microsecond or so. Looking at the clock is shorter than a command.
     */
    private void awaitToken() {
        for (int looks = 0; looks < LOOKS_AT_THE_CLOCK && tokenIsNear(); looks++) {
            Thread.onSpinWait();
        }
    }

    private synchronized boolean tokenIsNear() {
        if (ownership == null || !ownership.isRetained()) {
            return false;
        }
        long left = ownership.lease.nanosToNextToken(engine.now());
        return left > 0 && left <= NEAR;
    }

    private void admit(Waiter waiter, long now, DeferredActions actions) {
        AcquireResult result = resultAtOnce(waiter, now);
        if (result == null) {
            waiters.add(waiter);
            if (ownership != null && ownership.isRetained()) {
                passOn(ownership, now, actions);
            }
        } else {
            actions.add(() -> waiter.decide(result));
        }
    }

    private @Nullable AcquireResult resultAtOnce(Waiter waiter, long now) {
        Ownership current = ownership == null || ownership.isRetained() ? null : ownership;
        if (current != null && current.hold().admits(waiter.owner, waiter.enclosing)) {
            DefaultLockHandle handle =
                    waiter.terms.reentrant() ? current.reenter(waiter.owner, waiter.enclosing, now) : null;
            if (handle != null || !waiter.terms.reentrant()) {
                return handle == null ? new AcquireResult.ReentryRefused() : AcquireResult.reentered(handle);
            }
        }
        if (engine.isClosing()) {
            return AcquireResult.shuttingDown();
        }
        boolean busy = current != null || (acquiring != null && acquiring.isInLine());
        if (busy && waiter.terms.triesOnce()) {
            return new AcquireResult.Busy();
        }
        int limit = engine.settings().maxWaiters();
        int before = owner == null ? waiters.size() : engine.locks().othersOf(this, limit);
        return before < limit ? null : AcquireResult.tooMany(limit);
    }

    /** The short way for a caller that holds the lock: nothing changes but the count. Null if it does not hold it. */
    synchronized @Nullable DefaultLockHandle reenter(Object caller, @Nullable LockOwner enclosing) {
        Ownership current = ownership;
        return current == null || current.hold().isAbandoned()
                ? null
                : current.reenter(caller, enclosing, engine.now());
    }

    /**
     * The wait of a caller is over: it is told what is known.
     *
     * @return false if nothing is known yet, and the caller has patience for a first word of the store
     */
    boolean expire(Waiter waiter) {
        boolean[] decided = {true};
        transition((now, actions) -> {
            StoreAcquisition current = acquiring;
            boolean unheard = current != null && !current.isKnownBusy();
            if (current != null && unheard && waiter.queued && current.isWorthPatience(waiter, now)) {
                decided[0] = false;
            } else if (current != null && waiter.queued && current.askOnceMore(waiter, now, actions)) {
                decided[0] = false;
            } else if (waiters.remove(waiter)) {
                AcquireResult result = current != null && unheard ? current.unavailable() : new AcquireResult.Busy();
                actions.add(() -> waiter.decide(result));
            }
        });
        return decided[0];
    }

    /** A caller does not want to wait any longer. Does nothing if its result is on its way. */
    void leave(Waiter waiter, AcquireResult result) {
        transition((now, actions) -> {
            if (waiters.remove(waiter)) {
                actions.add(() -> waiter.decide(result));
            }
        });
    }

    /** The short way out, for a handle that is not the last of a hold. False if it may be, or if the hold was lost. */
    synchronized boolean exitNested(Hold closing, boolean byOwner) {
        return ownership != null && ownership.exitNested(closing, byOwner, engine.now());
    }

    boolean wasGranted() {
        return granted;
    }

    /**
     * A handle was closed that was the last one a moment ago; nested work may have entered since. Returns the release
     * to wait for, or null if there is none.
     */
    @Nullable
    PendingRelease leave(Hold closing, boolean byOwner) {
        PendingRelease[] release = new PendingRelease[1];
        transition((now, actions) -> {
            Ownership current = ownership;
            if (current == null || current.hold() != closing) {
                return;
            }
            if (closing.entries > 1) {
                closing.left(byOwner);
            } else {
                closing.entries = 0;
                closing.close();
                long stay = closing.mustStay(now);
                release[0] = stay > 0 ? leaveTaken(current, now + stay, actions) : passOn(current, now, actions);
            }
        });
        return release[0];
    }

    private @Nullable PendingRelease passOn(Ownership current, long now, DeferredActions actions) {
        if (!waiters.isEmpty() && current.lease.mayPass(engine.settings(), now)) {
            current.passTo(waiters.next(), now, actions);
            return null;
        }
        if (waiters.isEmpty() && owner == null && current.mayRetain(engine.retention(), now)) {
            current.retainUntil(now + engine.retention(), now);
            return null;
        }
        return release(current, now, actions);
    }

    /** Nobody has the lock from now on, and nobody gets it before that time: the store keeps it until then. */
    private PendingRelease leaveTaken(Ownership current, long until, DeferredActions actions) {
        PendingRelease release = new PendingRelease(this, current.lease).keeping(until, current.lease.token());
        ownership = null;
        actions.start(release);
        return release;
    }

    /**
     * Gives the lease back, and queues again in the same step if a caller waits here: it is another instance's turn.
     */
    private PendingRelease release(Ownership current, long now, DeferredActions actions) {
        PendingRelease release = new PendingRelease(this, current.lease);
        ownership = null;
        if (!waiters.isEmpty()) {
            StoreAcquisition again = new StoreAcquisition(this, waiters, current.lease.isContended(), now);
            again.askIn(release, now);
            acquiring = again;
        }
        actions.start(release);
        return release;
    }

    // ---- what the store says

    void answered(
            Acquisition acquisition,
            AcquireAttempt attempt,
            @Nullable AcquireReply reply,
            @Nullable Throwable failure) {
        transition((now, actions) -> {
            StoreAcquisition current = acquiring;
            if (current != null && current.awaits(acquisition, attempt)) {
                accept(current, current.answered(reply, failure, now, actions), now, actions);
            }
        });
    }

    /** @return false if nobody here knows that acquisition */
    boolean granted(long number, long token, long leaseMillis, int waiting) {
        boolean[] known = {true};
        transition((now, actions) -> {
            StoreAcquisition current = acquiring;
            if (current != null && current.isFor(number)) {
                accept(current, current.granted(token, leaseMillis, waiting, now, actions), now, actions);
            } else {
                known[0] = has(number);
            }
        });
        return known[0];
    }

    private void accept(
            StoreAcquisition current, StoreAcquisition.@Nullable Grant grant, long now, DeferredActions actions) {
        if (grant == null) {
            return;
        }
        Lease lease = grant.lease();
        lease.storeMayHave(current.longestLease());
        if (lease.deadline() - now <= 0) {
            actions.start(new PendingRelease(this, lease));
            current.expiredOnArrival(lease, now);
            return;
        }
        acquiring = null;
        ownership = new Ownership(this, grant, current.wasRecalled(), waiters.next(), now, actions);
        granted = true;
        waiters.decideThoseWhoTryOnce(Long.MAX_VALUE, actions);
        leftLine(current.isLeader() ? lease.number : 0, actions);
    }

    /** An explicit owner does not wait any more, so others of this instance may. */
    private void leftLine(long entered, DeferredActions actions) {
        if (owner != null) {
            List<NamedLock> next = engine.locks().ownersInLine().left(this, entered != 0);
            if (!next.isEmpty()) {
                actions.add(() -> next.forEach(other -> other.mayAsk(entered)));
            }
        }
    }

    private void mayAsk(long entered) {
        transition((now, actions) -> {
            if (acquiring != null) {
                acquiring.mayAsk(entered, now, actions);
            }
        });
    }

    boolean isOf(@Nullable String other) {
        return owner != null && owner.equals(other);
    }

    /** @return false if nobody here asks for that acquisition */
    boolean near(long number) {
        boolean[] known = {false};
        transition((now, actions) -> {
            if (acquiring != null && acquiring.isFor(number)) {
                acquiring.near(now);
                known[0] = true;
            }
        });
        return known[0];
    }

    /** @return false if nobody here holds that acquisition or asks for it */
    boolean recalled(long number) {
        boolean[] known = {false};
        transition((now, actions) -> {
            if (ownership != null && has(number)) {
                ownership.lease.recall(now);
                known[0] = true;
            } else if (acquiring != null && acquiring.isFor(number)) {
                acquiring.recalled();
                known[0] = true;
            }
        });
        return known[0];
    }

    /** @return false if nobody here holds that acquisition or asks for it */
    boolean revoked(long number) {
        boolean[] known = {false};
        transition((now, actions) -> {
            if (ownership != null && has(number)) {
                lose(ownership, LossCause.REVOKED, now, actions);
                known[0] = true;
            } else if (acquiring != null && acquiring.isFor(number)) {
                acquiring.revoked(now, actions);
                known[0] = true;
            }
        });
        return known[0];
    }

    private boolean has(long number) {
        return ownership != null && ownership.lease.number == number;
    }

    /** A release of this instance for this name has come to its end. */
    void releaseEnded() {
        transition((now, actions) -> {
            if (acquiring != null) {
                acquiring.releaseEnded(now, actions);
            }
        });
    }

    /** An explicit owner of this instance waits for it, or only tries if it is not held. */
    void recalledHere(boolean waits) {
        transition((now, actions) -> {
            if (ownership != null && (waits || ownership.isRetained())) {
                ownership.lease.recall(now);
            }
        });
    }

    void connected(long delay) {
        transition((now, actions) -> {
            if (acquiring != null) {
                acquiring.connected(delay, now, actions);
            } else if (ownership != null) {
                ownership.connected(delay, now);
            }
        });
    }

    // ---- renewal and loss

    /**
     * @param failure why there is no reply, or null
     * @return false if the answer came too late to count: another renewal is under way already, or was planned
     */
    boolean renewed(LeaseRenewal.Due renewal, @Nullable RenewReply reply, @Nullable Throwable failure) {
        boolean[] late = new boolean[1];
        transition((now, actions) -> {
            if (ownership == null || !has(renewal.command().number())) {
                return;
            }
            boolean awaited = ownership.isAwaited(renewal.renewal());
            late[0] = !awaited && !ownership.isExtendedSince(renewal.renewal());
            if (awaited && !ownership.renewed(reply, failure, now)) {
                lose(ownership, LossCause.NOT_RENEWED, now, actions);
            }
        });
        return !late[0];
    }

    /** Starts an extension, or returns null if the hold is not this lock's any more. */
    LeaseRenewal.@Nullable Due extend(Hold extending, long length) {
        LeaseRenewal.Due[] due = new LeaseRenewal.Due[1];
        transition((now, actions) -> {
            if (ownership != null && ownership.hold() == extending && !ownership.isRetained()) {
                due[0] = ownership.extend(length, now);
            }
        });
        return due[0];
    }

    /** A hold that is past its deadline is lost at the next look at it, by any thread. */
    private void expireIfDue(long now, DeferredActions actions) {
        Ownership current = ownership;
        if (current == null || !current.hold().isExpired(now)) {
            return;
        }
        if (current.isRetained()) {
            release(current, now, actions);
        } else {
            giveUp(current, current.whyExpired(now), now, actions);
        }
    }

    /** The store has nothing of it any more, unless a copy of a request is still on its way. */
    private void lose(Ownership losing, LossCause why, long now, DeferredActions actions) {
        ownership = null;
        if (!losing.isRetained()) {
            Hold lost = losing.hold();
            List<Runnable> callbacks = lost.lose(why, now);
            actions.add(() -> engine.events().lost(lost, why, callbacks));
        }
        if (losing.lease.mayComeBack()) {
            actions.start(new PendingRelease(this, losing.lease));
        }
    }

    /** The store may have something of it still; those who wait here ask for themselves. */
    private void giveUp(Ownership losing, LossCause why, long now, DeferredActions actions) {
        lose(losing, why, now, actions);
        if (!losing.lease.mayComeBack()) {
            actions.start(new PendingRelease(this, losing.lease));
        }
    }

    /** Finds out whether the deadline has passed. */
    void checkDeadline() {
        transition((now, actions) -> {});
    }

    @Override
    void onDue(long due) {
        transition((now, actions) -> {
            if (acquiring != null) {
                acquiring.onDue(now, actions);
            } else if (ownership != null) {
                ownership.onDue(now, actions);
            }
        });
    }

    /** Whether nobody holds the lock that the store has under this token, but its lease is kept here. */
    synchronized boolean isRetained(long inStore) {
        return ownership != null
                && ownership.isRetained()
                && ownership.lease.token() >= inStore
                && !ownership.hold().isExpired(engine.now());
    }

    /** What is shown of a moment. */
    interface Look {
        void at(@Nullable Hold hold, WaiterQueue waiters, long now);
    }

    /** Shows the hold and the waiters of this moment, under the monitor. */
    synchronized void look(Look look) {
        look.at(ownership == null || ownership.isRetained() ? null : ownership.hold(), waiters, engine.now());
    }

    /** The engine closes: waiters go at once, and so does a lease that nobody holds. */
    void refuseWaiters() {
        transition((now, actions) -> waiters.decideAll(AcquireResult.shuttingDown(), actions));
    }

    /** The engine has closed: holds go too. */
    void terminate() {
        transition((now, actions) -> {
            if (ownership != null) {
                giveUp(ownership, LossCause.SHUTDOWN, now, actions);
            }
        });
    }

    // ---- the frame of every transition

    private interface Transition {
        void run(long now, DeferredActions actions);
    }

    private void transition(Transition transition) {
        DeferredActions actions = new DeferredActions();
        synchronized (this) {
            if (retired) {
                return;
            }
            long now = engine.now();
            expireIfDue(now, actions);
            transition.run(now, actions);
            scheduleNext(now, actions);
        }
        actions.run();
    }

    /** Leaves the machine in a state in which something will happen: by an answer, by the timer, or by the holder. */
    private void scheduleNext(long now, DeferredActions actions) {
        Ownership kept = ownership;
        if (kept != null && kept.isRetained() && (engine.isClosing() || kept.isRecalled(now))) {
            release(kept, now, actions);
        }
        if (ownership != null) {
            engine.arm(this, ownership.nextLook());
        } else if (waiters.isEmpty()) {
            retire(actions);
        } else {
            StoreAcquisition current = acquiring;
            if (current == null) {
                current = new StoreAcquisition(this, waiters, false, now);
                acquiring = current;
                current.ask(now, actions);
            }
            engine.arm(this, current.nextLook());
        }
    }

    private void retire(DeferredActions actions) {
        if (acquiring != null) {
            acquiring.end(actions);
            acquiring = null;
        }
        retired = true;
        engine.disarm(this);
        leftLine(0, actions);
        engine.locks().retired(this);
        if (engine.isClosing()) {
            actions.add(engine.locks()::signal);
        }
    }
}
