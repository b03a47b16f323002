/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockActivity;
import io.distributedlock.LockNames;
import io.distributedlock.LockOwner;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.logging.SafeLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of one lock name in this JVM. It exists while a local caller holds the lock or waits for it, or
 * while its lease is retained.
 *
 * <h2>States</h2>
 *
 * Between two transitions it is in one of three states:
 *
 * <ul>
 *   <li><b>acquiring</b> ({@link StoreAcquisition}): callers wait, and one acquisition id represents all of them in the
 *       line of the store. A request is under way, or the reply was "wait", or the request failed and will be repeated;
 *   <li><b>owning</b> ({@link Ownership}): this instance has the lease, and one caller has the hold. Other callers may
 *       wait. Without a local caller, the lease is <b>retained</b> for the next one, until another instance waits;
 *   <li><b>retired</b>: no caller holds or waits. The object is removed from the engine's map and never returns; a
 *       caller that still found it there looks the name up again.
 * </ul>
 *
 * <h2>Ownership of fields</h2>
 *
 * This class is the monitor and guards one field, {@link NamedLockState}. All other state of a lock is reached through
 * that field, and so under the monitor: {@link StoreAcquisition}, {@link Ownership} with its {@link Lease},
 * {@link Acquisition}, {@link WaiterQueue}, and those fields of {@link Hold} that are not volatile. The monitor is held
 * for the length of a {@link #transition transition} only. A transition adds its actions (send a command, wake a
 * caller, run callbacks) to {@link DeferredActions}, which run after the monitor is released: I/O, waiting and
 * application code never run inside. The store, the timer and callers may call from any thread; the order in which they
 * get the monitor is the order of events. A {@link PendingRelease} is independent once it is started.
 *
 * <h2>A transition that fails</h2>
 *
 * An error in the middle of a transition, such as an overflow of the stack or a lack of memory, leaves it half done.
 * The actions that it deferred until then still run, on the timer's thread if they fail here, and the timer is armed
 * for now: the next transition, on any thread, first repairs the state. A waiter that was taken out of the queue
 * without a result fails with {@link AcquireResult.Unavailable}; a request counts as one of unknown outcome and is
 * repeated under its id; the lease of a closed hold is passed on. The caller whose own call has failed gets the error,
 * and no longer waits.
 *
 * <h2>Time</h2>
 *
 * Every transition first checks whether the hold's deadline has passed, so a hold past its deadline is lost at the
 * first event after it: timer, holder, waiter or message. A deadline counts from before the sending of the request
 * whose reply granted or renewed the lease. The store cannot have begun to count earlier, so its lease ends after the
 * local deadline, unless the rates of the two clocks differ by more than the margin.
 *
 * <h2>Tokens</h2>
 *
 * The store takes fencing tokens from its clock in microseconds. {@link LocalTokenLimit} keeps the tokens of local
 * hand-overs below that clock; when they reach it, the lease is released in the same command that requests the next
 * one.
 *
 * <h2>Races and their outcomes</h2>
 *
 * <ul>
 *   <li><b>A caller leaves while it is granted the lock.</b> The monitor decides. If the caller left first, the next
 *       one gets the lock. If the grant came first, the result is on its way, and the caller receives it and closes the
 *       handle.
 *   <li><b>The last waiter leaves while a request is under way.</b> A {@link PendingRelease} waits for the reply and
 *       then releases any grant in it, so that the release never overtakes the request. If no reply arrives, the id is
 *       cancelled in the store permanently, since the buffers of a dead connection may contain a copy of the request.
 *   <li><b>A request gets no reply in time.</b> The outcome is neither "busy" nor a hold. The request is repeated under
 *       the same id, which makes it the same acquisition however often the store receives it. Its release will cancel
 *       the id permanently.
 *   <li><b>A request overtakes a release of the same instance</b> without a waiting caller, on another connection or
 *       because the script had to be sent. "Busy" then does not count for callers that try once: their request is
 *       repeated after the reply to the release.
 *   <li><b>A grant message crosses the reply to a request.</b> Messages arrive on another connection. The first to
 *       arrive begins the ownership; the other is ignored, since its id is no longer requested. If the reply is still
 *       missing when the lock is released, the release waits for it.
 *   <li><b>A recall crosses the reply that granted the lease,</b> or the reply to a renewal that was executed before.
 *       It is remembered: the ownership begins with it, and "no instance waits" counts only if no recall has arrived
 *       since the request.
 *   <li><b>A revocation overtakes the reply or the message that granted the lease.</b> It means that the id had the
 *       lock and has it no longer. The id is released permanently, and the waiters send requests under a new one. So
 *       nothing has to be remembered, and the late reply or message is for an id that is no longer requested.
 *   <li><b>A grant message is late.</b> It cannot be older than the last earlier request with the reply "wait"; the
 *       deadline counts from there. If that leaves less than half of the lease, the message only causes a request.
 *   <li><b>A grant message is lost.</b> An instance near the head of the line repeats its request when the holder's
 *       lease ends, at the latest after a second, and each instance whenever a connection is restored. The reply is
 *       then the grant. {@link RequestPace} describes how often instances further back repeat theirs, and the cost of a
 *       lost message there.
 *   <li><b>A grant arrives for an id that is no longer known</b>, because its cancellation did not arrive in time: it
 *       is released at once.
 *   <li><b>A release crosses a renewal.</b> The ownership ends before the release is sent, and no renewal starts
 *       without one. One sent earlier precedes the release on the same connection; its reply finds no ownership. On
 *       another connection, or if it was collected with others and not sent yet, it may follow the release, and renews
 *       nothing, since the id owns nothing. If the store keeps the lock for a minimum, the id still owns it: then the
 *       lease is released when the minimum is over.
 *   <li><b>The lease is lost while local callers wait.</b> They request the lock under a new id, while the late holder
 *       may still be working; its handle reports the loss, and its late release does not affect the next hold.
 *   <li><b>A caller comes while a retained lease is recalled.</b> The monitor decides. If the caller came first, it has
 *       the hold, with the next token, and from the recall on the limits of local hand-over apply. If the recall came
 *       first, the lease is being released, and the caller queues behind the waiting instance. Every request of the
 *       waiting instance repeats a lost recall, and the end of the retention bounds the delay.
 *   <li><b>A hold is released before its minimum is over.</b> The ownership ends, and instead of a release the lease is
 *       shortened to the rest. Local callers send requests like those of other instances, and get the reply "wait".
 *       Until then a late message with the grant of that hold shortens the lease again, instead of a release.
 *   <li><b>A retained lease is lost, released by force, or ends.</b> No caller holds the lock, so no loss is reported.
 *   <li><b>A forced release by this instance is confirmed before its message arrives.</b> The reply ends the lease that
 *       this instance had when it sent the request: Redis no longer has it, even if another acquisition had the lock by
 *       then. The message finds no such lease. The same applies to the other holds of an explicit owner when the store
 *       confirms the release of its last one.
 *   <li><b>The object retires while a caller comes.</b> The caller is refused entry and looks the name up again.
 * </ul>
 */
final class NamedLock extends TimerTask {

    private static final Log log = SafeLog.of(NamedLock.class);

    private static final int LOOKS_AT_THE_CLOCK = 200;

    private static final long SPIN_NANOS = 10_000;

    final EngineContext engine;

    final String name;

    /** The explicit owner, or null. With an explicit owner, this object serves a single acquisition. */
    final @Nullable String owner;

    @GuardedBy("this")
    private final NamedLockState state;

    NamedLock(EngineContext engine, String name, @Nullable String owner) {
        this.engine = engine;
        this.name = name;
        this.owner = owner;
        this.state = new NamedLockState(this);
    }

    // ---- what callers do

    /** @return false if this object is retired, and the name has to be looked up again */
    boolean enqueue(Waiter waiter) {
        if (engine.retention() > 0) {
            awaitToken();
        }
        return decide(false, (state, now, actions) -> {
            state.admit(waiter, now, actions);
            return true;
        });
    }

    /**
     * A retained lease may have its next token within about a microsecond. Reading the clock takes less time than a
     * command.
     */
    private void awaitToken() {
        for (int looks = 0; looks < LOOKS_AT_THE_CLOCK && tokenIsNear(); looks++) {
            Thread.onSpinWait();
        }
    }

    private synchronized boolean tokenIsNear() {
        long left = state.nanosToRetainedToken(engine.now());
        return left > 0 && left <= SPIN_NANOS;
    }

    /** The fast path for a caller that holds the lock: only the count changes. Null if it does not hold it. */
    synchronized @Nullable DefaultLockHandle reenter(Object caller, @Nullable LockOwner enclosing) {
        return state.reenter(caller, enclosing, engine.now());
    }

    /**
     * The wait of a caller is over: it gets the known outcome.
     *
     * @return false if no outcome is known yet, and the caller may still wait for the first reply of the store
     */
    boolean expire(Waiter waiter) {
        return decide(true, (state, now, actions) -> state.expire(waiter, now, actions));
    }

    /** A caller stops waiting. Does nothing if its result is on its way. */
    void endWait(Waiter waiter, AcquireResult result) {
        transition((state, now, actions) -> {
            state.endWait(waiter, result, actions);
            return null;
        });
    }

    /**
     * The fast path for closing a handle that is not the last of a hold. False if it may be the last, or the hold was
     * lost.
     */
    synchronized boolean exitNested(Hold closing, boolean byOwner) {
        return state.exitNested(closing, byOwner, engine.now());
    }

    /**
     * Closes a handle that was the last one of its hold a moment ago; nested work may have entered since. Returns the
     * release to wait for, or null if there is none.
     */
    @Nullable
    PendingRelease exit(Hold closing, boolean byOwner) {
        return transition((state, now, actions) -> state.exit(closing, byOwner, now, actions));
    }

    /** Starts an extension, or returns null if the hold no longer has this lock. */
    LeaseRenewal.@Nullable Due extend(Hold extending, long length) {
        return transition((state, now, actions) -> state.extend(extending, length, now));
    }

    /** The other locks of its request are held too, so the maximum time of the hold begins. */
    void beginMaxHold(Hold of) {
        transition((state, now, actions) -> {
            state.beginMaxHold(of, now);
            return null;
        });
    }

    /** Checks whether the deadline has passed. */
    void checkDeadline() {
        transition((state, now, actions) -> null);
    }

    /** Whether the caller holds it, or its work is nested in work of the holder. */
    boolean isHeldBy(@Nullable Object caller, @Nullable LockOwner enclosing) {
        boolean[] held = new boolean[1];
        look((hold, waiters, now) -> held[0] = hold != null && hold.isHeld(now) && hold.admits(caller, enclosing));
        return held[0];
    }

    private boolean isHeld() {
        boolean[] held = new boolean[1];
        look((hold, waiters, now) -> held[0] = hold != null && hold.isHeld(now));
        return held[0];
    }

    /** Whether that explicit owner holds it in this instance. */
    boolean isHeldByOwner(String other) {
        return isOf(other) && isHeld();
    }

    boolean isOf(@Nullable String other) {
        return owner != null && owner.equals(other);
    }

    // ---- replies and messages of the store

    void replied(
            Acquisition acquisition,
            AcquireAttempt attempt,
            @Nullable AcquireReply reply,
            @Nullable Throwable failure) {
        report((state, now, actions) -> state.replied(acquisition, attempt, reply, failure, now, actions));
    }

    /** @return false if this instance does not know that acquisition */
    boolean granted(long number, long token, long leaseMillis, int waiting) {
        return report(
                false, true, (state, now, actions) -> state.granted(number, token, leaseMillis, waiting, now, actions));
    }

    /** @return false if no local caller requests that acquisition */
    boolean near(long number) {
        return report(false, (state, now, actions) -> state.near(number, now));
    }

    /** @return false if no local caller requests that acquisition */
    boolean requestAgain(long number) {
        return report(false, (state, now, actions) -> {
            // It had a grant, so it is near its turn.
            boolean known = state.near(number, now);
            if (known) {
                state.connected(0, now, actions);
            }
            return known;
        });
    }

    /** @return false if no local caller holds or requests that acquisition */
    boolean recalled(long number) {
        return report(false, (state, now, actions) -> state.recalled(number, now));
    }

    /** @return false if no local caller holds or requests that acquisition */
    boolean revoked(long number) {
        return report(false, (state, now, actions) -> state.revoked(number, now, actions));
    }

    /** Revokes, when it is run, the acquisition that has the lock now, if there is one. */
    synchronized Runnable revocation() {
        long number = state.leaseNumber();
        return () -> revoked(number);
    }

    /** @return false if the lease was shortened since for another reason than an extension */
    boolean renewed(LeaseRenewal.Due renewal, LeaseRenewal.Outcome outcome) {
        return report(true, (state, now, actions) -> state.renewed(renewal, outcome, now, actions));
    }

    /** A release of this instance for this name has ended. */
    void releaseEnded() {
        report((state, now, actions) -> state.releaseEnded(now, actions));
    }

    /** An explicit owner of this instance waits for it, or only tries if it is not held. */
    void recalledHere(boolean waits) {
        report((state, now, actions) -> state.recalledHere(waits, now));
    }

    /**
     * It has its turn among the explicit owners of this instance, or its owner holds the lock here.
     *
     * @param entered the number under which a reader of this instance has entered, if this one waits to read
     */
    void mayRequest(long entered) {
        report((state, now, actions) -> state.mayRequest(entered, now, actions));
    }

    void connected(long delay) {
        report((state, now, actions) -> state.connected(delay, now, actions));
    }

    @Override
    void onDue(long due) {
        transition((state, now, actions) -> {
            state.onDue(now, actions);
            return null;
        });
    }

    // ---- views, and the end

    /** Whether the store has the lock under this token, no caller holds it, and this instance retains its lease. */
    synchronized boolean isRetained(long inStore) {
        return state.isRetained(inStore, engine.now());
    }

    /** A view of the state at one moment. */
    interface Look {
        void at(@Nullable Hold hold, WaiterQueue waiters, long now);
    }

    /** See {@link Ownership#tokenOfHold}. */
    synchronized long tokenOfHold(long inStore) {
        return state.tokenOfHold(inStore);
    }

    /** Shows the hold and the waiters of this moment, under the monitor. */
    synchronized void look(Look look) {
        state.show(look, engine.now());
    }

    /** The description of the present hold, for operators. To be called while {@link #look} shows it. */
    synchronized LockActivity.Held describeHold(Hold hold, long now) {
        return state.describeHold(hold, now);
    }

    /** The engine closes: waiters are refused at once, and a lease without a hold is released. */
    void refuseWaiters() {
        report((state, now, actions) -> state.refuseWaiters(actions));
    }

    /** The engine has closed: holds are lost. */
    void terminate() {
        report((state, now, actions) -> state.terminate(now, actions));
    }

    // ---- the frame of every transition

    /** @return what the transition returns; null if this object is retired, and the transition was not run */
    private <R> @Nullable R transition(Transition<R> transition) {
        DeferredActions actions = new DeferredActions(engine);
        try {
            synchronized (this) {
                return state.run(transition, engine.now(), actions);
            }
        } catch (RuntimeException | Error ex) {
            actions.failedHalfWay(this);
            throw ex;
        } finally {
            actions.run();
        }
    }

    private boolean decide(boolean whenRetired, Transition<Boolean> transition) {
        Boolean decided = transition(transition);
        return decided == null ? whenRetired : decided;
    }

    /** A transition without a result. */
    private interface Report {
        void run(NamedLockState state, long now, DeferredActions actions);
    }

    private void report(Report report) {
        report(true, (state, now, actions) -> {
            report.run(state, now, actions);
            return true;
        });
    }

    private boolean report(boolean otherwise, Transition<Boolean> transition) {
        return report(otherwise, otherwise, transition);
    }

    /**
     * A failure does not affect the reporting thread: other locks may still have to get the same message or reply.
     *
     * @param whenFailed the result of a transition that has failed, which is completed later
     */
    private boolean report(boolean whenRetired, boolean whenFailed, Transition<Boolean> transition) {
        try {
            return decide(whenRetired, transition);
        } catch (RuntimeException | Error ex) {
            log.error(
                    "A step of lock '" + LockNames.show(name) + "' has failed, and is completed by the next step", ex);
            return whenFailed;
        }
    }
}
