package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import io.distributedlock.engine.LeaseStore.Requeue;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The state machine of one lock name in this JVM. */
final class NamedLock extends Timed {

    private enum State {
        /** Nothing is wanted. Lasts no longer than a transition. */
        IDLE,
        /** A question is under way. */
        ASKING,
        /** The store said "wait". */
        WAITING,
        /** The store could not be asked. */
        BACKING_OFF,
        /** This instance has the lock, and a caller holds it. */
        LEASED,
        /** Removed from the engine; whoever still has a reference looks the name up again. */
        RETIRED
    }

    final LockEngine engine;

    final String name;

    /** The explicit owner, or null. With one, this object serves a single acquisition. */
    final @Nullable String owner;

    private final WaiterQueue waiters = new WaiterQueue();

    private State state = State.IDLE;

    private @Nullable Ask ask;

    private @Nullable Lease lease;

    private @Nullable Watch watch;

    private @Nullable Hold hold;

    /** Why the store could not be asked; null once it has answered. */
    private @Nullable Throwable trouble;

    /** Whether the store's latest word is an answer. */
    private boolean heard;

    private long askAt;

    NamedLock(LockEngine engine, String name, @Nullable String owner) {
        this.engine = engine;
        this.name = name;
        this.owner = owner;
    }

    // ---- what callers do

    /** @return false if this object is retired */
    boolean enqueue(Waiter waiter) {
        Effects effects = new Effects();
        synchronized (this) {
            if (state == State.RETIRED) {
                return false;
            }
            long now = engine.now();
            settle(now, effects);
            admit(waiter, now, effects);
            rest(now, effects);
        }
        effects.run();
        return true;
    }

    private void admit(Waiter waiter, long now, Effects effects) {
        Hold current = hold;
        if (current != null && current.owner == waiter.owner) {
            enterAgain(current, waiter, effects);
        } else if (engine.isClosing()) {
            effects.add(() -> waiter.decide(Verdict.SHUTTING_DOWN));
        } else if (waiter.terms.triesOnce() && (state == State.LEASED || state == State.WAITING)) {
            effects.add(() -> waiter.decide(Verdict.BUSY));
        } else {
            waiters.add(waiter);
        }
    }

    /** The short way for a caller that holds the lock: nothing changes but the count. Null if it does not hold it. */
    @Nullable
    EngineHandle enterAgain(Object owner) {
        synchronized (this) {
            Hold current = hold;
            Object anchor = current == null ? null : current.anchor();
            if (current == null || anchor == null || current.owner != owner || !current.isHeld(engine.now())) {
                return null;
            }
            current.entries++;
            return new EngineHandle(current, anchor);
        }
    }

    private synchronized boolean leftInner(Hold closing) {
        if (hold != closing || closing.entries == 1 || closing.isExpired(engine.now())) {
            return false;
        }
        closing.entries--;
        return true;
    }

    private void enterAgain(Hold current, Waiter waiter, Effects effects) {
        Object anchor = current.anchor();
        if (!waiter.terms.reentrant()) {
            effects.add(() -> waiter.decide(Verdict.REENTERED));
        } else {
            current.entries++;
            EngineHandle handle = new EngineHandle(current, anchor == null ? new Object() : anchor);
            effects.add(() -> waiter.decide(new Verdict.Granted(handle)));
        }
    }

    /**
     * The wait of a caller is over: it is told what is known.
     *
     * @return false if nothing is known yet, and the caller has patience for a first word of the store
     */
    boolean expire(Waiter waiter) {
        boolean[] decided = {true};
        transition((now, effects) -> {
            boolean busy = state == State.LEASED || heard;
            if (!waiter.queued) {
                return;
            }
            if (!busy && waiter.patienceEnd() - now > 0) {
                decided[0] = false;
                return;
            }
            waiters.remove(waiter);
            Verdict verdict = busy ? Verdict.BUSY : unavailable();
            effects.add(() -> waiter.decide(verdict));
        });
        return decided[0];
    }

    /** A caller does not want to wait any longer. Does nothing if its verdict is on its way. */
    void leave(Waiter waiter) {
        transition((now, effects) -> {
            if (waiters.remove(waiter)) {
                effects.add(() -> waiter.decide(Verdict.LEFT));
            }
        });
    }

    /** A handle was closed. Returns the release to wait for, or null if there is none. */
    @Nullable
    GiveBack leave(Hold closing) {
        if (leftInner(closing)) {
            return null;
        }
        GiveBack[] released = new GiveBack[1];
        transition((now, effects) -> {
            if (hold != closing || --closing.entries > 0) {
                return;
            }
            closing.close();
            hold = null;
            released[0] = passOn(now, effects);
        });
        return released[0];
    }

    private @Nullable GiveBack passOn(long now, Effects effects) {
        Lease current = leased();
        if (waiters.isEmpty()) {
            return giveUpLease(effects);
        }
        if (current.mayPass(engine.settings(), now)) {
            current.pass();
            grantNext(now, now, effects);
            return null;
        }
        return requeue(now, effects);
    }

    /** It is the turn of another instance: this one queues again in its release. */
    private GiveBack requeue(long now, Effects effects) {
        GiveBack release = new GiveBack(this, leased());
        clearLease();
        Ask again = newAsk(now);
        CompletableFuture<AcquireReply> answer = question(again, now);
        release.andRequeue(new Requeue(again.number, again.lease / 1_000_000), answer);
        effects.add(release::start);
        return release;
    }

    private GiveBack giveUpLease(Effects effects) {
        GiveBack release = new GiveBack(this, leased());
        clearLease();
        effects.add(release::start);
        return release;
    }

    private void clearLease() {
        lease = null;
        watch = null;
        state = State.IDLE;
    }

    // ---- asking the store

    private void ask(long now, Effects effects) {
        Ask asking = ask == null ? newAsk(now) : ask;
        Waiter head = waiters.first();
        if (head == null) {
            return;
        }
        asking.lease = wholeMillis(head.terms.firstLease());
        boolean queue = anyoneWaits(head);
        CompletableFuture<AcquireReply> answer = question(asking, now);
        AcquireCommand command = new AcquireCommand(
                name, asking.number, asking.lease / 1_000_000, engine.floor(), queue, owner, head.terms.reentrant());
        effects.add(() -> Pipe.into(answer, engine.store().acquire(command)));
    }

    private static boolean anyoneWaits(Waiter head) {
        for (Waiter waiter = head; waiter != null; waiter = waiter.next) {
            if (!waiter.terms.triesOnce()) {
                return true;
            }
        }
        return false;
    }

    private Ask newAsk(long now) {
        Ask asking = new Ask(engine.nextNumber(), now);
        Waiter head = waiters.first();
        asking.lease = head == null ? 0 : wholeMillis(head.terms.firstLease());
        ask = asking;
        return asking;
    }

    private CompletableFuture<AcquireReply> question(Ask asking, long now) {
        CompletableFuture<AcquireReply> answer = asking.newQuestion(now);
        answer.whenComplete((reply, failure) -> answered(asking, answer, reply, failure));
        state = State.ASKING;
        return answer;
    }

    private static long wholeMillis(long nanos) {
        return nanos / 1_000_000 * 1_000_000;
    }

    private void answered(
            Ask asked,
            CompletableFuture<AcquireReply> question,
            @Nullable AcquireReply reply,
            @Nullable Throwable failure) {
        transition((now, effects) -> {
            if (ask != asked || !asked.isLatest(question)) {
                return;
            }
            if (reply == null) {
                failed(asked, Failures.unwrap(failure), now, effects);
            } else {
                heard = true;
                trouble = null;
                answered(asked, reply, now, effects);
            }
        });
    }

    private void answered(Ask asked, AcquireReply reply, long now, Effects effects) {
        if (reply instanceof AcquireReply.Granted granted) {
            engine.sawToken(granted.token());
            Lease granting = new Lease(asked.number, granted.token(), asked.sentAt, asked.lease, asked.uncertain, null);
            accept(granting, granted.waiting(), now, effects);
        } else if (reply instanceof AcquireReply.Busy busy) {
            engine.sawToken(busy.token());
            busy(asked, busy, now, effects);
        } else {
            ask = null;
            state = State.IDLE;
            if (reply instanceof AcquireReply.Reentered) {
                decideAll(Verdict.REENTERED, effects);
            }
        }
    }

    private void busy(Ask asked, AcquireReply.Busy busy, long now, Effects effects) {
        askAt = now + asked.busy(busy.ttlMillis(), busy.queued());
        state = State.WAITING;
        decideTriesOnce(effects);
        if (!waiters.isEmpty() && (!busy.queued() || asked.confirm)) {
            asked.confirm = false;
            ask(now, effects);
        }
    }

    private void failed(Ask asked, Throwable failure, long now, Effects effects) {
        heard = false;
        trouble = failure;
        if (Failures.isRefused(failure)) {
            decideAll(unavailable(), effects);
        } else {
            askAt = now + asked.failed(Failures.isUnknown(failure));
            state = State.BACKING_OFF;
        }
    }

    private void accept(Lease granted, int waiting, long now, Effects effects) {
        ask = null;
        if (granted.deadline() - now <= 0) {
            effects.add(new GiveBack(this, granted)::start);
            heard = false;
            trouble = Failures.tooLate(granted.length());
            askAt = now + Ask.backOff(0);
            state = State.BACKING_OFF;
            return;
        }
        state = State.LEASED;
        lease = granted;
        watch = new Watch(granted);
        granted.othersWait(waiting > 0, now);
        grantNext(granted.sentAt(), now, effects);
        decideTriesOnce(effects);
    }

    private void grantNext(long start, long now, Effects effects) {
        Waiter next = waiters.poll();
        if (next == null) {
            giveUpLease(effects);
            return;
        }
        Object anchor = new Object();
        Hold granted = new Hold(this, next, leased(), start, now, anchor);
        hold = granted;
        EngineHandle handle = new EngineHandle(granted, anchor);
        effects.add(() -> next.decide(new Verdict.Granted(handle)));
    }

    private void decideAll(Verdict verdict, Effects effects) {
        for (Waiter waiter = waiters.poll(); waiter != null; waiter = waiters.poll()) {
            Waiter told = waiter;
            effects.add(() -> told.decide(verdict));
        }
    }

    private void decideTriesOnce(Effects effects) {
        Waiter waiter = waiters.first();
        while (waiter != null) {
            Waiter told = waiter;
            waiter = waiter.next;
            if (told.terms.triesOnce()) {
                waiters.remove(told);
                effects.add(() -> told.decide(Verdict.BUSY));
            }
        }
    }

    private Verdict unavailable() {
        Throwable cause = trouble == null ? Failures.noAnswer(engine.timeout(0)) : trouble;
        return new Verdict.Unavailable(String.valueOf(cause.getMessage()), cause);
    }

    // ---- what the store says unasked

    /** @return false if nobody here knows that acquisition */
    boolean granted(long number, long token, long leaseMillis, int waiting) {
        boolean[] known = {true};
        transition((now, effects) -> {
            Ask asking = ask;
            if (asking == null || asking.number != number) {
                known[0] = lease != null && leased().number == number;
                return;
            }
            engine.sawToken(token);
            Lease handed = new Lease(
                    number, token, asking.grantedSince, leaseMillis * 1_000_000, asking.uncertain, asking.unanswered());
            if (handed.deadline() - now >= handed.length() / 2) {
                heard = true;
                trouble = null;
                accept(handed, waiting, now, effects);
            } else if (state == State.ASKING) {
                asking.confirm = true;
            } else {
                ask(now, effects);
            }
        });
        return known[0];
    }

    /** @return false if nobody here holds that acquisition */
    boolean recalled(long number) {
        boolean[] known = {false};
        transition((now, effects) -> {
            if (lease != null && leased().number == number) {
                leased().othersWait(true, now);
                known[0] = true;
            }
        });
        return known[0];
    }

    /** @return false if nobody here holds that acquisition */
    boolean revoked(long number) {
        boolean[] known = {false};
        transition((now, effects) -> {
            if (lease != null && leased().number == number) {
                lose("it was taken away by a forced release, or its owner gave it back elsewhere", false, now, effects);
                known[0] = true;
            }
        });
        return known[0];
    }

    /** Finds out whether the deadline has passed. */
    void lookAgain() {
        transition((now, effects) -> {});
    }

    void connected() {
        transition((now, effects) -> {
            if (state == State.WAITING || state == State.BACKING_OFF) {
                ask(now, effects);
            } else if (watch != null) {
                watch.retry(now);
            }
        });
    }

    // ---- renewal and loss

    void renewed(int renewal, @Nullable RenewReply reply, @Nullable Throwable failure) {
        transition((now, effects) -> {
            Lease current = lease;
            Watch watching = watch;
            if (current == null || watching == null || !watching.isAwaited(renewal)) {
                return;
            }
            if (reply == null) {
                watching.failed(current, now);
            } else if (!reply.renewed()) {
                lose("Redis has it no longer, or somebody else has it", false, now, effects);
            } else {
                engine.sawToken(reply.token());
                current.sawToken(reply.token());
                current.othersWait(reply.waiting() > 0, now);
                watching.renewed(current);
                held().follow(current, now);
            }
        });
    }

    /** Starts an extension, or returns null if the hold is not this lock's any more. */
    LeaseRenewal.@Nullable Due extend(Hold extending, long length) {
        LeaseRenewal.Due[] due = new LeaseRenewal.Due[1];
        transition((now, effects) -> {
            Watch watching = watch;
            if (hold != extending || watching == null) {
                return;
            }
            if (!extending.terms.renew()) {
                extending.renewUntil = now + length;
            }
            extending.extendedUntil = now + length;
            RenewCommand command =
                    watching.start(leased(), extending, Math.min(length, extending.renewUntil - now), now);
            due[0] = new LeaseRenewal.Due(this, watching.current(), command);
        });
        return due[0];
    }

    /** A hold that is past its deadline is lost at the next look at it, whoever looks. */
    private void settle(long now, Effects effects) {
        Hold current = hold;
        if (current != null && current.isExpired(now)) {
            boolean tooOld = current.renewUntil - now <= Lease.margin(leased().length()) && current.terms.renew();
            lose(
                    tooOld ? "it reached its greatest age (maxHold)" : "its lease ran out without being renewed",
                    true,
                    now,
                    effects);
        }
    }

    private void lose(String why, boolean giveBack, long now, Effects effects) {
        Hold losing = held();
        hold = null;
        List<Runnable> callbacks = losing.lose(why, now);
        effects.add(() -> engine.lost(losing, callbacks));
        if (giveBack) {
            giveUpLease(effects);
        } else {
            clearLease();
        }
    }

    @Override
    void onDue(long now) {
        transition((time, effects) -> {
            if (state == State.ASKING && time - asking().sentAt >= timeout()) {
                CompletableFuture<?> given = asking().giveUpQuestion();
                if (given != null) {
                    effects.add(() -> given.cancel(false));
                }
                failed(asking(), Failures.noAnswer(timeout()), time, effects);
                askAt = time;
            }
            if ((state == State.WAITING || state == State.BACKING_OFF) && time - askAt >= 0) {
                ask(time, effects);
            } else if (state == State.LEASED) {
                watch(time, effects);
            }
        });
    }

    private void watch(long now, Effects effects) {
        Hold current = held();
        Watch watching = watching();
        if (current.isAbandoned()) {
            if (!current.abandonmentTold) {
                current.abandonmentTold = true;
                effects.add(() -> engine.abandoned(current));
            }
            return;
        }
        RenewCommand command = watching.renew(leased(), current, timeout(), now);
        if (command != null) {
            engine.renewal().add(new LeaseRenewal.Due(this, watching.current(), command));
        }
    }

    /** The engine closes: waiters go at once. */
    void refuseWaiters() {
        transition((now, effects) -> decideAll(Verdict.SHUTTING_DOWN, effects));
    }

    /** The engine has closed: holds go too. */
    void terminate() {
        transition((now, effects) -> {
            if (hold != null) {
                lose("the lock template was shut down", true, now, effects);
            }
        });
    }

    // ---- the frame of every transition

    private interface Transition {
        void run(long now, Effects effects);
    }

    private void transition(Transition transition) {
        Effects effects = new Effects();
        synchronized (this) {
            if (state == State.RETIRED) {
                return;
            }
            long now = engine.now();
            settle(now, effects);
            transition.run(now, effects);
            rest(now, effects);
        }
        effects.run();
    }

    /** Brings the machine to a state in which something will happen: by an answer, by the timer, or by the holder. */
    private void rest(long now, Effects effects) {
        if (state != State.LEASED && waiters.isEmpty()) {
            retire(effects);
            return;
        }
        if (state == State.IDLE) {
            ask(now, effects);
        }
        engine.arm(this, nextLook());
    }

    private void retire(Effects effects) {
        Ask leaving = ask;
        if (leaving != null && (leaving.queued || leaving.uncertain || leaving.unanswered() != null)) {
            effects.add(new GiveBack(this, leaving)::start);
        }
        ask = null;
        state = State.RETIRED;
        engine.disarm(this);
        engine.locks().retired(this);
    }

    private long nextLook() {
        if (state == State.LEASED) {
            Hold current = held();
            long look = current.abandonmentTold ? TimerQueue.NEVER : watching().nextLook(leased(), current, timeout());
            return look == TimerQueue.NEVER || look - current.deadline() > 0 ? current.deadline() : look;
        }
        return state == State.ASKING ? asking().sentAt + timeout() : askAt;
    }

    private long timeout() {
        Lease current = lease;
        Ask asking = ask;
        return engine.timeout(current != null ? current.length() : asking != null ? asking.lease : 0);
    }

    private Lease leased() {
        return required(lease);
    }

    private Watch watching() {
        return required(watch);
    }

    private Hold held() {
        return required(hold);
    }

    private Ask asking() {
        return required(ask);
    }

    private <T> T required(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("Lock '" + name + "' is " + state + " without what belongs to that state");
        }
        return part;
    }
}
