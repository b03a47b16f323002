/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

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
     * Wait, says the store. Returns for how long: until the holder's lease ends, but often enough to find a grant in
     * time whose message was lost.
     */
    long busy(long ttlMillis, boolean nowQueued, long token) {
        busyToken = Math.max(busyToken, token);
        grantedSince = sentAt;
        queued = nowQueued;
        failures = 0;
        long jitter = 1_000_000 + engine.random(19_000_000);
        // It may be a foreign one of centuries.
        long ttl = Math.min(Math.max(ttlMillis, 0), MAX_PAUSE / 1_000_000) * 1_000_000;
        return Math.min(ttl + jitter, Math.min(MAX_PAUSE, lease / 2));
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
