/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A future that depends on an {@link AsyncAcquisition}, or is one. A thread that waits for it completes it with the
 * result itself as soon as there is one, so that its wait ends with that of the acquisition.
 */
abstract class AcquireStage<T extends @Nullable Object> extends CompletableFuture<T> {

    /**
     * What those who wait look at. It hangs on two other futures, which a wait that ends cannot take back; so there is
     * one for all waits.
     */
    private volatile @Nullable CompletableFuture<?> verdict;

    abstract AsyncAcquisition root();

    /** Completes with this future or the result, whichever comes first. */
    private CompletableFuture<?> verdictOrThis() {
        CompletableFuture<?> known = verdict;
        if (known == null || known.isDone()) {
            known = CompletableFuture.anyOf(this, root().progress()).handle((any, failure) -> null);
            verdict = known;
        }
        return known;
    }

    /** The acquisition has its result, so that only what depends on it may be still to come. */
    private boolean isEnding() {
        return isDone() || root().isDone();
    }

    @Override
    public T join() {
        while (!isEnding()) {
            verdictOrThis().join();
            root().deliverIfDecided();
        }
        return super.join();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        while (!isEnding()) {
            verdictOrThis().get();
            root().deliverIfDecided();
        }
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        long end = NanoClock.SYSTEM.nanos() + unit.toNanos(timeout);
        while (!isEnding()) {
            verdictOrThis().get(Math.max(0, end - NanoClock.SYSTEM.nanos()), TimeUnit.NANOSECONDS);
            root().deliverIfDecided();
        }
        return super.get(Math.max(0, end - NanoClock.SYSTEM.nanos()), TimeUnit.NANOSECONDS);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Dependent<>(root());
    }

    private static final class Dependent<U> extends AcquireStage<U> {

        private final AsyncAcquisition root;

        Dependent(AsyncAcquisition root) {
            this.root = root;
        }

        @Override
        AsyncAcquisition root() {
            return root;
        }
    }
}
