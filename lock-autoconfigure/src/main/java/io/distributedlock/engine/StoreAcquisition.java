/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener.Path;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.engine.LeaseStore.Requeue;
import org.jspecify.annotations.Nullable;

/**
 * The side of a {@link NamedLock} that acquires a lease from the store, for all local waiters. It exists from the first
 * request to the grant, or until the last waiter has left. Guarded by the lock's monitor.
 */
final class StoreAcquisition {

    private static final long BEHIND_OWN_NANOS = 50_000_000;

    /**
     * At the end of a wait, a reply to a request younger than this suffices; the wait for the last reply is as long.
     */
    private static final long LAST_REPLY_NANOS = 100_000_000;

    private enum Phase {
        /** A request is under way. */
        REQUESTING,
        /** The reply was "wait". */
        WAITING,
        /** The request failed. */
        BACKING_OFF
    }

    /**
     * A grant of the store.
     *
     * @param waiting how many other instances wait, according to the store
     */
    record Grant(Lease lease, int waiting, Path path) {}

    private final NamedLock lock;

    private final EngineContext engine;

    final WaiterQueue waiters;

    private Phase phase = Phase.BACKING_OFF;

    private Acquisition acquisition;

    /** Why the request failed; null after a reply. */
    private @Nullable Throwable lastFailure;

    /** Whether another caller has the lock, as far as is known. */
    private boolean knownBusy;

    private long requestAt;

    /** When to check whether messages still arrive, if its requests are rare. */
    private long lookAt;

    /**
     * Whether the reply "busy" came while a release of this instance is under way, which may be its only cause: then it
     * does not yet count for callers that try once.
     */
    private boolean behindOwn;

    /** When the first of such replies came: releases that begin later do not postpone the decision again. */
    private long behindOwnSince;

    /** A reader of this instance that has entered while this one waited, as described by {@link AcquireCommand}. */
    private long companion;

    /** The companion that the latest request names. */
    private long named;

    /** Where this explicit owner or reader waits; all others stand in line. */
    private QueuedOwners.Place place = QueuedOwners.Place.IN_LINE;

    StoreAcquisition(NamedLock lock, WaiterQueue waiters, boolean knownBusy, long now) {
        this.lock = lock;
        this.engine = lock.engine;
        this.waiters = waiters;
        this.knownBusy = knownBusy;
        this.acquisition = new Acquisition(lock, now);
        this.requestAt = now;
    }

    // ---- requests

    void request(long now, DeferredActions actions) {
        Waiter head = waiters.first();
        if (head == null) {
            return;
        }
        if (acquisition.isUnknownToStore() && engine.store().isOutOfReach(lock.name, acquisition.number)) {
            acquisition = new Acquisition(lock, acquisition, now);
        }
        acquisition.lease = head.lease();
        AcquireAttempt attempt = attempt(now);
        acquisition.arrivals = waiters.arrivals();
        boolean stays = waiters.anyoneStays();
        named = companion;
        place = stays ? enter() : QueuedOwners.Place.IN_LINE;
        AcquireCommand command = new AcquireCommand(
                lock.name,
                acquisition.number,
                acquisition.lease / 1_000_000,
                engine.floor(),
                stays && place == QueuedOwners.Place.IN_LINE,
                lock.owner,
                Readers.isReader(lock) || head.request.reentrant(),
                named);
        actions.add(() -> attempt.send(command));
    }

    private QueuedOwners.Place enter() {
        return lock.owner == null
                ? QueuedOwners.Place.IN_LINE
                : engine.locks().ownersInLine().enter(lock, engine.settings().maxWaiters());
    }

    /**
     * An explicit owner may hold the lock already, and a reader may join others, so one without a place sends a request
     * as well. Once it would have to wait, it needs a place, or is refused.
     */
    private void requirePlace(DeferredActions actions) {
        if (place == QueuedOwners.Place.NONE) {
            place = enter();
        }
        if (place == QueuedOwners.Place.NONE) {
            waiters.decideAll(AcquireResult.tooMany(engine.settings().maxWaiters()), actions);
        }
    }

    /** Sends the request in the same step as the release of the lease. */
    void requestIn(PendingRelease release, long now) {
        Waiter head = waiters.first();
        acquisition.lease = head == null ? 0 : head.lease();
        release.andRequeue(new Requeue(acquisition.number, acquisition.lease / 1_000_000), attempt(now));
    }

    /** Whether its grant admits parked readers: not if it was admitted like that itself, or they came later. */
    boolean isLeader() {
        return named == 0 || !Readers.isReader(lock);
    }

    private AcquireAttempt attempt(long now) {
        phase = Phase.REQUESTING;
        return acquisition.newAttempt(lock, now);
    }

    // ---- replies

    boolean awaits(Acquisition replied, AcquireAttempt attempt) {
        return acquisition == replied && replied.isLatest(attempt);
    }

    @Nullable
    Grant replied(@Nullable AcquireReply reply, @Nullable Throwable failure, long now, DeferredActions actions) {
        acquisition.replied();
        if (reply == null) {
            failed(StoreFailures.unwrap(failure), now, actions);
            return null;
        }
        boolean waited = knownBusy;
        knownBusy = true;
        lastFailure = null;
        engine.retries().succeeded(lock.name);
        if (reply instanceof AcquireReply.Granted granted) {
            engine.tokenSeen(granted.token());
            Lease lease = new Lease(
                    acquisition.number,
                    granted.token(),
                    acquisition.sentAt,
                    acquisition.lease,
                    Lease.UnknownOutcome.of(acquisition.uncertain, null));
            if (waiters.needMoreThan(lease, now)) {
                request(now, actions);
                return null;
            }
            return new Grant(lease, granted.waiting(), waited ? Path.ASKED : Path.FREE);
        }
        if (reply instanceof AcquireReply.Busy busy) {
            if (acquisition.takeLongWait(busy, now)) {
                actions.add(() -> engine.holders().keptWaiting(lock.name));
            }
            busy(busy, now, actions);
        } else {
            turnedAway(reply, now, actions);
        }
        return null;
    }

    private void busy(AcquireReply.Busy busy, long now, DeferredActions actions) {
        engine.tokenSeen(busy.token());
        forgetCompanion();
        requestAt = now + acquisition.pauseAfterBusy(busy, engine.store().receivesMessages(lock.name));
        lookAt = now + RequestPace.LONGEST_NEAR_NANOS;
        phase = Phase.WAITING;
        behindOwnSince = behindOwn ? behindOwnSince : now;
        behindOwn = waiters.anyoneTriesOnce() && engine.releases().isReleasingSince(lock.name, behindOwnSince);
        if (behindOwn) {
            requestAt = Math.min(requestAt - now, BEHIND_OWN_NANOS) + now;
            return;
        }
        if (lock.owner != null && waiters.anyoneStays()) {
            actions.add(() -> engine.locks().recallHere(lock.name, true));
        }
        waiters.decideThoseWhoTryOnce(busy.queued() ? waiters.arrivals() : acquisition.arrivals, actions);
        requirePlace(actions);
        if (busy.queued() && engine.store().isOutOfReach(lock.name, acquisition.number)) {
            leaveOutOfReach(now, actions);
        } else if (place == QueuedOwners.Place.PARKED) {
            requestAt += RequestPace.parked(engine.locks().ownersInLine().parked(lock.name), busy.waiting(), engine);
        } else if (!waiters.isEmpty() && (!busy.queued() || acquisition.confirm)) {
            acquisition.confirm = false;
            request(now, actions);
        }
    }

    /** The named reader has left by now; another one may have entered since the request. */
    private void forgetCompanion() {
        companion = companion == named ? 0 : companion;
        named = 0;
    }

    /** The releasing instance cannot notify this acquisition, so the waiters queue under a new one. */
    private void leaveOutOfReach(long now, DeferredActions actions) {
        PendingRelease leaving = new PendingRelease(lock, acquisition);
        startAnew(now);
        actions.start(leaving);
        request(now, actions);
    }

    /** Refused as a re-entry, with a copy perhaps still on its way; or cancelled, which must not fail the waiters. */
    private void turnedAway(AcquireReply reply, long now, DeferredActions actions) {
        if (reply instanceof AcquireReply.ReentryRefused && acquisition.uncertain) {
            actions.start(new PendingRelease(lock, acquisition));
        }
        startAnew(now);
        if (reply instanceof AcquireReply.ReentryRefused refused) {
            engine.tokenSeen(refused.token());
            waiters.decideAll(new AcquireResult.ReentryRefused(), actions);
        } else {
            request(now, actions);
        }
    }

    private void failed(Throwable failure, long now, DeferredActions actions) {
        knownBusy = false;
        behindOwn = false;
        lastFailure = failure;
        phase = Phase.BACKING_OFF;
        requestAt = now + acquisition.pauseAfterFailure(StoreFailures.isUnknown(failure));
        if (StoreFailures.isUnconfirmed(failure)) {
            // The release is sent before the callers continue, who may request the lock again.
            PendingRelease leaving = new PendingRelease(lock, acquisition);
            startAnew(now);
            actions.start(leaving);
        }
        if (StoreFailures.isRefused(failure)) {
            waiters.decideAll(unavailable(), actions);
        } else {
            engine.retries().failed(lock.name);
            requirePlace(actions);
        }
    }

    /** The outcome in the store is unknown. No further pause is needed after the time-out. */
    void noReply(long now, DeferredActions actions) {
        AcquireAttempt given = acquisition.giveUpAttempt();
        knownBusy = false;
        behindOwn = false;
        lastFailure = StoreFailures.noReply(timeout());
        phase = Phase.BACKING_OFF;
        requestAt = now;
        engine.retries().failed(lock.name);
        if (given != null) {
            actions.add(given::giveUp);
        }
        requirePlace(actions);
    }

    /** A lease that had ended when its reply arrived gives no hold, and was released. */
    void expiredOnArrival(Lease lease, long now, DeferredActions actions) {
        startAnew(now);
        knownBusy = false;
        lastFailure = StoreFailures.tooLate(lease.length());
        requestAt = now + Acquisition.backOff(engine, 0);
        requirePlace(actions);
    }

    private void startAnew(long now) {
        acquisition = new Acquisition(lock, now);
        phase = Phase.BACKING_OFF;
        requestAt = now;
    }

    // ---- messages

    boolean isFor(long number) {
        return acquisition.number == number;
    }

    /** A message reports that the acquisition has come near the head of the line. */
    void near(long now) {
        long at = acquisition.near(now);
        if (phase == Phase.WAITING) {
            requestAt = requestAt - at < 0 ? requestAt : at;
        }
    }

    /**
     * A message reports that another instance waits for this acquisition: it was granted, and the grant is still on its
     * way.
     */
    void recalled() {
        acquisition.recalled = true;
    }

    /**
     * A message reports that the lock was taken away from this acquisition: the grant is still on its way, and not
     * valid.
     */
    void revoked(long now, DeferredActions actions) {
        PendingRelease leaving = new PendingRelease(lock, acquisition);
        startAnew(now);
        actions.start(leaving);
        request(now, actions);
    }

    long longestLease() {
        return acquisition.longestLease();
    }

    boolean wasRecalled() {
        return acquisition.recalled;
    }

    /**
     * A message reports the grant. Its age is bounded by the last request that had another reply; if that leaves too
     * little of the lease, or the lease is that of a waiter that has left, a request confirms the grant first. The same
     * applies if this instance has seen a higher token that is ahead of the clock, which the releasing instance may not
     * know: the reply has a token above that, unless an explicit owner has other holds.
     */
    @Nullable
    Grant granted(long token, long leaseMillis, int waiting, long now, DeferredActions actions) {
        boolean behind = engine.store().isBelowFloor(token, engine.floor());
        engine.tokenSeen(token);
        if (acquisition.isOutdated(token)) {
            return null;
        }
        Lease lease = new Lease(
                acquisition.number,
                token,
                acquisition.grantedSince,
                leaseMillis * 1_000_000,
                Lease.UnknownOutcome.of(acquisition.uncertain, acquisition.unanswered()));
        if (!behind && !waiters.needMoreThan(lease, now) && lease.deadline() - now >= lease.length() / 2) {
            return new Grant(lease, waiting, Path.TRANSFERRED);
        }
        if (phase == Phase.REQUESTING) {
            acquisition.confirm = true;
        } else {
            request(now, actions);
        }
        return null;
    }

    /**
     * It has its turn among the explicit owners of this instance, or its owner holds the lock here.
     *
     * @param entered the number under which a reader of this instance has entered, if this one waits to read
     */
    void mayRequest(long entered, long now, DeferredActions actions) {
        place = QueuedOwners.Place.IN_LINE;
        if (entered != 0 && Readers.isReader(lock)) {
            companion = entered;
        }
        if (phase == Phase.WAITING) {
            request(now, actions);
        }
    }

    /** A release of this instance got its reply. */
    void releaseEnded(long now, DeferredActions actions) {
        if (behindOwn && phase == Phase.WAITING) {
            request(now, actions);
        }
    }

    /**
     * The store can be reached again, or messages may have been missed: the next request follows after that delay at
     * the latest.
     */
    void connected(long delay, long now, DeferredActions actions) {
        if (phase == Phase.REQUESTING) {
            return;
        }
        long pause = isFar() ? delay + engine.random(RequestPace.LONGEST_NEAR_NANOS) : delay;
        if (pause > 0) {
            requestAt = requestAt - now < pause ? requestAt : now + pause;
        } else {
            request(now, actions);
        }
    }

    // ---- time

    void onDue(long now, DeferredActions actions) {
        if (phase == Phase.REQUESTING && now - acquisition.sentAt >= timeout()) {
            noReply(now, actions);
        }
        if (phase != Phase.REQUESTING && (now - requestAt >= 0 || (isFar() && checkMessages(now)))) {
            requestAgain(now, actions);
        }
    }

    private boolean isFar() {
        return phase == Phase.WAITING && acquisition.far;
    }

    private boolean checkMessages(long now) {
        if (now - lookAt < 0) {
            return false;
        }
        lookAt = now + RequestPace.LONGEST_NEAR_NANOS;
        return !engine.store().receivesMessages(lock.name)
                || engine.store().isOutOfReach(lock.name, acquisition.number);
    }

    private void requestAgain(long now, DeferredActions actions) {
        if (phase == Phase.BACKING_OFF && !engine.retries().tryAcquirePermit(lock.name, now)) {
            requestAt = now + Acquisition.longBackOff(engine);
        } else {
            request(now, actions);
        }
    }

    long nextLook() {
        if (phase == Phase.REQUESTING) {
            return acquisition.sentAt + timeout();
        }
        return isFar() && lookAt - requestAt < 0 ? lookAt : requestAt;
    }

    private long timeout() {
        return engine.timeout(acquisition.lease);
    }

    /** Whether another caller has the lock, according to the latest reply. */
    boolean isKnownBusy() {
        return knownBusy;
    }

    /**
     * Whether a caller whose wait is over may wait for the first reply; one that tries once also waits for a
     * connection.
     */
    boolean isWorthPatience(Waiter waiter, long now) {
        return (lastFailure == null || waiter.request.triesOnce()) && waiter.patienceEnd() - now > 0;
    }

    /**
     * The wait of a caller is over while another caller has the lock, as far as is known. If that is not known from a
     * recent reply, one more request is sent: the lock may have become free without a message.
     *
     * @return whether that request is sent
     */
    boolean requestOnceMore(Waiter waiter, long now, DeferredActions actions) {
        if (phase != Phase.WAITING || waiter.wantsOneReply() || now - acquisition.sentAt < LAST_REPLY_NANOS) {
            return false;
        }
        waiter.requestOnceMore(now + Math.min(LAST_REPLY_NANOS, timeout()));
        request(now, actions);
        return true;
    }

    boolean isInLine() {
        return phase == Phase.WAITING && !behindOwn;
    }

    AcquireResult unavailable() {
        Throwable cause = lastFailure == null ? StoreFailures.noReply(timeout()) : lastFailure;
        return new AcquireResult.Unavailable(StoreFailures.message(cause), cause);
    }

    /**
     * The last waiter has left. Returns the release for anything that the store may have, or null if it has nothing.
     */
    @Nullable
    PendingRelease leave() {
        boolean known = acquisition.queued || acquisition.uncertain || acquisition.unanswered() != null;
        return known ? new PendingRelease(lock, acquisition) : null;
    }
}
