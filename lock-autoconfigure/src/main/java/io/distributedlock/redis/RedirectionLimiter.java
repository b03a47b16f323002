/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.distributedlock.engine.NanoClock;
import io.lettuce.core.cluster.SlotHash;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Limits the commands for slots whose servers redirect to each other. Lettuce follows five redirections, so each
 * command is sent six times. A command for such a slot needs a permit. All slots together get one each 150 ms, so an
 * instance sends forty commands a second, however many locks and callers it has. The limit begins with the second
 * command for a slot. Other slots are not affected.
 *
 * <p>A reply to a command for such a slot shows that the servers agree again. It earns four permits, so all slots
 * recover within a few round trips. If other slots are still redirected, the number of these additional commands is
 * limited by the number of slots that have recovered. After a permit without success, the slot pauses for up to a
 * second, so that callers who try all the time leave permits to other slots.
 */
final class RedirectionLimiter {

    static final int MAX_REDIRECTIONS = 5;

    private static final Pattern REDIRECTION = Pattern.compile("(?:MOVED|ASK) ([0-9]{1,5}) ");

    /** A slot for which no command was requested for so long is treated like any other slot. */
    private static final long FORGOTTEN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    /** How many permits accumulate while nothing is redirected. */
    private static final int AT_REST = 6;

    private static final int EARNED = 4;

    private static final int MOST = 64;

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final NanoClock clock;

    /** The slots for which a command was redirected too often, and that have got no other reply since. */
    private final Map<Integer, Tries> slots = new ConcurrentHashMap<>();

    @GuardedBy("this")
    private int permits = AT_REST;

    /** The permits since then are not in the number yet. */
    @GuardedBy("this")
    private long countedAt;

    /** The number of replies that have shown that servers agree again. */
    @GuardedBy("this")
    private long round;

    RedirectionLimiter(NanoClock clock) {
        this.clock = clock;
        this.countedAt = clock.nanos();
    }

    /**
     * The permits that a slot has used.
     *
     * @param round in which it has used them; in another one, it may use a permit at once
     * @param requested when the latest was requested
     */
    private record Tries(long round, long next, long pause, long requested) {

        Tries refused(long now) {
            return new Tries(round, next, pause, now);
        }
    }

    /**
     * Whether to send a command with that key.
     *
     * @param to learns the reason if the command is refused
     * @return the receiver of its reply; null if the command is refused
     */
    <T> @Nullable Reply<T> permit(String key, Reply<T> to) {
        if (slots.isEmpty()) {
            return to;
        }
        int slot = SlotHash.getSlot(key);
        if (!slots.containsKey(slot)) {
            return to;
        }
        LeaseStoreException refusal = refusal(slot);
        if (refusal != null) {
            to.replied(null, refusal);
            return null;
        }
        return (reply, failure) -> {
            if (reply != null || isRefusal(failure)) {
                replied(slot);
            }
            to.replied(reply, failure);
        };
    }

    /** Why a command for that slot must not be sent now; null if it may. Its outcome has to be reported. */
    @Nullable
    LeaseStoreException refusal(int slot) {
        return tryAcquirePermit(slot) ? null : new LeaseStoreException(Effect.NOT_EXECUTED, message(slot), null);
    }

    /** For another reason than the slot. */
    static boolean isRefusal(@Nullable Throwable failure) {
        return failure instanceof LeaseStoreException known
                && (known.effect() == Effect.REFUSED || known.effect() == Effect.PARTIAL);
    }

    private static String message(int slot) {
        return "the servers of the cluster redirect commands for slot " + slot + " to each other";
    }

    synchronized boolean tryAcquirePermit(int slot) {
        Tries tries = slots.get(slot);
        if (tries == null) {
            return true;
        }
        long now = clock.nanos();
        if (now - tries.requested() > FORGOTTEN_NANOS) {
            slots.remove(slot);
            return true;
        }
        count(now);
        boolean first = tries.round() != round;
        if (permits == 0 || (!first && now - tries.next() < 0)) {
            slots.put(slot, tries.refused(now));
            return false;
        }
        permits--;
        long pause = first ? FIRST_PAUSE_NANOS : Math.min(2 * tries.pause(), LONGEST_PAUSE_NANOS);
        slots.put(slot, new Tries(round, now + pause, pause, now));
        return true;
    }

    @GuardedBy("this")
    private void count(long now) {
        long earned = (now - countedAt) / SPACING_NANOS;
        countedAt += earned * SPACING_NANOS;
        permits = (int) Math.max(permits, Math.min(permits + earned, AT_REST));
    }

    /** An error with which a server has replied. Redirections are those that Lettuce did not follow any more. */
    void receivedError(String error) {
        Matcher redirection = REDIRECTION.matcher(error);
        if (redirection.lookingAt()) {
            redirected(Integer.parseInt(redirection.group(1)));
        }
    }

    synchronized void redirected(int slot) {
        slots.putIfAbsent(slot, new Tries(round - 1, 0, 0, clock.nanos()));
    }

    /** A server has replied to a command for the slot. */
    synchronized void replied(int slot) {
        if (slots.remove(slot) != null) {
            count(clock.nanos());
            permits = Math.min(permits + EARNED, MOST);
            round++;
        }
    }
}
