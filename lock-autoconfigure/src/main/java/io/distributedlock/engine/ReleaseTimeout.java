/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStore.ReleaseReply.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A release with a stage that waits for its reply, for one command time-out at most. */
final class ReleaseTimeout extends TimerTask {

    private final CompletableFuture<Void> stage = new CompletableFuture<>();

    private final AtomicBoolean decided = new AtomicBoolean();

    private final EngineContext engine;

    private final BlockingCalls calls;

    private final Hold hold;

    private final PendingRelease release;

    private final long end;

    ReleaseTimeout(EngineContext engine, BlockingCalls calls, Hold hold, PendingRelease release) {
        this.engine = engine;
        this.calls = calls;
        this.hold = hold;
        this.release = release;
        this.end = engine.now() + engine.timeout(hold.lease);
    }

    CompletableFuture<Void> start() {
        engine.arm(this, end);
        release.outcome.whenComplete((outcome, failure) -> {
            engine.callbacks().released(() -> complete(outcome, failure));
            engine.disarm(this);
        });
        return stage;
    }

    /** The first of reply and time-out counts, as for a caller that waits: what comes later is not reported. */
    private void complete(@Nullable Outcome outcome, @Nullable Throwable failure) {
        if (!decided.compareAndSet(false, true)) {
            return;
        }
        try {
            if (outcome == null) {
                Throwable cause = failure == null ? release.lastFailure() : StoreFailures.unwrap(failure);
                throw calls.unconfirmed(hold, release, cause);
            }
            calls.check(hold, outcome);
            stage.complete(null);
        } catch (Throwable ex) { // Also of an appender of the log: the caller waits for this stage.
            stage.completeExceptionally(ex);
        }
    }

    @Override
    void onDue(long now) {
        if (now - end < 0) {
            engine.arm(this, end);
        } else {
            engine.callbacks().released(() -> complete(null, null));
        }
    }
}
