/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** For tests in which two events meet at a random moment. */
public final class RandomMoments {

    private RandomMoments() {}

    /**
     * Returns whether the future was completed, in any way, within so many nanoseconds.
     *
     * @throws IllegalStateException if the thread is interrupted; the interrupt stays set
     */
    public static boolean isDoneWithin(long nanos, CompletableFuture<?> future) {
        try {
            future.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (CancellationException | ExecutionException e) {
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Runs the task on another thread after so many nanoseconds. Returns its end. */
    public static CompletableFuture<Void> runAfter(long nanos, Runnable task) {
        return CompletableFuture.runAsync(
                task,
                CompletableFuture.delayedExecutor(Math.max(0, nanos), TimeUnit.NANOSECONDS, Background.newThread()));
    }
}
