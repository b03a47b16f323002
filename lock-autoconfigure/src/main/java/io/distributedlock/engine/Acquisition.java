/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStore.AcquireReply.Busy;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition that this instance tries to make in the store, under one id, with as many requests as it takes.
 * Guarded by the {@link NamedLock} that asks.
 */
final class Acquisition {

    private static final long MAX_PAUSE = 1_000_000_000;

    private static final long FIRST_BACK_OFF = 100_000_000;

    private final EngineContext engine;

    final long number;

    /** The lease asked for in the latest request. */
    long lease;

    /** The longest lease of all its requests: one without a reply may have taken effect, or still may. */
    private long longestLease;

    /** Whether the store may have it in its queue. */
    boolean queued;

    /** Whether a request was given up without an answer. */
    boolean uncertain;

    /**
     * Whether a grant came that is too old to be trusted; the answer under way may be older still, so ask once more.
     */
    boolean confirm;

    /** Whether another instance waits for it already, although no grant was heard of. */
    boolean recalled;

    /** Whether it stands so far back in line that it asks rarely, and its messages have to arrive. */
    boolean far;

    /** Whether a message that it is near came while a request was under way, whose answer may not know it yet. */
    private boolean toldNear;

    /** When the latest request was sent. */
    long sentAt;

    /** How many callers had come when the latest request was sent. */
    long arrivals;

    /**
     * A grant of the lock cannot be older than this: the last request before it was answered "wait", or is the first.
     */
    long grantedSince;

    /** The holder's token in the latest answer that said "wait"; a grant has a higher one. */
    private long busyToken;

    private @Nullable AcquireAttempt attempt;

    private int failures;

    Acquisition(NamedLock lock, long now) {
        this.engine = lock.engine;
        this.number = engine.nextNumber(lock.name);
        this.sentAt = now;
        this.grantedSince = now;
    }

    AcquireAttempt newAttempt(NamedLock lock, long now) {
        sentAt = now;
        longestLease = Math.max(longestLease, lease);
        attempt = new AcquireAttempt(lock, this, now);
        return attempt;
    }

    long longestLease() {
        return longestLease;
    }

    boolean isLatest(AcquireAttempt answered) {
        return attempt == answered;
    }

    /** The request whose answer was not looked at yet, or null. */
    @Nullable
    AcquireAttempt unanswered() {
        return attempt;
    }

    /** Whether the store has nothing of it. */
    boolean isUnknownToStore() {
        return !queued && !uncertain && attempt == null;
    }

    /** The answer to the latest request is being looked at. */
    void answered() {
        attempt = null;
    }

    /** Nobody waits for the answer any more, but it may have done its work in the store. Returns what to cancel. */
    @Nullable
    AcquireAttempt giveUpAttempt() {
        AcquireAttempt given = attempt;
        attempt = null;
        uncertain = true;
        return given;
    }

    /**
     * Wait, says the store. Returns for how long.
     *
     * @param hears whether messages arrive
     */
    long busy(Busy reply, boolean hears) {
        busyToken = Math.max(busyToken, reply.token());
        grantedSince = sentAt;
        queued = reply.queued();
        failures = 0;
        far = queued && hears && !toldNear && !AskingPace.isNear(reply);
        toldNear = false;
        return far ? AskingPace.far(reply.waiting(), engine) : AskingPace.near(reply.ttlMillis(), lease, engine);
    }

    /** It has come near the head of the line. Returns when to ask at the latest. */
    long near(long now) {
        toldNear = attempt != null;
        far = false;
        boolean recent = now - grantedSince < lease / 4;
        return recent ? now + engine.random(AskingPace.longestNear(lease)) : now;
    }

    /** Whether a grant with this token is older than an answer that said "wait": it had run out by then. */
    boolean isOutdated(long token) {
        return token <= busyToken;
    }

    /** No word from the store. Returns how long to wait before the next try. */
    long failed(boolean unknown) {
        uncertain |= unknown;
        return backOff(engine, failures++);
    }

    /** How long to wait when too many others try again already. */
    static long longBackOff(EngineContext engine) {
        return backOff(engine, Integer.MAX_VALUE);
    }

    static long backOff(EngineContext engine, int failures) {
        long pause = Math.min(FIRST_BACK_OFF << Math.min(failures, 4), MAX_PAUSE);
        return pause - engine.random(pause / 4);
    }
}
