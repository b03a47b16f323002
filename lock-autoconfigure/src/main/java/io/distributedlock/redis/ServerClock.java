/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.engine.NanoClock;
import io.distributedlock.logging.SafeLog;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The clock of the only server, so that this instance assigns no token that is ahead of it. Each new connection
 * requests it once. Then it is known from that reply and the time that has passed here, within the transit time of the
 * reply. The token of a free lock is never below the clock: one that is below shows that the clock was set back, and
 * one that is above comes from an earlier token, or the clock was set ahead. In both cases the clock is requested
 * again.
 *
 * <p>After a failover, the clock of the former master counts as it was when the connection to it ended, so that a token
 * is higher than those that other instances have got there, although the clock of the new master may be behind.
 */
final class ServerClock {

    private static final Log log = SafeLog.of(ServerClock.class);

    private static final long TOLERATED_MICROS = TimeUnit.MILLISECONDS.toMicros(500);

    private static final long SLACK_MICROS = TimeUnit.MILLISECONDS.toMicros(1);

    /** A clock that is slewed differs from the local one by one part in this number. */
    private static final long DRIFT = 2_000;

    private static final long MINUTE_MICROS = TimeUnit.MINUTES.toMicros(1);

    private static final long PAUSE_MICROS = TimeUnit.SECONDS.toMicros(1);

    private static final long AHEAD_FOR_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final NanoClock clock;

    private final Supplier<CompletionStage<List<String>>> time;

    private volatile @Nullable Offset known;

    /** What the most advanced clock of an earlier or another server has shown, in microseconds. */
    private final AtomicLong former = new AtomicLong();

    /** Whether the server refuses the request, which some proxies do. */
    private volatile boolean refused;

    /** The number of the latest request; the replies to earlier ones do not count. */
    @GuardedBy("this")
    private long round;

    @GuardedBy("this")
    private long requestedAt;

    @GuardedBy("this")
    private boolean warned;

    /** What the clocks of other servers have shown, until they are compared with that of the master. */
    @GuardedBy("this")
    private List<Long> surveyed = List.of();

    /** The highest token that was ahead of the clock. */
    private final AtomicLong ahead = new AtomicLong();

    /** @param time sends the request, on the current connection */
    ServerClock(NanoClock clock, Supplier<CompletionStage<List<String>>> time) {
        this.clock = clock;
        this.time = time;
    }

    /**
     * The server's clock minus the local clock, in microseconds.
     *
     * @param atLeast counted from the arrival of the reply
     * @param at when the reply arrived, by the local clock
     * @param atMost counted from the sending of the request
     */
    private record Offset(long atLeast, long at, long atMost) {

        long atLeast(long now) {
            return atLeast - (now - at) / DRIFT - SLACK_MICROS;
        }

        long atMost(long now) {
            return atMost + (now - at) / DRIFT + SLACK_MICROS;
        }
    }

    /** The connection has ended; the next one may lead to another server. */
    synchronized void disconnected() {
        Offset offset = known;
        long now = now();
        if (offset != null) {
            former(offset.atLeast(now) + now);
        }
        known = null;
        refused = false;
        round++;
    }

    /**
     * Other servers, which may have been the master, have shown these times, in microseconds. They count from when the
     * clock of the master is known, unless they are far ahead of that.
     */
    synchronized void surveyed(List<Long> micros) {
        surveyed = micros;
    }

    private void former(long micros) {
        former.accumulateAndGet(micros, Math::max);
    }

    /** What the clock of an earlier master has shown at least, in microseconds; 0 if there was none. */
    long former() {
        return former.get();
    }

    /**
     * Whether a token may be ahead of the clock. One that is not certainly ahead counts only until a second after the
     * clock has passed those that were: the clock is known within the transit time, and most holds are not longer.
     */
    boolean isAhead(long token) {
        Offset offset = known;
        if (offset == null) {
            return !refused;
        }
        long now = now();
        if (token > offset.atMost(now) + now) {
            ahead.accumulateAndGet(token, Math::max);
            return true;
        }
        return offset.atLeast(now) + now < ahead.get() + AHEAD_FOR_MICROS;
    }

    /** Requests the clock, on a new connection for example. */
    void request() {
        long sentAt;
        long mine;
        synchronized (this) {
            sentAt = now();
            requestedAt = sentAt;
            mine = ++round;
        }
        time.get().whenComplete((reply, failure) -> replied(mine, sentAt, reply, failure));
    }

    private synchronized void replied(
            long number, long sentAt, @Nullable List<String> reply, @Nullable Throwable failure) {
        if (number != round) {
            return;
        }
        refused = failure instanceof RedisCommandExecutionException;
        if (reply != null) {
            long micros = ClockSurvey.micros(reply);
            long now = now();
            known = new Offset(micros - now, now, micros - sentAt);
            former(ClockSurvey.mostAdvanced(surveyed, micros));
            surveyed = List.of();
            long behind = former() - micros - (now - sentAt);
            if (behind > TOLERATED_MICROS && !warned) {
                log.warn("The clock of the Redis server is " + behind / 1_000
                        + " ms or more behind what it showed before, or what an earlier master or a replica shows."
                        + " Fencing tokens of this instance are not lower than those clocks. Synchronize the clocks of"
                        + " the servers, and slew them instead of setting them.");
            }
            warned = behind > TOLERATED_MICROS;
            if (behind > 0) {
                ahead.accumulateAndGet(former(), Math::max);
            }
        }
    }

    /** A free lock got this token; the request was sent at that time. */
    void granted(long token, long sentAtNanos) {
        Offset offset = known;
        long now = now();
        long sentAt = TimeUnit.NANOSECONDS.toMicros(sentAtNanos);
        if (offset != null && token < offset.atLeast(now) + sentAt) {
            disconnected();
            request();
        } else if (offset != null && token > offset.atMost(now) + now) {
            requestIfDue(now);
        } else {
            replied();
        }
    }

    /**
     * The server has replied to a command. The clock is requested again if that has failed, or was more than a minute
     * ago: an instance whose locks are always handed over gets no token of a free lock.
     */
    void replied() {
        Offset offset = known;
        long now = now();
        if (offset == null ? !refused : now - offset.at() > MINUTE_MICROS) {
            requestIfDue(now);
        }
    }

    private void requestIfDue(long now) {
        boolean due;
        synchronized (this) {
            due = now - requestedAt >= PAUSE_MICROS;
        }
        if (due) {
            request();
        }
    }

    /** What the clock shows at most, in microseconds; 0 if that is unknown, so that no token counts as behind it. */
    long latest() {
        Offset offset = known;
        if (offset == null) {
            return refused ? Long.MAX_VALUE : 0;
        }
        long now = now();
        return offset.atMost(now) + now;
    }

    private long now() {
        return TimeUnit.NANOSECONDS.toMicros(clock.nanos());
    }
}
