/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import org.jspecify.annotations.Nullable;

/**
 * When a lease is renewed next, and whether a reply is under way: the part of the watchdog for one lease. Guarded by
 * the {@link NamedLock}.
 */
final class RenewalSchedule {

    private static final long LONGEST_GRID = 250_000_000;

    private static final long SHORTEST_GRID = 1_000_000;

    private long renewAt;

    private boolean underWay;

    private boolean failing;

    /** Whether the renewal under way may shorten the lease in the store. */
    private boolean capping;

    /** The shortest length of the renewals that may shorten it and got no reply. */
    private long unanswered = Long.MAX_VALUE;

    /**
     * Whether the store's lease is longer than that of the present hold, until the reply to a renewal that may shorten
     * it.
     */
    private boolean tooLong;

    /** When the renewal that shortens it is due. */
    private long shortenAt;

    private boolean mayShorten;

    private int renewal;

    private int extension = -1;

    private long length;

    RenewalSchedule(Lease lease) {
        plan(lease);
    }

    /** A third of the lease from when it was set, on a grid that brings many leases into one batch. */
    private void plan(Lease lease) {
        long third = lease.length() / 3;
        long grid = Math.max(SHORTEST_GRID, Math.min(LONGEST_GRID, third / 16));
        long onGrid = Math.floorDiv(lease.sentAt() + third, grid) * grid;
        renewAt = onGrid - lease.sentAt() >= grid ? onGrid : lease.sentAt() + grid;
    }

    /**
     * The lease was passed on. If its next holder requests a shorter one, the next renewal sets that, a third of it
     * from now at the latest: after a crash, other callers wait for the lease of the hold that was lost.
     */
    void passed(Lease lease, Hold next, long now) {
        long wanted = Math.min(next.lease, next.renewUntil - now);
        boolean before = tooLong;
        tooLong = lease.end() - now - wanted > Lease.margin(lease.length());
        long at = now + wanted / 3;
        shortenAt = before && shortenAt - at < 0 ? shortenAt : at;
    }

    /** When the lock has to check this lease again, or {@link TimerQueue#NEVER}; an overdue reply counts as unknown. */
    long nextLook(Lease lease, Hold hold, long timeout) {
        if (underWay) {
            return lease.askedAt() + timeout;
        }
        if (tooLong && (shortenAt - renewAt < 0 || !wantsRenewal(lease, hold))) {
            return shortenAt;
        }
        return wantsRenewal(lease, hold) ? renewAt : TimerQueue.NEVER;
    }

    private static boolean wantsRenewal(Lease lease, Hold hold) {
        return hold.renewUntil - lease.end() > Lease.margin(lease.length());
    }

    private boolean isDue(Lease lease, Hold hold, long now) {
        boolean shortens = tooLong && now - shortenAt >= 0;
        return !underWay && (shortens || (now - renewAt >= 0 && wantsRenewal(lease, hold)));
    }

    /** Starts a renewal if one is due, and returns what to send. */
    @Nullable
    RenewCommand renew(Lease lease, Hold hold, long timeout, long now) {
        if (underWay && now - lease.askedAt() >= timeout) {
            failed(lease, false, now);
            renewAt = now;
            shortenAt = now;
        }
        if (!isDue(lease, hold, now)) {
            return null;
        }
        long wanted = Math.max(hold.lease, hold.extendedUntil - now);
        long limit = hold.renewUntil - now;
        // A lease that is only shortened, and never renewed, lasts as long as its hold.
        limit += hold.renew ? 0 : 2 * Lease.margin(limit);
        return start(lease, hold, Math.min(wanted, limit), tooLong, now);
    }

    /**
     * Starts a renewal to the given length, whatever was under way. A length that shortens the lease counts from now
     * on, since the store may do it at any time and its reply may not arrive. A renewal to another length is sent as
     * one that must not shorten, since a late copy of it must not shorten what the lease has become by then.
     */
    RenewCommand start(Lease lease, Hold hold, long newLength, boolean shortens, long now) {
        long millis = Math.max(1, newLength / 1_000_000);
        giveUp();
        mayShorten = shortens;
        underWay = true;
        renewal++;
        length = millis * 1_000_000;
        lease.asks(length, now);
        boolean shorter = now + length - lease.end() < 0;
        capping = shortens && (shorter || tooLong);
        if (capping) {
            lease.cap(length);
        }
        if (shorter) {
            lease.renewed(now, length);
        }
        return new RenewCommand(hold.name(), lease.number, millis, lease.token(), capping);
    }

    /** Starts a renewal that a caller waits for and that may shorten the lease. */
    RenewCommand extend(Lease lease, Hold hold, long newLength, long now) {
        RenewCommand command = start(lease, hold, newLength, true, now);
        extension = renewal;
        return command;
    }

    int current() {
        return renewal;
    }

    /** The latest one that a caller has requested. */
    int extension() {
        return extension;
    }

    /** @return whether the reply is the expected one */
    boolean isAwaited(int answered) {
        return underWay && answered == renewal;
    }

    void renewed(Lease lease) {
        underWay = false;
        failing = false;
        tooLong &= !mayShorten;
        if (capping) {
            lease.capAt(unanswered);
        }
        lease.renewed(lease.askedAt(), length);
        plan(lease);
    }

    /**
     * Without a reply, the retry follows soon, and often enough within the rest of the lease.
     *
     * @param notDone whether the command certainly had no effect, and so did not shorten the lease
     */
    void failed(Lease lease, boolean notDone, long now) {
        if (notDone && capping) {
            capping = false;
            lease.capAt(unanswered);
        }
        giveUp();
        failing = true;
        long shortest = LockRequest.MIN_LEASE.toNanos();
        renewAt = now + Math.max(shortest, Math.min(lease.length() / 12, 500_000_000));
        shortenAt = renewAt;
    }

    /** The reply to the renewal under way will be ignored. */
    private void giveUp() {
        if (underWay && capping) {
            unanswered = Math.min(unanswered, length);
        }
        underWay = false;
    }

    /** The next renewal is sent at that time at the latest. */
    void renewBy(long time) {
        if (time - renewAt < 0) {
            renewAt = time;
        }
    }

    /** The store can be reached again. */
    void retry(long now) {
        if (failing) {
            renewAt = now;
            shortenAt = now;
        }
    }
}
