/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener;
import io.distributedlock.LockListener.Attempt;
import io.distributedlock.LockListener.Command;
import io.distributedlock.LockListener.CommandOutcome;
import io.distributedlock.LockListener.End;
import io.distributedlock.LockListener.Loss;
import io.distributedlock.LockListener.Path;
import io.distributedlock.LockListener.Refusal;
import io.distributedlock.LockListener.Renewal;
import io.distributedlock.LockRequest;
import io.distributedlock.logging.SafeLog;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Notifies the listener of an engine of the outcome of acquisitions and holds. Without a listener, it allocates nothing
 * and reads no clock. Never called under a monitor. Without lambdas, since each call of a locked method passes here
 * five times.
 */
final class ListenerCalls {

    private static final Log log = SafeLog.of(LockEngine.class);

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
        LockListener known = listener;
        if (known == null) {
            return null;
        }
        try {
            return known.requested(request.name(), request.origin());
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    /** Read once and outside of monitors: it is code of a listener, whose failure must not become the caller's. */
    @Nullable
    String traceId(@Nullable Attempt of) {
        if (of == null) {
            return null;
        }
        try {
            return of.traceId();
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    void reentered(LockRequest request) {
        LockListener known = listener;
        if (known != null) {
            try {
                known.reentered(request.name(), request.origin());
            } catch (Throwable ex) {
                failed(ex);
            }
        }
    }

    /** The result for the caller, in its thread or in the one that completes its stage. */
    void decided(Waiter waiter, AcquireResult result) {
        Attempt known = waiter.attempt;
        if (known == null) {
            return;
        }
        long waited = Math.max(0, clock.nanos() - waiter.since);
        if (!(result instanceof AcquireResult.Granted granted)) {
            refused(waiter, refusal(waiter, result));
            return;
        }
        Path path = granted.path();
        try {
            known.acquired(path, waited);
        } catch (Throwable ex) {
            failed(ex);
        } finally {
            if (path != Path.RE_ENTERED && granted.handle() instanceof DefaultLockHandle handle) {
                received(handle.hold(), known, waiter.traceId);
            }
        }
    }

    /** The end is the last call, so it is reported after the grant, even if the hold was lost meanwhile. */
    private void received(Hold hold, Attempt known, @Nullable String traceId) {
        hold.setAttempt(known, traceId);
        if (hold.hasEnded()) {
            ended(hold, hold.isLost() ? End.LOST : End.RELEASED);
        }
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
        if (result instanceof AcquireResult.Cancelled) {
            return Refusal.CANCELLED;
        }
        return waiter.request.origin().skipsWhenBusy() ? Refusal.SKIPPED : Refusal.BUSY;
    }

    void refused(Waiter waiter, Refusal refusal) {
        Attempt known = waiter.attempt;
        if (known != null) {
            long waited = Math.max(0, clock.nanos() - waiter.since);
            try {
                known.refused(refusal, waited);
            } catch (Throwable ex) {
                failed(ex);
            }
        }
    }

    /** A request that no lock has seen. */
    void refused(LockRequest request, Refusal refusal) {
        LockListener known = listener;
        if (known != null) {
            try {
                Attempt attempt = known.requested(request.name(), request.origin());
                if (attempt != null) {
                    attempt.refused(refusal, 0);
                }
            } catch (Throwable ex) {
                failed(ex);
            }
        }
    }

    /** The hold has ended. Only the first call for a hold counts. */
    void ended(Hold hold, End end) {
        Attempt known = hold.takeAttempt();
        if (known != null) {
            long held = Math.max(0, clock.nanos() - hold.grantedAt);
            try {
                known.ended(end, held);
            } catch (Throwable ex) {
                failed(ex);
            }
        }
    }

    void lost(Hold hold, Loss loss) {
        LockListener known = listener;
        if (known != null) {
            try {
                known.lost(hold.name(), hold.origin(), loss);
            } catch (Throwable ex) {
                failed(ex);
            }
            ended(hold, End.LOST);
        }
    }

    long now() {
        return clock.nanos();
    }

    /** A command got its reply, or no caller waits for it any more. */
    void replied(Command command, @Nullable Throwable failure, long sentAt) {
        LockListener known = listener;
        if (known != null) {
            long nanos = Math.max(0, clock.nanos() - sentAt);
            try {
                known.commandCompleted(command, outcome(failure), nanos);
            } catch (Throwable ex) {
                failed(ex);
            }
        }
    }

    private static CommandOutcome outcome(@Nullable Throwable failure) {
        if (failure == null) {
            return CommandOutcome.OK;
        }
        if (StoreFailures.isRefused(failure)) {
            return CommandOutcome.REFUSED;
        }
        return StoreFailures.isNotExecuted(failure) ? CommandOutcome.NOT_SENT : CommandOutcome.UNKNOWN;
    }

    void renewed(Renewal result) {
        LockListener known = listener;
        if (known != null) {
            try {
                known.renewed(result);
            } catch (Throwable ex) {
                failed(ex);
            }
        }
    }

    private void failed(Throwable ex) {
        if (failed.compareAndSet(false, true)) {
            log.warn("A listener of distributed locks has failed; further failures of it are logged for debugging", ex);
        } else {
            log.debug("A listener of distributed locks has failed", ex);
        }
    }
}
