/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import org.jspecify.annotations.Nullable;

/**
 * What this instance has of a lock in the store, counted by the local clock from <em>before</em> the request was sent:
 * the store cannot have begun to count earlier. The margin covers that two clocks do not run at exactly the same speed.
 * Guarded by the {@link NamedLock} that owns it.
 */
final class Lease {

    private static final long MIN_MARGIN = 5_000_000;

    /** The number of the acquisition that owns it. */
    final long number;

    /** Whether a request under this number was never answered, so that a copy of it may still turn up. */
    final boolean uncertain;

    /** A request under this number that had no answer yet when the lease was granted by a message. */
    final @Nullable AcquireAttempt unanswered;

    private final LocalTokens tokens;

    /** Whether other instances wait, as far as this one has heard, and since when. */
    private boolean contended;

    private long contendedSince;

    /**
     * Whether another instance began to wait after the latest renewal was sent, so that its answer may know nothing of
     * it.
     */
    private boolean recalled;

    private int passes;

    private long sentAt;

    private long length;

    private long cap = Long.MAX_VALUE;

    /** When the store was last asked, and the longest lease that it was ever asked for, whatever it has answered. */
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

    /** Whether the store may see a request for it again after it has ended. */
    boolean mayComeBack() {
        return uncertain || (unanswered != null && !unanswered.wasAnswered());
    }

    static long margin(long length) {
        return Math.max(length / 100, Math.min(MIN_MARGIN, length / 2));
    }

    /** From here on nobody in this instance may believe to hold the lock. */
    long deadline() {
        return sentAt + length - margin(length);
    }

    /** When the store forgets it, at the earliest. */
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

    /** An answer says how many other instances wait. */
    void othersWait(int waiting, long now) {
        if (waiting > 0) {
            contend(now);
        } else if (!recalled) {
            contended = false;
        }
    }

    /** Another instance says that it begins to wait. */
    void recall(long now) {
        recalled = true;
        contend(now);
    }

    /** The limits of passing count from when the first of them began to wait. */
    private void contend(long now) {
        if (!contended) {
            contended = true;
            contendedSince = now;
            passes = 0;
        }
    }

    /**
     * Whether the lease may be passed on locally: not in another instance's turn, nor near its end, nor ahead of the
     * clock.
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

    /** Whether enough is left of it for one more hold. */
    boolean isLongEnough(long now) {
        return shortFrom() - now > 0;
    }

    /** From when on not enough is left of it for one more hold. */
    long shortFrom() {
        return deadline() - length / 3;
    }

    /** A renewal is sent: what its answer says of others is newer than all that was heard before. */
    void asks(long newLength, long now) {
        recalled = false;
        askedAt = now;
        longest = Math.max(longest, newLength);
    }

    /** An earlier request of the same acquisition asked for this lease, and may still take effect. */
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

    /** The store set the lease to this length when it got what was sent at that time. */
    void renewed(long renewalSentAt, long newLength) {
        sentAt = renewalSentAt;
        length = Math.min(newLength, cap);
    }

    /**
     * A command that shortens the lease to this length is sent. Until it is answered, a copy of it may take effect
     * after any later renewal, so no renewal counts for more than that.
     */
    void cap(long shorter) {
        cap = Math.min(cap, shorter);
    }

    /** A command that shortened it was answered; what remains are those that never were. */
    void capAt(long unanswered) {
        cap = unanswered;
    }
}
