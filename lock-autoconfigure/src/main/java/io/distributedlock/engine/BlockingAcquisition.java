/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockListener.Refusal;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An acquisition for which the calling thread waits. The same as an {@link AsyncAcquisition}, plus the wait. */
final class BlockingAcquisition {

    private final EngineContext engine;

    private final @Nullable Consumer<Waiter> queued;

    /** @param queued receives the waiter, also one that takes its place, once its wait can be ended; or null */
    BlockingAcquisition(EngineContext engine, @Nullable Consumer<Waiter> queued) {
        this.engine = engine;
        this.queued = queued;
    }

    /**
     * Waits until there is a final outcome, or the wait is over.
     *
     * @throws LockInterruptedException if the calling thread is interrupted before or meanwhile; its flag is set then
     */
    AcquireResult await(Waiter first) {
        Waiter waiter = first;
        while (true) {
            AcquireResult result = decision(waiter).abandonIfLate();
            Waiter again = result instanceof AcquireResult.Late ? waiter.again() : null;
            if (again == null) {
                engine.listening().decided(waiter, result);
                return result;
            }
            waiter = again;
        }
    }

    private AcquireResult decision(Waiter waiter) {
        if (Thread.currentThread().isInterrupted()) {
            throw interrupted(waiter, null);
        }
        engine.locks().enqueue(waiter);
        try {
            return decisionOnQueued(waiter);
        } catch (RuntimeException | Error ex) {
            // An overflow of the stack too: a grant for this waiter would have no holder.
            abandon(waiter);
            throw ex;
        }
    }

    private AcquireResult decisionOnQueued(Waiter waiter) {
        if (!waiter.result.isDone()) {
            engine.lockLog().waits(waiter);
            if (queued != null) {
                queued.accept(waiter);
            }
        }
        long end = waiter.request.triesOnce() ? waiter.patienceEnd() : waiter.waitEnd();
        while (true) {
            try {
                return waiter.result.get(Math.max(0, end - engine.now()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException ex) {
                if (waiter.expire()) {
                    return waiter.result.join();
                }
                end = waiter.patienceEnd();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
                throw interrupted(waiter, ex);
            } catch (ExecutionException ex) {
                throw new IllegalStateException("The decision on a waiter does not fail", ex);
            }
        }
    }

    /** The caller leaves; a grant that arrives at the same moment is released. */
    private static void abandon(Waiter waiter) {
        waiter.cancelWait();
        if (waiter.result.join() instanceof AcquireResult.Granted granted
                && granted.handle() instanceof DefaultLockHandle handle) {
            handle.abandon();
        }
    }

    private LockInterruptedException interrupted(Waiter waiter, @Nullable Throwable cause) {
        String name = waiter.request.name();
        engine.listening().refused(waiter, Refusal.INTERRUPTED);
        return new LockInterruptedException(
                name,
                "Lock '" + name + "': interrupted after waiting "
                        + waiter.waited().toMillis() + " ms",
                cause);
    }
}
