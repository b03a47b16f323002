package io.distributedlock.engine;

import io.distributedlock.LockLostException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One caller's hold, from grant to release, re-entries included. What is not volatile is guarded by the
 * {@link NamedLock}; the callbacks are guarded by this object.
 */
final class Hold {

    private enum Phase {
        HELD,
        CLOSED,
        LOST
    }

    final NamedLock lock;

    final Terms terms;

    final Object owner;

    /** The number of the acquisition in the store. */
    final long number;

    final long token;

    final long grantedAt;

    /** How often it was entered and not yet left. */
    int entries = 1;

    /** The lease is never renewed beyond this time. */
    long renewUntil;

    /** The lease must not be renewed to end before this time, if it is later than now. */
    long extendedUntil;

    /** Whether a warning was written that nobody can close it any more. */
    boolean abandonmentTold;

    private volatile long deadline;

    private volatile Phase phase = Phase.HELD;

    private volatile @Nullable LockLostException loss;

    /** All handles share this object, so it is reachable as long as one of them is. */
    private WeakReference<Object> anchor;

    private final List<Runnable> callbacks = new ArrayList<>(0);

    /** @param start from when its own lease counts if it is not renewed */
    Hold(NamedLock lock, Waiter waiter, Lease lease, long start, long now, Object anchor) {
        this.lock = lock;
        this.terms = waiter.terms;
        this.owner = waiter.owner;
        this.number = lease.number;
        this.token = lease.token();
        this.grantedAt = now;
        this.extendedUntil = now;
        this.anchor = new WeakReference<>(anchor);
        this.renewUntil = terms.renew() ? now + terms.maxHold() : start + terms.lease();
        follow(lease, now);
    }

    /** What a new handle keeps. If the earlier ones are gone, nobody can close their entries any more. */
    Object anchorForNext() {
        Object known = anchor.get();
        if (known == null) {
            known = new Object();
            anchor = new WeakReference<>(known);
            abandonmentTold = false;
            entries = 0;
        }
        return known;
    }

    /** Nobody is left to close it: its handles were garbage collected, or the thread that acquired it has ended. */
    boolean isAbandoned() {
        return anchor.get() == null || (owner instanceof Thread thread && !thread.isAlive());
    }

    /** The lease was granted or renewed. */
    void follow(Lease lease, long now) {
        long limit = renewUntil - now;
        deadline = lease.deadline() - now <= limit ? lease.deadline() : renewUntil;
    }

    long deadline() {
        return deadline;
    }

    boolean isExpired(long now) {
        return now - deadline >= 0;
    }

    boolean isHeld(long now) {
        return phase == Phase.HELD && !isExpired(now);
    }

    long remaining(long now) {
        return phase == Phase.HELD ? Math.max(0, deadline - now) : 0;
    }

    boolean isClosed() {
        return phase == Phase.CLOSED;
    }

    void close() {
        phase = Phase.CLOSED;
        synchronized (callbacks) {
            callbacks.clear();
        }
    }

    /** @return the callbacks to run */
    List<Runnable> lose(String why, long now) {
        Duration heldFor = Duration.ofNanos(now - grantedAt);
        loss = new LockLostException(
                terms.name(),
                "Lock '" + terms.name() + "' was lost after " + heldFor.toMillis() + " ms: " + why,
                heldFor);
        phase = Phase.LOST;
        synchronized (callbacks) {
            List<Runnable> due = List.copyOf(callbacks);
            callbacks.clear();
            return due;
        }
    }

    /** @return true if it is lost already, so the callback is to be run at once */
    boolean onLost(Runnable callback) {
        synchronized (callbacks) {
            if (phase == Phase.HELD) {
                callbacks.add(callback);
            }
            return phase == Phase.LOST;
        }
    }

    /** A new exception for every caller, so that the stack is the caller's; null if it was not lost. */
    @Nullable
    LockLostException loss() {
        LockLostException first = loss;
        return first == null
                ? null
                : new LockLostException(first.lockName(), String.valueOf(first.getMessage()), first.heldFor());
    }
}
