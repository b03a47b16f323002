package io.distributedlock.engine;

import io.distributedlock.LockHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The future of an asynchronous acquisition, and the owner of its hold. Its verdict is told on a thread for continuations, or
 * by a thread that waits for the future, whichever comes first: so whoever waits is told although all those threads are busy.
 */
final class AsyncAcquire extends AcquireStage<LockHandle> {

    private final LockEngine engine;

    private final AtomicBoolean told = new AtomicBoolean();

    private volatile @Nullable Waiter waiter;

    AsyncAcquire(LockEngine engine) {
        this.engine = engine;
    }

    void start(Waiter waiting) {
        waiter = waiting;
        waiting.verdict.thenAccept(verdict -> engine.callbacks().verdict(() -> tell(waiting, verdict)));
        engine.arm(waiting, waiting.terms.triesOnce() ? waiting.patienceEnd() : waiting.waitEnd());
        engine.locks().enqueue(waiting);
        whenComplete((handle, failure) -> {
            if (!told.get()) {
                waiting.lock().leave(waiting);
            }
        });
    }

    private void tell(Waiter waiting, Verdict verdict) {
        if (!told.compareAndSet(false, true)) {
            return;
        }
        if (verdict instanceof Verdict.Granted granted) {
            if (!complete(granted.handle()) && granted.handle() instanceof EngineHandle handle) {
                handle.abandon();
            }
        } else {
            completeExceptionally(engine.failure(waiting));
        }
    }

    @Override
    AsyncAcquire root() {
        return this;
    }

    /** Completes before this does, and without any code of the application; already complete if nobody waits. */
    CompletableFuture<?> verdict() {
        Waiter waiting = waiter;
        return waiting == null ? CompletableFuture.completedFuture(null) : waiting.verdict;
    }

    /** The calling thread waits: if there is a verdict, it need not wait for a thread that tells it. */
    void tellIfDecided() {
        Waiter waiting = waiter;
        if (waiting != null && waiting.verdict.isDone()) {
            tell(waiting, waiting.verdict.join());
        }
    }
}
