/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStore.AcquireReply.Busy;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition of this instance in the store, under one id, with as many requests as needed. Guarded by the
 * {@link NamedLock} that requests it.
 */
final class Acquisition {

    private static final long MAX_PAUSE_NANOS = 1_000_000_000;

    private static final long FIRST_BACK_OFF_NANOS = 100_000_000;

    /** Less than the interval of the requests near the head of the line, so that the second reply counts. */
    private static final long KEPT_WAITING_NANOS = 900_000_000;

    private static final int FIRST_FEW = 4;

    private final EngineContext engine;

    final long number;

    /** The lease of the latest request. */
    long lease;

    /** The longest lease of all its requests: one without a reply may have taken effect, or still may. */
    private long longestLease;

    /** Whether the store may have it in the line. */
    boolean queued;

    /** Whether the wait for a request ended without a reply. */
    boolean uncertain;

    /**
     * Whether a grant arrived that is too old to be valid; the reply under way may be older still, so one more request
     * follows.
     */
    boolean confirm;

    /** Whether another instance already waits for it, although no grant has arrived. */
    boolean recalled;

    /** Whether it stands so far back in line that its requests are rare, and its messages have to arrive. */
    boolean far;

    /** Whether a message that it is near arrived while a request was under way, whose reply may be older. */
    private boolean nearReceived;

    /** When the latest request was sent. */
    long sentAt;

    /** How many callers had come when the latest request was sent. */
    long arrivals;

    /**
     * A grant of the lock cannot be older than this: the last request before it got the reply "wait", or is the first.
     */
    long grantedSince;

    /** The holder's token in the latest reply "wait"; a grant has a higher one. */
    private long busyToken;

    /** When a reply contained that token for the first time. */
    private long busySince;

    /** Whether {@link #takeLongWait} was true for that token. */
    private boolean longWaitTaken;

    private @Nullable AcquireAttempt attempt;

    private int failures;

    Acquisition(NamedLock lock, long now) {
        this.engine = lock.engine;
        this.number = engine.nextNumber(lock.name);
        this.sentAt = now;
        this.grantedSince = now;
    }

    /** Takes the place of another one, of which the store knows nothing. The pauses after failures go on. */
    Acquisition(NamedLock lock, Acquisition before, long now) {
        this(lock, now);
        this.failures = before.failures;
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

    boolean isLatest(AcquireAttempt replied) {
        return attempt == replied;
    }

    /** The request whose reply was not handled yet, or null. */
    @Nullable
    AcquireAttempt unanswered() {
        return attempt;
    }

    /** Whether the store has no data of it. */
    boolean isUnknownToStore() {
        return !queued && !uncertain && attempt == null;
    }

    /** The reply to the latest request is being handled. */
    void replied() {
        attempt = null;
    }

    /**
     * No caller waits for the reply any more, but the request may have taken effect in the store. Returns what to
     * cancel.
     */
    @Nullable
    AcquireAttempt giveUpAttempt() {
        AcquireAttempt given = attempt;
        attempt = null;
        uncertain = true;
        return given;
    }

    /**
     * Returns true once for each hold that has kept it waiting for about a second, according to this reply. Only for
     * the first few in line: a crowd must not send a request each.
     */
    boolean takeLongWait(Busy reply, long now) {
        if (reply.token() != busyToken) {
            busySince = now;
            longWaitTaken = false;
        }
        boolean first =
                reply.queued() && reply.ahead() < FIRST_FEW && !longWaitTaken && now - busySince >= KEPT_WAITING_NANOS;
        longWaitTaken |= first;
        return first;
    }

    /**
     * The reply is "wait". Returns for how long.
     *
     * @param receivesMessages whether messages arrive
     */
    long pauseAfterBusy(Busy reply, boolean receivesMessages) {
        busyToken = Math.max(busyToken, reply.token());
        grantedSince = sentAt;
        queued = reply.queued();
        failures = 0;
        far = queued && receivesMessages && !nearReceived && !RequestPace.isNear(reply);
        nearReceived = false;
        return far ? RequestPace.far(reply.waiting(), engine) : RequestPace.near(reply.ttlMillis(), lease, engine);
    }

    /** It has come near the head of the line. Returns the latest time of the next request. */
    long near(long now) {
        nearReceived = attempt != null;
        far = false;
        boolean recent = now - grantedSince < lease / 4;
        return recent ? now + engine.random(RequestPace.longestNear(lease)) : now;
    }

    /** Whether a grant with this token is older than a reply "wait": its lease had ended by then. */
    boolean isOutdated(long token) {
        return token <= busyToken;
    }

    /** There was no reply. Returns how long to wait before the retry. */
    long pauseAfterFailure(boolean unknown) {
        uncertain |= unknown;
        return backOff(engine, failures++);
    }

    /** How long to wait when too many others already retry. */
    static long longBackOff(EngineContext engine) {
        return backOff(engine, Integer.MAX_VALUE);
    }

    static long backOff(EngineContext engine, int failures) {
        long pause = Math.min(FIRST_BACK_OFF_NANOS << Math.min(failures, 4), MAX_PAUSE_NANOS);
        return pause - engine.random(pause / 4);
    }
}
