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
 *
 * <h2>States</h2>
 *
 * The timer starts a renewal only if none is under way: it waits for the reply to the latest command, or until that is
 * overdue. An extension starts a command at once. So several may be under way, and each is one of two kinds:
 *
 * <ul>
 *   <li>one that <b>lengthens</b> the lease: in the store the later end counts, whenever it is executed;
 *   <li>one that <b>shortens</b> it: an extension to an earlier end, or a renewal for a hold that requests less than
 *       the store has. The lease counts as shortened from the sending on.
 * </ul>
 *
 * <h2>Races and their outcomes</h2>
 *
 * The store may execute commands in another order than they were sent, on several connections, and one without a reply
 * at any later time. Replies may arrive in any order.
 *
 * <ul>
 *   <li><b>A positive reply arrives while a later command is under way.</b> It counts from when its own command was
 *       sent, unless the lease was shortened since: the store may have executed the shortening after it. Of several
 *       that count, the latest end does. So extensions that overlap all the time keep the lease.
 *   <li><b>A command that shortens the lease gets no reply, or follows a later command to the store.</b> The commands
 *       after it have a higher token, and the store ignores a command to shorten the lease whose token is lower than
 *       that of the entry. So a positive reply to a later command means that the earlier one no longer takes effect,
 *       and the later one counts for its full length.
 *   <li><b>Two extensions overlap.</b> The store executes both, and either order is correct. If the later one shortens
 *       the lease, the earlier one succeeds and does not count.
 *   <li><b>An extension fails.</b> Its caller gets an exception, so no renewal repeats it, and a late reply does not
 *       move the end of a hold that is not renewed. The limits of the hold change only with the reply. If the store has
 *       certainly not begun to execute it, the lease before it counts again. Otherwise the shorter one does, until a
 *       renewal or a later extension is confirmed: after an error of the store in the course of it, and if only the
 *       confirmation by replicas has failed, too.
 *   <li><b>A reply says that the store does not have the lease.</b> It is lost, whatever else is under way.
 * </ul>
 */
class RenewedLease extends Lease {

    private static final long LONGEST_GRID_NANOS = 250_000_000;

    private static final long SHORTEST_GRID_NANOS = 1_000_000;

    /** The hold of the present caller, or while the lease is retained, the rest of the latest one. */
    private Hold hold;

    /** When the next renewal is due, if not as planned; null after each success. */
    private @Nullable Rescheduled rescheduled;

    /** The latest renewal, while it is under way; null if there is none, or if it is overdue. */
    private @Nullable Renewal underWay;

    /** Null until the lease is shortened, or a hold requests less than it. */
    private @Nullable Shortening shortening;

    /**
     * The next renewal is due at another time than planned.
     *
     * @param failing whether the latest one has failed
     */
    private record Rescheduled(long at, boolean failing) {}

    /** A renewal without a reply; the reply belongs to this object, not to an equal one. */
    static final class Renewal {

        private final Hold hold;

        private final long sentAt;

        private final long length;

        /** Whether it was sent to shorten the lease if that is longer. */
        private final boolean mayShorten;

        /** How often the lease had been shortened when it was sent, by itself included. */
        private final int shortenings;

        /** The extensions of its hold that had begun when it was sent, itself included. */
        private final int extensions;

        /** What the caller of the hold has requested; null for a renewal. */
        private final @Nullable Extension extension;

        /** The command that it was sent with; null before that, and if there is no listener. */
        private volatile @Nullable SentRenewals sent;

        private Renewal(
                Hold hold,
                long sentAt,
                long length,
                boolean mayShorten,
                int shortenings,
                @Nullable Extension extension) {
            this.hold = hold;
            this.sentAt = sentAt;
            this.length = length;
            this.mayShorten = mayShorten;
            this.shortenings = shortenings;
            this.extensions = hold.extensions();
            this.extension = extension;
        }

        void sentWith(SentRenewals others) {
            sent = others;
        }

        /** The engine no longer waits for the reply. To be called without the monitor, since it calls a listener. */
        void giveUp() {
            SentRenewals known = sent;
            if (known != null) {
                known.giveUp(this);
            }
        }
    }

    RenewedLease(Lease granted, Hold hold) {
        super(granted);
        this.hold = hold;
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
    private long planned() {
        long third = length() / 3;
        long grid = Math.max(SHORTEST_GRID_NANOS, Math.min(LONGEST_GRID_NANOS, third / 16));
        long onGrid = Math.floorDiv(sentAt() + third, grid) * grid;
        return onGrid - sentAt() >= grid ? onGrid : sentAt() + grid;
    }

    private long renewAt() {
        return rescheduled == null ? planned() : rescheduled.at();
    }

    private boolean isFailing() {
        return rescheduled != null && rescheduled.failing();
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
        long longest = Math.max(end() - now, requestedAt() + longest() - now);
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
            return underWay.sentAt + timeout();
        }
        Shortening shorter = shortening;
        if (shorter != null && shorter.tooLong && (shorter.dueAt - renewAt() < 0 || !wantsRenewal())) {
            return shorter.dueAt;
        }
        return wantsRenewal() ? renewAt() : TimerQueue.NEVER;
    }

    private boolean wantsRenewal() {
        return hold.renewUntil() - end() > margin(length());
    }

    /** Whether the store may execute a request for it that lengthens it, after what is sent now. */
    boolean mayBeLengthened() {
        return underWay != null || isFailing() || mayComeBack();
    }

    private boolean isDue(long now) {
        boolean shortens = shortening != null && shortening.tooLong && now - shortening.dueAt >= 0;
        return underWay == null && (shortens || (now - renewAt() >= 0 && wantsRenewal()));
    }

    /** The renewal under way whose reply is overdue, or null; it is given up, and the next one is due at once. */
    @Nullable
    Renewal giveUpOverdue(long now) {
        Renewal overdue = underWay;
        if (overdue == null || now - overdue.sentAt < timeout()) {
            return null;
        }
        underWay = null;
        retryAt(now);
        return overdue;
    }

    /** The latest renewal, while it is under way; null if there is none. */
    @Nullable
    Renewal underWay() {
        return underWay;
    }

    /** Starts a renewal if one is due, and returns what to send. */
    LeaseRenewal.@Nullable Due renewIfDue(long now) {
        if (!isDue(now)) {
            return null;
        }
        long wanted = Math.max(hold.lease, hold.extendedUntil() - now);
        long limit = hold.renewUntil() - now;
        // A lease that is only shortened, and never renewed, lasts as long as its hold.
        limit += hold.renew ? 0 : 2 * margin(limit);
        return start(Math.min(wanted, limit), isTooLong(), null, now);
    }

    /**
     * Starts a renewal to the given length, whatever is under way. A length that shortens the lease counts from now on,
     * since the store may do it at any time and its reply may not arrive. A renewal to another length is sent as one
     * that must not shorten, since a late copy of it must not shorten what the lease has become by then.
     */
    private LeaseRenewal.Due start(long newLength, boolean mayShorten, @Nullable Extension extension, long now) {
        long millis = Math.max(1, newLength / 1_000_000);
        long length = millis * 1_000_000;
        long token = tokenAfterShortening();
        boolean shorter = now + length - end() < 0;
        boolean shortens = mayShorten && (shorter || isTooLong());
        boolean inStore = shortens && !Readers.isReader(hold.lock);
        if (shortens) {
            shortening().sent(inStore);
        }
        Renewal begun = new Renewal(hold, now, length, mayShorten, shortenings(), extension);
        underWay = begun;
        renewalSent(length, now);
        if (shorter) {
            counts(now, length);
        }
        hold.updateDeadline(this, now);
        return new LeaseRenewal.Due(hold.lock, begun, new RenewCommand(hold.name(), number, millis, token, inStore));
    }

    /**
     * The token for the next command. After a command to shorten the lease without a reply it is a higher one, so that
     * the store ignores that command from then on. No hold gets this token.
     */
    long tokenAfterShortening() {
        if (shortening != null && shortening.unanswered) {
            raiseToken();
            engine().tokenSeen(token());
        }
        return token();
    }

    private int shortenings() {
        return shortening == null ? 0 : shortening.sent;
    }

    /** Starts a renewal that the holder waits for and that may shorten the lease. */
    LeaseRenewal.Due extend(long newLength, long now) {
        Extension extension = hold.extend(now + newLength, this);
        long limit = hold.renew ? hold.renewUntil() - now : newLength;
        return start(Math.min(newLength, limit), true, extension, now);
    }

    private void extensionFailed(Renewal renewal, boolean notExecuted) {
        Extension extension = renewal.extension;
        if (extension == null || !extension.open || renewal.hold != hold) {
            return;
        }
        extension.open = false;
        if (!notExecuted) {
            hold.extensionUnknown(extension);
        } else if (underWay == renewal && sentAt() == renewal.sentAt && length() == renewal.length) {
            counts(extension.sentAtBefore, extension.lengthBefore);
        }
    }

    // ---- replies

    /**
     * The store has renewed the lease, or there is no reply.
     *
     * @return false if the renewal does not count since the lease was shortened after it, but not by another extension
     */
    boolean replied(Renewal renewal, LeaseRenewal.Outcome outcome, long now) {
        RenewReply reply = outcome.reply();
        if (reply == null) {
            extensionFailed(renewal, outcome.notExecuted());
            hold.updateDeadline(this, now);
            if (underWay == renewal) {
                failed(now);
            }
            return true;
        }
        tokenSeen(reply.token());
        if (underWay == renewal || reply.waiting() > 0) {
            updateContention(reply.waiting(), now);
        }
        boolean counts = renewal.shortenings == shortenings();
        if (counts) {
            confirmed(renewal, now);
        }
        boolean succeeds = counts || renewal.hold != hold || hold.extensions() > renewal.extensions;
        if (!succeeds) {
            extensionFailed(renewal, false);
        } else if (renewal.extension != null && renewal.extension.open && renewal.hold == hold) {
            renewal.extension.open = false;
            hold.extended(renewal.extension);
        }
        hold.updateDeadline(this, now);
        return succeeds;
    }

    private void confirmed(Renewal renewal, long now) {
        underWay = underWay == renewal ? null : underWay;
        if (shortening != null) {
            shortening.tooLong &= !renewal.mayShorten;
            shortening.unanswered = false;
        }
        if (renewal.sentAt + renewal.length - end() >= 0) {
            counts(renewal.sentAt, renewal.length);
        }
        rescheduled = null;
        if (renewal.hold != hold) {
            // It may be an extension of the hold before.
            shortenIfTooLong(now);
        }
    }

    /** Without a reply, the retry follows soon, and often enough within the rest of the lease. */
    private void failed(long now) {
        underWay = null;
        long shortest = LockRequest.MIN_LEASE.toNanos();
        retryAt(now + Math.max(shortest, Math.min(length() / 12, 500_000_000)));
    }

    /** A renewal has failed, and the next one is due at that time, whatever it is for. */
    private void retryAt(long time) {
        rescheduled = new Rescheduled(time, true);
        if (shortening != null) {
            shortening.dueAt = time;
        }
    }

    /** The store can be reached again. A lease that recalls do not reach is renewed: the reply counts the waiters. */
    void connected(long delay, long now) {
        if (isFailing()) {
            retryAt(now);
        }
        if (engine().store().isOutOfReach(hold.name(), number) && now + delay - renewAt() < 0) {
            rescheduled = new Rescheduled(now + delay, isFailing());
        }
    }

    /** The time since the last renewal for the present hold was sent, or null if there was none yet. */
    @Nullable
    Duration sinceRenewal(long now) {
        return sentAt() - hold.grantedAt > 0 ? Duration.ofNanos(now - sentAt()) : null;
    }
}
