package io.distributedlock.engine;

import io.distributedlock.LockHandle;
import java.util.concurrent.CompletableFuture;

/** The future of an asynchronous acquisition, and the owner of its hold. */
final class AsyncAcquire extends CompletableFuture<LockHandle> {

    void start(LockEngine engine, Waiter waiter) {
        waiter.verdict.thenAccept(verdict -> engine.runCallback(() -> tell(engine, waiter, verdict)));
        engine.arm(waiter, waiter.terms.triesOnce() ? waiter.patienceEnd() : waiter.waitEnd());
        engine.locks().enqueue(waiter);
        whenComplete((handle, failure) -> {
            if (isCancelled()) {
                waiter.lock().leave(waiter);
            }
        });
    }

    private void tell(LockEngine engine, Waiter waiter, Verdict verdict) {
        if (verdict instanceof Verdict.Granted granted) {
            if (!complete(granted.handle()) && granted.handle() instanceof EngineHandle handle) {
                handle.abandon();
            }
        } else {
            completeExceptionally(engine.failure(waiter));
        }
    }

    /** Stages that depend on this one are plain futures. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
