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
final class Lease {

    private static final long MIN_MARGIN = 5_000_000;

    /** The number of the acquisition that owns it. */
    final long number;

    /** Whether a request under this number got no reply, so that a copy of it may still arrive. */
    final boolean uncertain;

    /** A request under this number without a reply at the time when a message granted the lease. */
    final @Nullable AcquireAttempt unanswered;

    private final LocalTokens tokens;

    /** Whether other instances wait, as far as this one knows, and since when. */
    private boolean contended;

    private long contendedSince;

    /**
     * Whether another instance began to wait after the latest renewal was sent, so that its reply may not include it.
     */
    private boolean recalled;

    private int passes;

    private long sentAt;

    private long length;

    private long cap = Long.MAX_VALUE;

    /** When the last request was sent, and the longest lease of all requests, whatever their replies. */
    private long askedAt;

    private long longest;

    Lease(
            long number,
            LocalTokens tokens,
            long sentAt,
            long length,
            boolean uncertain,
            @Nullable AcquireAttempt unanswered) {
        this.number = number;
        this.tokens = tokens;
        this.sentAt = sentAt;
        this.length = length;
        this.askedAt = sentAt;
        this.longest = length;
        this.uncertain = uncertain;
        this.unanswered = unanswered;
    }

    /** Whether the store may receive a request for it after it has ended. */
    boolean mayComeBack() {
        return uncertain || (unanswered != null && !unanswered.wasAnswered());
    }

    static long margin(long length) {
        return Math.max(length / 100, Math.min(MIN_MARGIN, length / 2));
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

    /** The token of the latest local hold. */
    long token() {
        return tokens.latest();
    }

    /** The lease passes to another caller of this instance, who gets the next token. */
    void pass() {
        tokens.next();
        passes++;
    }

    /** A reply has the number of other instances that wait. */
    void othersWait(int waiting, long now) {
        if (waiting > 0) {
            contend(now);
        } else if (!recalled) {
            contended = false;
        }
    }

    /** Another instance reports that it begins to wait. */
    void recall(long now) {
        recalled = true;
        contend(now);
    }

    /** The limits of local hand-over count from when the first of them began to wait. */
    private void contend(long now) {
        if (!contended) {
            contended = true;
            contendedSince = now;
            passes = 0;
        }
    }

    /**
     * Whether the lease may be passed on locally: not if another instance has its turn, nor near the end of the lease,
     * nor ahead of the clock.
     */
    boolean mayPass(EngineSettings settings, long now) {
        boolean turn = !contended
                || (passes < settings.maxPasses()
                        && now - contendedSince < settings.maxBatch().toNanos());
        return turn && isLongEnough(now) && nanosToNextToken(now) == 0;
    }

    /** See {@link LocalTokens#nanosToNext}. */
    long nanosToNextToken(long now) {
        return tokens.nanosToNext(now);
    }

    /** Whether the rest of it is long enough for one more hold. */
    boolean isLongEnough(long now) {
        return shortFrom() - now > 0;
    }

    /** From when on the rest of it is too short for one more hold. */
    long shortFrom() {
        return deadline() - length / 3;
    }

    /** A renewal is sent: the number of waiters in its reply is newer than all earlier ones. */
    void asks(long newLength, long now) {
        recalled = false;
        askedAt = now;
        longest = Math.max(longest, newLength);
    }

    /** An earlier request of the same acquisition had this lease, and may still take effect. */
    void storeMayHave(long longer) {
        longest = Math.max(longest, longer);
    }

    long askedAt() {
        return askedAt;
    }

    long longest() {
        return longest;
    }

    boolean isContended() {
        return contended;
    }

    void tokenSeen(long seen) {
        tokens.saw(seen);
    }

    /** The store set the lease to this length on the command that was sent at that time. */
    void renewed(long renewalSentAt, long newLength) {
        sentAt = renewalSentAt;
        length = Math.min(newLength, cap);
    }

    /**
     * A command that shortens the lease to this length is sent. Until its reply, a copy of it may take effect after any
     * later renewal, so no renewal counts for more than that.
     */
    void cap(long shorter) {
        cap = Math.min(cap, shorter);
    }

    /** A command that shortened it got its reply; only those without a reply remain. */
    void capAt(long unanswered) {
        cap = unanswered;
    }
}
