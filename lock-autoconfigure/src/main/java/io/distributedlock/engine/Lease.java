/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import org.jspecify.annotations.Nullable;

/**
 * The lease of this instance on a lock, counted by the local clock from <em>before</em> the request was sent: the store
 * cannot have begun to count earlier. The margin covers the difference in speed between the two clocks. Guarded by the
 * {@link NamedLock} that owns it.
 */
class Lease {

    private static final long MIN_MARGIN_NANOS = 5_000_000;

    /** The number of the acquisition that owns it. */
    final long number;

    /** The token of the latest local hold, or a higher one that the lock has in the store or in a command. */
    private long token;

    /** The limit of local tokens; null before the first hand-over is considered. */
    private @Nullable LocalTokenLimit tokens;

    /** The other instances that wait; null if there are none, as far as this one knows. */
    private @Nullable Contention contention;

    /** What the store may have beyond this lease; null if each request got its reply, and none was for longer. */
    private @Nullable Unconfirmed unconfirmed;

    private long sentAt;

    private long length;

    Lease(long number, long token, long sentAt, long length, @Nullable UnknownOutcome unknownOutcome) {
        this.number = number;
        this.token = token;
        this.sentAt = sentAt;
        this.length = length;
        this.unconfirmed = unknownOutcome == null ? null : new Unconfirmed(sentAt, length, unknownOutcome);
    }

    /** The lease of a grant. */
    Lease(Lease granted) {
        this.number = granted.number;
        this.token = granted.token;
        this.sentAt = granted.sentAt;
        this.length = granted.length;
        this.contention = granted.contention;
        this.unconfirmed = granted.unconfirmed;
    }

    /**
     * What the store may have beyond the lease that counts.
     *
     * @param requestedAt when the last request was sent
     * @param longest the longest lease of all requests, whatever their replies
     * @param outcome the requests without a known outcome; null if there are none
     */
    private record Unconfirmed(
            long requestedAt, long longest, @Nullable UnknownOutcome outcome) {}

    /**
     * Requests under the number of a lease, copies of which may still arrive.
     *
     * @param uncertain whether one got no reply in time
     * @param unanswered one without a reply at the time when a message granted the lease
     */
    record UnknownOutcome(boolean uncertain, @Nullable AcquireAttempt unanswered) {

        static @Nullable UnknownOutcome of(boolean uncertain, @Nullable AcquireAttempt unanswered) {
            return uncertain || unanswered != null ? new UnknownOutcome(uncertain, unanswered) : null;
        }

        boolean mayStillArrive() {
            return uncertain || (unanswered != null && !unanswered.hasReply());
        }
    }

    /** Other instances wait. */
    private static final class Contention {

        /** When the first of them began to wait. The limits of local hand-over count from then. */
        final long since;

        int passes;

        /** Whether one of them came after the latest renewal was sent, so that its reply may not include it. */
        boolean recalled;

        Contention(long since) {
            this.since = since;
        }

        boolean mayPass(EngineSettings settings, long now) {
            return passes < settings.maxPasses() && now - since < ResolvedRequest.nanos(settings.maxBatch());
        }
    }

    /** The requests under this number without a known outcome; null if there are none. */
    @Nullable
    UnknownOutcome unknownOutcome() {
        return unconfirmed == null ? null : unconfirmed.outcome();
    }

    /** Whether the store may receive a request for it after it has ended. */
    boolean mayComeBack() {
        UnknownOutcome unknown = unknownOutcome();
        return unknown != null && unknown.mayStillArrive();
    }

    static long margin(long length) {
        return Math.max(length / 100, Math.min(MIN_MARGIN_NANOS, length / 2));
    }

    /** From this time on, no caller in this instance may count as the holder. */
    long deadline() {
        return sentAt + length - margin(length);
    }

    /** When it ends in the store, at the earliest. */
    long end() {
        return sentAt + length;
    }

    long length() {
        return length;
    }

    long sentAt() {
        return sentAt;
    }

    /** The token of the latest local hold, or a higher one that the lock has in the store or in a command. */
    long token() {
        return token;
    }

    /** The lease passes to another caller of this instance, who gets the next token. */
    void pass() {
        token++;
        if (contention != null) {
            contention.passes++;
        }
    }

    /** The next commands have a higher token than all earlier ones. */
    void raiseToken() {
        token++;
    }

    /** A reply has the number of other instances that wait. */
    void updateContention(int waiting, long now) {
        if (waiting > 0) {
            contend(now);
        } else if (contention != null && !contention.recalled) {
            contention = null;
        }
    }

    /** Another instance reports that it begins to wait. */
    void recall(long now) {
        contend(now).recalled = true;
    }

    private Contention contend(long now) {
        Contention known = contention == null ? new Contention(now) : contention;
        contention = known;
        return known;
    }

    /**
     * Whether the lease may be passed on locally: not if another instance has its turn, nor near the end of the lease,
     * nor ahead of the clock.
     *
     * @param wanted the lease that the next caller requests
     */
    boolean mayPass(EngineSettings settings, Hold latest, long wanted, long now) {
        boolean turn = contention == null || contention.mayPass(settings, now);
        return turn && isLongEnough(wanted, now) && nanosToNextToken(latest, now) == 0;
    }

    /**
     * See {@link LocalTokenLimit#nanosToNext}.
     *
     * @param latest the latest local hold; before the first hand-over, it has the token of the grant
     */
    long nanosToNextToken(Hold latest, long now) {
        LocalTokenLimit known = tokens;
        if (known == null) {
            long clock = latest.lock.engine.store().latestClock(latest.lock.name);
            known = LocalTokenLimit.of(latest.token, latest.grantedAt, clock, now);
            tokens = known;
        }
        return known.nanosToNext(token, now);
    }

    /**
     * Whether the rest of it is long enough for one more hold. A hold that requests a longer lease has to survive the
     * pauses for which that is long enough.
     */
    boolean isLongEnough(long wanted, long now) {
        return deadline() - Math.max(length, wanted) / 3 - now > 0;
    }

    /** From when on the rest of it is too short for one more hold. */
    long shortFrom() {
        return deadline() - length / 3;
    }

    /** A renewal is sent: the number of waiters in its reply is newer than all earlier ones. */
    void renewalSent(long newLength, long now) {
        if (contention != null) {
            contention.recalled = false;
        }
        unconfirmed = new Unconfirmed(now, Math.max(longest(), newLength), unknownOutcome());
    }

    /** An earlier request of the same acquisition had this lease, and may still take effect. */
    void raiseLongest(long longer) {
        if (longer > longest()) {
            unconfirmed = new Unconfirmed(requestedAt(), longer, unknownOutcome());
        }
    }

    /** When the last request was sent. */
    long requestedAt() {
        return unconfirmed == null ? sentAt : unconfirmed.requestedAt();
    }

    /** The longest lease of all requests, whatever their replies. */
    long longest() {
        return unconfirmed == null ? length : unconfirmed.longest();
    }

    boolean isContended() {
        return contention != null;
    }

    void tokenSeen(long seen) {
        token = Math.max(token, seen);
    }

    /**
     * The lease has this length from now on, counted from the command that was sent at that time. The caller gives the
     * shortest length that the store may have set.
     */
    void counts(long renewalSentAt, long newLength) {
        sentAt = renewalSentAt;
        length = newLength;
        if (unknownOutcome() == null && requestedAt() == sentAt && longest() <= length) {
            unconfirmed = null;
        }
    }
}
