/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNames;
import io.distributedlock.ServerClockSetBackEvent;
import io.distributedlock.logging.SafeLog;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;

/**
 * The lines that an engine logs about its locks: those for operators, and for debugging, each lock and unlock. No
 * method throws anything: a line that cannot be made, as at the end of the stack, is left out. The state of a lock must
 * not depend on it, nor must a step be repeated for it.
 */
final class LockLog {

    private static final Log log = SafeLog.of(LockEngine.class);

    private static final int NAMES_SHOWN = 10;

    private static final int FRAMES_SHOWN = 40;

    private final NanoClock clock;

    LockLog(NanoClock clock) {
        this.clock = clock;
    }

    /** @param level writes it */
    private static void write(Consumer<Object> level, Supplier<String> line) {
        try {
            level.accept(line.get());
        } catch (Throwable ex) {
            log.error("A line about a lock could not be logged", ex);
        }
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
            write(
                    log::debug,
                    () -> lock(waiter.request.name()) + " has a new waiter: " + CallerName.inLog(waiter.owner));
        }
    }

    void decided(Waiter waiter, AcquireResult result) {
        if (log.isDebugEnabled()) {
            write(log::debug, () -> decision(waiter, result));
        }
    }

    private String decision(Waiter waiter, AcquireResult result) {
        String after = " after " + millisSince(waiter.since) + " ms";
        String what = result instanceof AcquireResult.Granted granted
                ? " was acquired" + after + ", token " + granted.handle().fencingToken()
                : " was not acquired" + after + ": " + result.outcome();
        return lock(waiter.request.name()) + what;
    }

    void released(Hold hold) {
        if (log.isDebugEnabled() && hold.isClosed()) {
            write(
                    log::debug,
                    () -> lock(hold.name()) + " was released after " + millisSince(hold.grantedAt) + " ms, token "
                            + hold.token);
        }
    }

    // ---- lines for operators

    void lost(Hold hold, LockLostException loss) {
        write(log::warn, () -> {
            String method = hold.origin().method();
            return loss.getMessage() + " (token " + hold.token + ", held by " + CallerName.inLog(hold.owner())
                    + (method == null ? "" : " in " + method) + ")";
        });
    }

    /** The stack of a holder that has reached its maxHold. */
    void hangs(Hold hold, Thread thread, StackTraceElement... stack) {
        if (stack.length > 0) {
            write(
                    log::warn,
                    () -> lock(hold.name()) + " had reached its maximum hold time (maxHold) while "
                            + CallerName.inLog(thread) + " was here:" + shown(stack));
        }
    }

    private static String shown(StackTraceElement... stack) {
        return Arrays.stream(stack)
                .limit(FRAMES_SHOWN)
                .map(frame -> "\n\tat " + frame)
                .collect(Collectors.joining());
    }

    /** @param first whether no listener of this type of event has failed before */
    void listenerFailed(String event, boolean first, Throwable failure) {
        String failed = "A listener of " + event + " has failed";
        if (first) {
            log.warn(failed + "; further failures are logged for debugging", failure);
        } else {
            log.debug(failed, failure);
        }
    }

    void abandoned(Hold hold) {
        write(
                log::warn,
                () -> lock(hold.name()) + " was never closed: its handle was garbage collected or its thread has"
                        + " ended. Its lease is no longer renewed. Close handles in a try-with-resources statement.");
    }

    void serverClockSetBack(ServerClockSetBackEvent event) {
        write(
                log::warn,
                () -> "The server's clock was set back by " + event.by().toSeconds()
                        + " s or more, as a token of lock '"
                        + LockNames.show(event.lockName())
                        + "' shows. Fencing tokens of locks that were used before may not grow until it has"
                        + " caught up. Configure time synchronization to slew the clock, not to step it.");
    }

    /** The engine closes. */
    void waitsForHolds(Duration grace, List<String> names) {
        if (!names.isEmpty() && !grace.isZero()) {
            write(
                    log::info,
                    () -> "Stopping: waiting up to " + ResolvedRequest.nanos(grace) / 1_000_000 + " ms for "
                            + shown(names));
        }
    }

    void tookAway(List<String> names) {
        if (!names.isEmpty()) {
            write(
                    log::warn,
                    () -> "Stopped: revoked " + shown(names) + ", still held at the end of the shutdown grace");
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
