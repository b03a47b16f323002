package io.distributedlock.engine;

/**
 * When to try again what the store has not done: each by its own pause, and all together at most twenty times a second, so
 * that many locks do not keep a store in trouble there. Any answer shows that the trouble is over; then nobody waits for a
 * turn any longer, though that happens once a second at most, as some answers may come in the middle of trouble.
 */
final class Retries extends Timed {

    private static final long SPACING = 50_000_000;

    private static final long LONG_LINE = 1_000_000_000;

    private final LockEngine engine;

    /** The first turn that nobody has yet. */
    private long next;

    /** When it was, or will be, that all who had a turn were told not to wait for it. */
    private long recoverAt;

    private boolean recovered;

    private boolean used;

    /** Whether somebody has a turn that is far away. */
    private volatile boolean longLine;

    Retries(LockEngine engine) {
        this.engine = engine;
    }

    /** When to try again, in so many nanoseconds at the earliest. */
    synchronized long turn(long now, long pause) {
        long wanted = now + pause;
        long turn = used && next - wanted > 0 ? next : wanted;
        used = true;
        next = turn + SPACING;
        if (turn - now > LONG_LINE) {
            longLine = true;
        }
        return turn;
    }

    /** The store has answered. */
    void succeeded(long now) {
        if (longLine) {
            recover(now);
        }
    }

    private synchronized void recover(long now) {
        if (!longLine) {
            return;
        }
        longLine = false;
        used = false;
        if (!recovered || now - recoverAt >= LONG_LINE) {
            recoverAt = now;
        } else if (now - recoverAt >= 0) {
            recoverAt += LONG_LINE;
        }
        recovered = true;
        engine.arm(this, recoverAt);
    }

    @Override
    void onDue(long now) {
        engine.locks().recovered();
    }
}
