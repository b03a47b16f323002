package io.distributedlock.engine;

import io.distributedlock.LockOwner;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A caller that wants a lock. A blocking caller waits for the verdict itself; for an asynchronous one it is also the timer
 * of its wait. The links and {@link #queued} belong to the {@link WaiterQueue}, guarded by the lock it stands in.
 */
final class Waiter extends Timed {

    final Terms terms;

    /** A thread, or an object that stands for an asynchronous caller. Compared by identity. */
    final Object owner;

    /** Whose holds it may enter besides. */
    final @Nullable LockOwner enclosing;

    final long since;

    final CompletableFuture<Verdict> verdict = new CompletableFuture<>();

    private final LockEngine engine;

    private volatile @Nullable NamedLock lock;

    @Nullable
    Waiter next;

    @Nullable
    Waiter previous;

    boolean queued;

    /** How many came before it. */
    long arrival;

    Waiter(LockEngine engine, Terms terms, Object owner) {
        this(engine, terms, owner, null);
    }

    Waiter(LockEngine engine, Terms terms, Object owner, @Nullable LockOwner enclosing) {
        this.engine = engine;
        this.terms = terms;
        this.owner = owner;
        this.enclosing = enclosing;
        this.since = engine.now();
    }

    /** It is about to stand in the queue of this lock. */
    void standsIn(NamedLock inQueue) {
        lock = inQueue;
    }

    /** The lock in whose queue it stands or stood. */
    NamedLock lock() {
        NamedLock known = lock;
        if (known == null) {
            throw new IllegalStateException("It does not stand in a queue yet");
        }
        return known;
    }

    /** When the wait is over. */
    long waitEnd() {
        return since + terms.waitUpTo();
    }

    /** Until when a caller that has heard nothing at all from the store waits for a first word. */
    long patienceEnd() {
        return since + Math.max(terms.waitUpTo(), engine.timeout(terms.firstLease()));
    }

    void decide(Verdict decided) {
        engine.disarm(this);
        verdict.complete(decided);
    }

    @Override
    void onDue(long now) {
        if (lock == null) {
            engine.arm(this, now + 1_000_000);
        } else {
            engine.waitOver(this, now);
        }
    }
}
