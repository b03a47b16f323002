package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStore.ReleaseReply;
import io.distributedlock.engine.LeaseStore.ReleaseReply.Outcome;
import io.distributedlock.engine.LeaseStore.Requeue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gives an acquisition back to the store, until the store has said so or whatever was there has run out by itself. It is
 * what a release, a caller that stopped waiting and an unknown outcome have in common.
 *
 * <p>It first lets a question that is under way be answered, as the two could cross on different connections otherwise. If
 * that question was given up, the store is asked to refuse its id for a while, so that a late copy of it cannot win.
 */
final class GiveBack extends Timed {

    /** What completes when the store has answered; a failure means that the outcome is not known yet, or refused. */
    final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    private final LockEngine engine;

    private final String name;

    private final long number;

    private final long token;

    private final long timeout;

    private final long leaseNanos;

    private final long giveUpAt;

    private final @Nullable Question unanswered;

    private boolean uncertain;

    private @Nullable CompletableFuture<AcquireReply> requeueAnswer;

    private @Nullable Requeue requeue;

    private @Nullable CompletableFuture<ReleaseReply> sent;

    private long sentAt;

    private boolean doubtful;

    /** An attempt has failed and its failure was dealt with; only then may there be another one. */
    private boolean resting;

    private boolean done;

    private int failures;

    /** Gives back a lease. */
    GiveBack(NamedLock lock, Lease lease) {
        this(lock, lease.number, lease.token(), lease.length(), giveUpAt(lease), lease.uncertain, lease.unanswered);
    }

    /** What cannot come back ends with its lease by itself. */
    private static long giveUpAt(Lease lease) {
        return lease.mayComeBack() ? lease.end() + lease.length() : lease.end();
    }

    /** Leaves the queue. */
    GiveBack(NamedLock lock, Ask ask) {
        this(lock, ask.number, 0, ask.lease, ask.sentAt + 2 * ask.lease, ask.uncertain, ask.unanswered());
    }

    GiveBack(
            NamedLock lock,
            long number,
            long token,
            long leaseNanos,
            long giveUpAt,
            boolean uncertain,
            @Nullable Question unanswered) {
        this.engine = lock.engine;
        this.name = lock.name;
        this.number = number;
        this.token = token;
        this.leaseNanos = leaseNanos;
        this.timeout = engine.timeout(leaseNanos);
        this.giveUpAt = giveUpAt;
        this.uncertain = uncertain;
        this.unanswered = unanswered;
    }

    /** Queues again in the same step; the answer to that is told to the given future. */
    GiveBack andRequeue(Requeue again, CompletableFuture<AcquireReply> answer) {
        requeue = again;
        requeueAnswer = answer;
        return this;
    }

    boolean isFor(long acquisition) {
        return number == acquisition;
    }

    void start() {
        engine.locks().givingBack(this);
        Question question = unanswered;
        if (question == null || !question.isOpen()) {
            uncertain |= question != null && !question.wasAnswered();
            send(engine.now());
        } else {
            engine.arm(this, question.sentAt() + timeout);
            question.answer().whenComplete((reply, failure) -> questionEnded(failure != null));
        }
    }

    private void questionEnded(boolean unknown) {
        synchronized (this) {
            if (sent != null || done) {
                return;
            }
            uncertain |= unknown;
        }
        send(engine.now());
    }

    private void send(long now) {
        CompletableFuture<ReleaseReply> attempt;
        CompletableFuture<ReleaseReply> previous;
        ReleaseCommand command;
        synchronized (this) {
            if (done) {
                return;
            }
            resting = false;
            sentAt = now;
            previous = sent;
            attempt = new CompletableFuture<>();
            sent = attempt;
            long tombstone = uncertain ? 2 * Math.max(1, leaseNanos / 1_000_000) : 0;
            command = new ReleaseCommand(name, number, token, engine.floor(), stillQueuing(), tombstone);
        }
        if (previous != null) {
            previous.cancel(false);
        }
        engine.arm(this, now + timeout);
        attempt.whenComplete((reply, failure) -> answered(attempt, reply, failure));
        Pipe.into(attempt, engine.store().release(command));
    }

    /** Whoever queues again may have given up by now and asked by itself. */
    private @Nullable Requeue stillQueuing() {
        return requeueAnswer == null || requeueAnswer.isDone() ? null : requeue;
    }

    private void answered(
            CompletableFuture<ReleaseReply> attempt, @Nullable ReleaseReply reply, @Nullable Throwable failure) {
        synchronized (this) {
            if (attempt != sent || done) {
                return;
            }
            done = reply != null || Failures.isRefused(failure);
        }
        if (reply != null) {
            engine.sawToken(reply.token());
            tellRequeued(reply.requeued(), null);
            finish();
            outcome.complete(believed(reply.outcome()));
        } else {
            failed(Failures.unwrap(failure));
        }
    }

    /** After an attempt of unknown outcome, "not held" may be its own doing. */
    private Outcome believed(Outcome said) {
        return doubtful && (said == Outcome.NOT_HELD || said == Outcome.NOT_YOURS) ? Outcome.RELEASED : said;
    }

    private void failed(Throwable failure) {
        boolean refused = Failures.isRefused(failure);
        tellRequeued(null, failure);
        if (refused) {
            finish();
            outcome.completeExceptionally(failure);
        } else {
            synchronized (this) {
                doubtful |= Failures.isUnknown(failure);
                resting = true;
            }
            engine.arm(this, engine.now() + Ask.backOff(engine, failures++));
        }
    }

    /** The one who queues again goes its own way after a failure; later attempts only give back. */
    private void tellRequeued(@Nullable AcquireReply reply, @Nullable Throwable failure) {
        CompletableFuture<AcquireReply> answer;
        synchronized (this) {
            answer = requeueAnswer;
            requeue = null;
            requeueAnswer = null;
        }
        if (answer != null && failure != null) {
            answer.completeExceptionally(failure);
        } else if (answer != null) {
            answer.complete(reply == null ? new AcquireReply.Busy(0, false, 0) : reply);
        }
    }

    /** The store can be reached again. */
    void retry() {
        synchronized (this) {
            if (!resting) {
                return;
            }
        }
        send(engine.now());
    }

    @Override
    void onDue(long now) {
        boolean overdue;
        boolean first;
        synchronized (this) {
            CompletableFuture<ReleaseReply> attempt = sent;
            first = attempt == null;
            uncertain |= first;
            overdue = attempt != null && !resting;
            if (attempt != null && overdue && (attempt.isDone() || now - sentAt < timeout)) {
                return;
            }
            doubtful |= overdue;
        }
        if (!first && now - giveUpAt >= 0) {
            giveUp();
            return;
        }
        if (overdue) {
            tellRequeued(null, Failures.noAnswer(timeout));
        }
        send(now);
    }

    private void giveUp() {
        synchronized (this) {
            done = true;
        }
        Throwable failure = Failures.noAnswer(timeout);
        tellRequeued(null, failure);
        finish();
        outcome.completeExceptionally(failure);
    }

    private void finish() {
        engine.disarm(this);
        engine.locks().gaveBack(this);
    }
}
