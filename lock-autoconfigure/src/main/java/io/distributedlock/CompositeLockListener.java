/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import io.distributedlock.logging.SafeLog;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Two listeners as one; for more, the first is a composite. A failure of one does not affect the other. Without lists
 * and lambdas, since each call of a locked method passes here five times.
 */
final class CompositeLockListener implements LockListener {

    private static final Log log = SafeLog.of(CompositeLockListener.class);

    private final LockListener first;

    private final LockListener second;

    private final AtomicBoolean failed = new AtomicBoolean();

    private CompositeLockListener(LockListener first, LockListener second) {
        this.first = first;
        this.second = second;
    }

    /** All of them as one, or null if there is none. */
    static @Nullable LockListener of(List<LockListener> listeners) {
        return listeners.stream().reduce(CompositeLockListener::new).orElse(null);
    }

    @Override
    public @Nullable Attempt requested(String lockName, LockOrigin origin) {
        Attempt one = requested(first, lockName, origin);
        Attempt two = requested(second, lockName, origin);
        if (one == null || two == null) {
            return one == null ? two : one;
        }
        return new CompositeAttempt(one, two);
    }

    /** The failure of one listener does not affect the other, whose attempt has begun and needs to receive its end. */
    private @Nullable Attempt requested(LockListener listener, String lockName, LockOrigin origin) {
        try {
            return listener.requested(lockName, origin);
        } catch (Throwable ex) {
            if (failed.compareAndSet(false, true)) {
                log.warn(
                        "A listener of distributed locks has failed; its further failures are logged for debugging",
                        ex);
            } else {
                log.debug("A listener of distributed locks has failed", ex);
            }
            return null;
        }
    }

    @Override
    public void reentered(String lockName, LockOrigin origin) {
        try {
            first.reentered(lockName, origin);
        } finally {
            second.reentered(lockName, origin);
        }
    }

    @Override
    public void lost(String lockName, LockOrigin origin, Loss loss) {
        try {
            first.lost(lockName, origin, loss);
        } finally {
            second.lost(lockName, origin, loss);
        }
    }

    @Override
    public void commandCompleted(Command command, CommandOutcome outcome, long nanos) {
        try {
            first.commandCompleted(command, outcome, nanos);
        } finally {
            second.commandCompleted(command, outcome, nanos);
        }
    }

    @Override
    public void renewed(Renewal result) {
        try {
            first.renewed(result);
        } finally {
            second.renewed(result);
        }
    }

    private record CompositeAttempt(Attempt first, Attempt second) implements Attempt {

        @Override
        public void acquired(Path path, long waited) {
            try {
                first.acquired(path, waited);
            } finally {
                second.acquired(path, waited);
            }
        }

        @Override
        public void refused(Refusal refusal, long waited) {
            try {
                first.refused(refusal, waited);
            } finally {
                second.refused(refusal, waited);
            }
        }

        @Override
        public void ended(End end, long held) {
            try {
                first.ended(end, held);
            } finally {
                second.ended(end, held);
            }
        }

        @Override
        public @Nullable String traceId() {
            String known = traceIdOf(first);
            return known == null ? traceIdOf(second) : known;
        }

        private static @Nullable String traceIdOf(Attempt attempt) {
            try {
                return attempt.traceId();
            } catch (Throwable ex) {
                log.debug("A listener of distributed locks has failed", ex);
                return null;
            }
        }
    }
}
