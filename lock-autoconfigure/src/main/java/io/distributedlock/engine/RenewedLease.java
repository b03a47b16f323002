/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A lease, the hold for which it is renewed, and when it is renewed next: the part of the watchdog for one lease.
 * Guarded by the {@link NamedLock}.
 */
class RenewedLease extends Lease {

    private static final long LONGEST_GRID = 250_000_000;

    private static final long SHORTEST_GRID = 1_000_000;

    /** The hold of the present caller, or while the lease is retained, the rest of the latest one. */
    private Hold hold;

    private long renewAt;

    /** The renewal under way; null if there is none. */
    private @Nullable Renewal underWay;

    private boolean failing;

    /** Null until a hold requests less than the lease, or a renewal that may shorten it gets no reply. */
    private @Nullable Shortening shortening;

    /** A renewal without a reply; the reply belongs to this object, not to an equal one. */
    static final class Renewal {

        private final Hold hold;

        private final long length;

        /** Whether it was sent to shorten the lease if that is longer. */
        private final boolean mayShorten;

        /** Whether it may shorten the lease in the store. */
        private final boolean capping;

        /** The extensions of its hold that had begun when it was sent, itself included. */
        private final int extensions;

        private Renewal(Hold hold, long length, boolean mayShorten, boolean capping, int extensions) {
            this.hold = hold;
            this.length = length;
            this.mayShorten = mayShorten;
            this.capping = capping;
            this.extensions = extensions;
        }
    }

    RenewedLease(Lease granted, Hold hold) {
        super(granted);
        this.hold = hold;
        plan();
    }

    Hold hold() {
        return hold;
    }

    EngineContext engine() {
        return hold.lock.engine;
    }

    /** How long to wait for a reply about this lease. */
    private long timeout() {
        return engine().timeout(length());
    }

    // ---- when it is renewed

    /** A third of the lease from when it was set, on a grid that brings many leases into one batch. */
    private void plan() {
        long third = length() / 3;
        long grid = Math.max(SHORTEST_GRID, Math.min(LONGEST_GRID, third / 16));
        long onGrid = Math.floorDiv(sentAt() + third, grid) * grid;
        renewAt = onGrid - sentAt() >= grid ? onGrid : sentAt() + grid;
    }

    /**
     * The lease was passed on. If its next holder requests a shorter one, the next renewal sets that, a third of it
     * from now at the latest: after a crash, other callers wait for the lease of the hold that was lost.
     */
    void passed(Hold next, long now) {
        hold = next;
        shortenIfTooLong(now);
    }

    /** The store may have executed a request for more that got no reply yet. */
    private void shortenIfTooLong(long now) {
        long wanted = Math.min(hold.lease, hold.renewUntil() - now);
        long longest = Math.max(end() - now, askedAt() + longest() - now);
        boolean tooLong = longest - wanted > margin(length());
        if (tooLong || shortening != null) {
            shortening().passed(tooLong, now + wanted / 3);
        }
    }

    private Shortening shortening() {
        Shortening known = shortening == null ? new Shortening() : shortening;
        shortening = known;
        return known;
    }

    /** Whether the store keeps the lock for longer than the present hold requests. */
    boolean isTooLong() {
        return shortening != null && shortening.tooLong;
    }

    /** When the lock has to check this lease again, or {@link TimerQueue#NEVER}; an overdue reply counts as unknown. */
    long nextRenewal() {
        if (underWay != null) {
            return askedAt() + timeout();
        }
        Shortening shorter = shortening;
        if (shorter != null && shorter.tooLong && (shorter.dueAt - renewAt < 0 || !wantsRenewal())) {
            return shorter.dueAt;
        }
        return wantsRenewal() ? renewAt : TimerQueue.NEVER;
    }

    private boolean wantsRenewal() {
        return hold.renewUntil() - end() > margin(length());
    }

    private boolean isDue(long now) {
        boolean shortens = shortening != null && shortening.tooLong && now - shortening.dueAt >= 0;
        return underWay == null && (shortens || (now - renewAt >= 0 && wantsRenewal()));
    }

    /** Starts a renewal if one is due, and returns what to send. */
    LeaseRenewal.@Nullable Due renewIfDue(long now) {
        if (underWay != null && now - askedAt() >= timeout()) {
            failed(false, now);
            dueAt(now);
        }
        if (!isDue(now)) {
            return null;
        }
        long wanted = Math.max(hold.lease, hold.extendedUntil() - now);
        long limit = hold.renewUntil() - now;
        // A lease that is only shortened, and never renewed, lasts as long as its hold.
        limit += hold.renew ? 0 : 2 * margin(limit);
        return start(Math.min(wanted, limit), isTooLong(), now);
    }

    /**
     * Starts a renewal to the given length, whatever was under way. A length that shortens the lease counts from now
     * on, since the store may do it at any time and its reply may not arrive. A renewal to another length is sent as
     * one that must not shorten, since a late copy of it must not shorten what the lease has become by then.
     */
    private LeaseRenewal.Due start(long newLength, boolean shortens, long now) {
        long millis = Math.max(1, newLength / 1_000_000);
        long length = millis * 1_000_000;
        giveUp();
        boolean shorter = now + length - end() < 0;
        boolean capping = shortens && (shorter || isTooLong());
        Renewal begun = new Renewal(hold, length, shortens, capping, hold.extensions());
        underWay = begun;
        asks(length, now);
        if (shorter) {
            counts(now, Math.min(length, cap()));
        }
        hold.updateDeadline(this, now);
        RenewCommand command = new RenewCommand(hold.name(), number, millis, token(), capping);
        return new LeaseRenewal.Due(hold.lock, begun, command);
    }

    /** Starts a renewal that the holder waits for and that may shorten the lease. */
    LeaseRenewal.Due extend(long newLength, long now) {
        hold.extendUntil(now + newLength);
        return start(Math.min(newLength, hold.renewUntil() - now), true, now);
    }

    // ---- replies

    /** Whether the reply to this renewal is expected. */
    boolean isAwaited(Renewal renewal) {
        return underWay == renewal;
    }

    /** Whether another extension was begun after this renewal, so that its reply has no meaning. */
    boolean isExtendedSince(Renewal renewal) {
        return hold.extensions() > renewal.extensions;
    }

    /**
     * The reply to the renewal under way has arrived, or there is none.
     *
     * @return false if the lease is gone according to the store
     */
    boolean renewed(@Nullable RenewReply reply, @Nullable Throwable failure, long now) {
        if (reply == null) {
            failed(StoreFailures.isNotExecuted(failure) || StoreFailures.isRefused(failure), now);
            return true;
        }
        engine().retries().succeeded(hold.name());
        engine().tokenSeen(reply.token());
        if (reply.renewed()) {
            tokenSeen(reply.token());
            othersWait(reply.waiting(), now);
            confirmed(now);
            hold.updateDeadline(this, now);
        }
        return reply.renewed();
    }

    private void confirmed(long now) {
        Renewal confirmed = underWay;
        if (confirmed == null) {
            return;
        }
        underWay = null;
        failing = false;
        if (shortening != null) {
            shortening.tooLong &= !confirmed.mayShorten;
        }
        counts(askedAt(), Math.min(confirmed.length, cap()));
        plan();
        if (confirmed.hold != hold) {
            // It may be an extension of the hold before.
            shortenIfTooLong(now);
        }
    }

    /**
     * Until the reply to a command that shortens the lease, a copy of it may take effect after any later renewal, so no
     * renewal counts for more than that.
     */
    private long cap() {
        long earlier = shortening == null ? Long.MAX_VALUE : shortening.unanswered;
        return underWay != null && underWay.capping ? Math.min(earlier, underWay.length) : earlier;
    }

    /**
     * Without a reply, the retry follows soon, and often enough within the rest of the lease.
     *
     * @param notDone whether the command certainly had no effect, and so did not shorten the lease
     */
    private void failed(boolean notDone, long now) {
        if (notDone) {
            underWay = null;
        }
        giveUp();
        failing = true;
        long shortest = LockRequest.MIN_LEASE.toNanos();
        dueAt(now + Math.max(shortest, Math.min(length() / 12, 500_000_000)));
    }

    /** The next renewal is due at that time, whatever it is for. */
    private void dueAt(long time) {
        renewAt = time;
        if (shortening != null) {
            shortening.dueAt = time;
        }
    }

    /** The reply to the renewal under way will be ignored. */
    private void giveUp() {
        Renewal ignored = underWay;
        if (ignored != null && ignored.capping) {
            Shortening known = shortening();
            known.unanswered = Math.min(known.unanswered, ignored.length);
        }
        underWay = null;
    }

    /** The store can be reached again. A lease that recalls do not reach is renewed: the reply counts the waiters. */
    void connected(long delay, long now) {
        if (failing) {
            dueAt(now);
        }
        if (engine().store().isOutOfReach(hold.name(), number) && now + delay - renewAt < 0) {
            renewAt = now + delay;
        }
    }

    /** The time since the last renewal for the present hold was sent, or null if there was none yet. */
    @Nullable
    Duration sinceRenewal(long now) {
        return sentAt() - hold.grantedAt > 0 ? Duration.ofNanos(now - sentAt()) : null;
    }
}
