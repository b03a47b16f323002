/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNames;
import io.distributedlock.ServerClockSetBackEvent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** The lines that an engine logs about its locks: those for operators, and for debugging, each lock and unlock. */
final class LockLog {

    private static final Log log = LogFactory.getLog(LockEngine.class);

    private static final int NAMES_SHOWN = 10;

    private static final int FRAMES_SHOWN = 40;

    private final NanoClock clock;

    LockLog(NanoClock clock) {
        this.clock = clock;
    }

    private static String lock(String name) {
        return "Lock '" + LockNames.show(name) + "'";
    }

    private long millisSince(long time) {
        return Math.max(0, clock.nanos() - time) / 1_000_000;
    }

    // ---- each lock and unlock

    void waits(Waiter waiter) {
        if (log.isDebugEnabled()) {
            log.debug(lock(waiter.request.name()) + " has a new waiter: " + CallerName.inLog(waiter.owner));
        }
    }

    void decided(Waiter waiter, AcquireResult result) {
        if (!log.isDebugEnabled()) {
            return;
        }
        String after = " after " + millisSince(waiter.since) + " ms";
        String what = result instanceof AcquireResult.Granted granted
                ? " was acquired" + after + ", token " + granted.handle().fencingToken()
                : " was not acquired" + after + ": " + result.outcome();
        log.debug(lock(waiter.request.name()) + what);
    }

    void released(Hold hold) {
        if (log.isDebugEnabled() && hold.isClosed()) {
            log.debug(lock(hold.name()) + " was released after " + millisSince(hold.grantedAt) + " ms, token "
                    + hold.token);
        }
    }

    // ---- lines for operators

    void lost(Hold hold, LockLostException loss) {
        try {
            logLoss(hold, loss);
        } catch (RuntimeException | Error ex) {
            // Of an appender, for example. The event of the loss must not depend on it, nor be published again.
            FailureLog.error(log, "The loss of a lock could not be logged", ex);
        }
    }

    private static void logLoss(Hold hold, LockLostException loss) {
        String method = hold.origin().method();
        log.warn(loss.getMessage() + " (token " + hold.token + ", held by " + CallerName.inLog(hold.owner())
                + (method == null ? "" : " in " + method) + ")");
    }

    /** The stack of a holder that has reached its maxHold. */
    void hangs(Hold hold, Thread thread, StackTraceElement... stack) {
        if (stack.length > 0) {
            StringBuilder shown = new StringBuilder();
            Arrays.stream(stack)
                    .limit(FRAMES_SHOWN)
                    .forEach(frame -> shown.append("\n\tat ").append(frame));
            log.warn(lock(hold.name()) + " had reached its maximum hold time (maxHold) while "
                    + CallerName.inLog(thread) + " was here:" + shown);
        }
    }

    /** @param first whether no listener of this type of event has failed before */
    void listenerFailed(String event, boolean first, Throwable failure) {
        String failed = "A listener of " + event + " has failed";
        if (first) {
            FailureLog.warn(log, failed + "; further failures are logged for debugging", failure);
        } else {
            FailureLog.debug(log, failed, failure);
        }
    }

    void abandoned(Hold hold) {
        log.warn(lock(hold.name()) + " was never closed: its handle was garbage collected or its thread has"
                + " ended. Its lease is no longer renewed. Close handles in a try-with-resources statement.");
    }

    void serverClockSetBack(ServerClockSetBackEvent event) {
        log.warn("The server's clock was set back by " + event.by().toSeconds() + " s or more, as a token of lock '"
                + LockNames.show(event.lockName())
                + "' shows. Fencing tokens of locks that were used before may not grow until it has"
                + " caught up. Configure time synchronization to slew the clock, not to step it.");
    }

    /** The engine closes. */
    void waitsForHolds(Duration grace, List<String> names) {
        if (!names.isEmpty() && !grace.isZero()) {
            log.info("Stopping: waiting up to " + ResolvedRequest.nanos(grace) / 1_000_000 + " ms for " + shown(names));
        }
    }

    void tookAway(List<String> names) {
        if (!names.isEmpty()) {
            log.warn("Stopped: revoked " + shown(names) + ", still held at the end of the shutdown grace");
        }
    }

    private static String shown(List<String> names) {
        String first = String.join(
                ", ", names.stream().limit(NAMES_SHOWN).map(LockNames::show).toList());
        return names.size()
                + (names.size() == 1 ? " lock: " : " locks: ")
                + first
                + (names.size() > NAMES_SHOWN ? ", ..." : "");
    }
}
