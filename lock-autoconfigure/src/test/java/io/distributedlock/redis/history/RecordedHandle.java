/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A hold whose life is written down. Every look at it that finds its deadline moved on writes that down, too, so that
 * the checker knows of renewals. Its writes and counts are to be made one after the other.
 */
public final class RecordedHandle implements LockHandle {

    /** What a deadline has to move on to be worth a line. */
    private static final long MOVED = Duration.ofMillis(1).toNanos();

    private final History history;

    private final Event granted;

    /** For how long the lock stays taken, even if it is released before. */
    private final Duration minHold;

    private final LockHandle handle;

    private final AtomicLong deadline;

    private final Loss loss;

    private final AtomicBoolean closed = new AtomicBoolean();

    RecordedHandle(History history, Event asked, @Nullable Duration minHold, LockHandle handle) {
        this.history = history;
        this.minHold = minHold == null ? Duration.ZERO : minHold;
        this.handle = handle;
        long now = System.nanoTime();
        this.deadline = new AtomicLong(certainUntil(now));
        this.granted =
                asked.then(asked.operation(), Phase.OK, now, deadline.get()).withToken(handle.fencingToken());
        history.write(granted);
        this.loss = new Loss(history, granted, new WeakReference<>(handle), new AtomicBoolean());
        handle.onLost(loss);
    }

    /** Must not keep the handle reachable, which would never be abandoned then. */
    private record Loss(History history, Event granted, WeakReference<LockHandle> handle, AtomicBoolean told)
            implements Runnable {

        @Override
        public void run() {
            long now = System.nanoTime();
            if (told.compareAndSet(false, true)) {
                history.write(granted.then(Operation.LOST, Phase.OK, Math.min(now, lostAt(now)), Event.NONE));
            }
        }

        /**
         * Since when the handle has reported the loss, at the latest: an instance that stops takes a lock away first,
         * and runs this callback a moment later.
         */
        private long lostAt(long now) {
            LockHandle known = handle.get();
            try {
                if (known != null) {
                    known.throwIfLost();
                }
                return now;
            } catch (LockLostException e) {
                return granted.nanos() + e.heldFor().toNanos();
            }
        }
    }

    @Override
    public String name() {
        return handle.name();
    }

    @Override
    public long fencingToken() {
        return handle.fencingToken();
    }

    @Override
    public boolean isHeld() {
        boolean held = handle.isHeld();
        if (held) {
            look();
        } else {
            lost();
        }
        return held;
    }

    @Override
    public Duration remainingLease() {
        look();
        return handle.remainingLease();
    }

    @Override
    public void extend(Duration lease) {
        extending();
        Phase outcome = Phase.UNKNOWN;
        try {
            handle.extend(lease);
            outcome = Phase.OK;
        } catch (LockLostException e) {
            outcome = Phase.FAIL;
            throw e;
        } finally {
            extended(outcome);
        }
    }

    /** While it is under way nothing is certain, as the new lease may be the shorter one. It may have ended before. */
    void extending() {
        long before = System.nanoTime();
        write(Operation.RENEW, Phase.INVOKE, before, Math.min(before, deadline.get()));
    }

    void extended(Phase outcome) {
        long after = System.nanoTime();
        deadline.set(certainUntil(after));
        write(Operation.RENEW, outcome, after, deadline.get());
    }

    @Override
    public void onLost(Runnable callback) {
        handle.onLost(callback);
    }

    @Override
    public void throwIfLost() {
        try {
            handle.throwIfLost();
            look();
        } catch (LockLostException e) {
            lost();
            throw e;
        }
    }

    /** Makes a write to a store that checks the token, and says whether it took it. */
    public boolean fencedWrite(BooleanSupplier write) {
        write(Operation.FENCED_WRITE, Phase.INVOKE, System.nanoTime(), Event.NONE);
        Phase outcome = Phase.UNKNOWN;
        try {
            outcome = write.getAsBoolean() ? Phase.OK : Phase.FAIL;
            return outcome == Phase.OK;
        } finally {
            write(Operation.FENCED_WRITE, outcome, System.nanoTime(), Event.NONE);
        }
    }

    /** Reads a counter and writes the next number back. That counts if the lock was held all the time. */
    public void count(Runnable readAndWrite) {
        write(Operation.COUNT, Phase.INVOKE, System.nanoTime(), Event.NONE);
        Phase outcome = Phase.UNKNOWN;
        try {
            readAndWrite.run();
            outcome = isHeld() ? Phase.OK : Phase.UNKNOWN;
        } finally {
            write(Operation.COUNT, outcome, System.nanoTime(), Event.NONE);
        }
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        long now = System.nanoTime();
        write(Operation.RELEASE, Phase.INVOKE, now, certainUntil(now));
        Phase outcome = Phase.UNKNOWN;
        try {
            handle.close();
            outcome = Phase.OK;
        } catch (LockLostException e) {
            outcome = Phase.FAIL;
            throw e;
        } finally {
            released(outcome);
        }
    }

    private void released(Phase outcome) {
        boolean stays = outcome != Phase.FAIL && !minHold.isZero();
        long until = stays ? granted.nanos() + minHold.toNanos() : Event.NONE;
        write(Operation.RELEASE, outcome, System.nanoTime(), until);
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        if (!closed.compareAndSet(false, true)) {
            return CompletableFuture.completedFuture(null);
        }
        long now = System.nanoTime();
        write(Operation.RELEASE, Phase.INVOKE, now, certainUntil(now));
        return handle.closeAsync().whenComplete((done, failure) -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            Phase lost = cause instanceof LockLostException ? Phase.FAIL : Phase.UNKNOWN;
            released(cause == null ? Phase.OK : lost);
        });
    }

    /** @param now taken before, so that the deadline is rather said too early than too late */
    private long certainUntil(long now) {
        long remaining = handle.remainingLease().toNanos();
        return remaining > 0 ? now + remaining : Event.NONE;
    }

    private void look() {
        long now = System.nanoTime();
        long known = deadline.get();
        long until = certainUntil(now);
        if (until - known > MOVED && deadline.compareAndSet(known, until)) {
            write(Operation.RENEW, Phase.OK, now, until);
        }
    }

    private void lost() {
        if (!closed.get()) {
            loss.run();
        }
    }

    private void write(Operation operation, Phase phase, long now, long until) {
        history.write(granted.then(operation, phase, now, until));
    }

    @Override
    public String toString() {
        return "Recorded" + handle;
    }
}
