/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener;
import io.distributedlock.LockListener.Answer;
import io.distributedlock.LockListener.Attempt;
import io.distributedlock.LockListener.Command;
import io.distributedlock.LockListener.End;
import io.distributedlock.LockListener.Loss;
import io.distributedlock.LockListener.Path;
import io.distributedlock.LockListener.Refusal;
import io.distributedlock.LockListener.Renewal;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStore.RenewReply;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Notifies the listener of an engine of the outcome of acquisitions and holds. Without a listener, it allocates nothing
 * and reads no clock. Never called under a monitor.
 */
final class ListenerCalls {

    private static final Log log = LogFactory.getLog(LockEngine.class);

    private final @Nullable LockListener listener;

    private final NanoClock clock;

    private final AtomicBoolean failed = new AtomicBoolean();

    ListenerCalls(@Nullable LockListener listener, NanoClock clock) {
        this.listener = listener;
        this.clock = clock;
    }

    boolean isOn() {
        return listener != null;
    }

    /** The listener to this attempt, or null if there is none. */
    @Nullable
    Attempt requested(ResolvedRequest request) {
        LockListener told = listener;
        return told == null ? null : safely(() -> told.requested(request.name(), request.origin()));
    }

    /** Read once and outside of monitors: it is code of a listener, whose failure must not become the caller's. */
    @Nullable
    String traceId(@Nullable Attempt of) {
        return of == null ? null : safely(of::traceId);
    }

    void reentered(LockRequest request) {
        LockListener told = listener;
        if (told != null) {
            safely(() -> {
                told.reentered(request.name(), request.origin());
                return null;
            });
        }
    }

    /** The result for the caller, in its thread or in the one that completes its stage. */
    void decided(Waiter waiter, AcquireResult result) {
        Attempt told = waiter.attempt;
        if (told == null) {
            return;
        }
        long waited = Math.max(0, clock.nanos() - waiter.since);
        if (!(result instanceof AcquireResult.Granted granted)) {
            refused(waiter, refusal(waiter, result));
            return;
        }
        Path path = granted.path();
        if (path != Path.RE_ENTERED && granted.handle() instanceof DefaultLockHandle handle) {
            handle.hold().isTold(told, waiter.traceId);
        }
        safely(() -> {
            told.acquired(path, waited);
            return null;
        });
    }

    private static Refusal refusal(Waiter waiter, AcquireResult result) {
        if (result instanceof AcquireResult.Unavailable) {
            return Refusal.UNAVAILABLE;
        }
        if (result instanceof AcquireResult.Late) {
            return Refusal.LOST;
        }
        if (result instanceof AcquireResult.Deadlock) {
            return Refusal.DEADLOCK;
        }
        if (result instanceof AcquireResult.Left) {
            return Refusal.CANCELLED;
        }
        return waiter.terms.origin().skipsWhenBusy() ? Refusal.SKIPPED : Refusal.BUSY;
    }

    void refused(Waiter waiter, Refusal refusal) {
        Attempt told = waiter.attempt;
        if (told != null) {
            long waited = Math.max(0, clock.nanos() - waiter.since);
            safely(() -> {
                told.refused(refusal, waited);
                return null;
            });
        }
    }

    /** The hold has ended. Only the first call for a hold counts. */
    void ended(Hold hold, End end) {
        Attempt told = hold.takeTold();
        if (told != null) {
            long held = Math.max(0, clock.nanos() - hold.grantedAt);
            safely(() -> {
                told.ended(end, held);
                return null;
            });
        }
    }

    void lost(Hold hold, Loss loss) {
        LockListener told = listener;
        if (told != null) {
            safely(() -> {
                told.lost(hold.name(), hold.origin(), loss);
                return null;
            });
            ended(hold, End.LOST);
        }
    }

    long now() {
        return clock.nanos();
    }

    /** A command got its reply, or no caller waits for it any more. */
    void answered(Command command, @Nullable Throwable failure, long sentAt) {
        LockListener told = listener;
        if (told != null) {
            long nanos = Math.max(0, clock.nanos() - sentAt);
            safely(() -> {
                told.answered(command, answer(failure), nanos);
                return null;
            });
        }
    }

    private static Answer answer(@Nullable Throwable failure) {
        if (failure == null) {
            return Answer.OK;
        }
        if (StoreFailures.isRefused(failure)) {
            return Answer.REFUSED;
        }
        return StoreFailures.isNotExecuted(failure) ? Answer.NOT_SENT : Answer.UNKNOWN;
    }

    /** The same for a batch of renewals. */
    void renewed(int size, @Nullable List<RenewReply> replies, @Nullable Throwable failure, long sentAt) {
        LockListener told = listener;
        if (told == null) {
            return;
        }
        answered(Command.RENEW, failure, sentAt);
        safely(() -> {
            for (int i = 0; i < size; i++) {
                told.renewed(replies == null ? Renewal.FAILED : result(replies.get(i)));
            }
            return null;
        });
    }

    private static Renewal result(RenewReply reply) {
        return reply.renewed() ? Renewal.RENEWED : Renewal.LOST;
    }

    private <T> @Nullable T safely(Supplier<@Nullable T> call) {
        try {
            return call.get();
        } catch (Throwable ex) {
            if (failed.compareAndSet(false, true)) {
                FailureLog.warn(
                        log,
                        "A listener of distributed locks has failed; further failures of it are logged for debugging",
                        ex);
            } else {
                FailureLog.debug(log, "A listener of distributed locks has failed", ex);
            }
            return null;
        }
    }
}
