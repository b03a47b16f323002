/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The holds of several names, as one. It is lost with the first of them. */
final class LockSetHandle implements LockHandle {

    /** The maximum number of failures that are kept. */
    private static final int MOST_SUPPRESSED = 8;

    /** In global order. */
    private final List<DefaultLockHandle> parts;

    private final Map<String, Long> tokens;

    private LockSetHandle(List<DefaultLockHandle> parts, Map<String, Long> tokens) {
        this.parts = parts;
        this.tokens = tokens;
    }

    /** @throws io.distributedlock.LockUnavailableException if one of them is already lost */
    static LockSetHandle of(LockRequest request, List<DefaultLockHandle> parts) {
        Map<String, Long> tokens = new LinkedHashMap<>();
        for (DefaultLockHandle part : parts) {
            if (!part.isHeld()) {
                throw LockSet.lostMeanwhile(part.name());
            }
            tokens.put(part.name(), part.fencingToken());
        }
        return new LockSetHandle(List.copyOf(parts), Collections.unmodifiableMap(tokens));
    }

    @Override
    public String name() {
        return parts.get(0).name();
    }

    @Override
    public long fencingToken() {
        return Collections.max(tokens.values());
    }

    @Override
    public Map<String, Long> fencingTokens() {
        return tokens;
    }

    @Override
    public boolean isHeld() {
        return parts.stream().allMatch(LockHandle::isHeld);
    }

    @Override
    public Duration remainingLease() {
        return parts.stream()
                .map(LockHandle::remainingLease)
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public void extend(Duration lease) {
        parts.forEach(part -> part.extend(lease));
    }

    @Override
    public void onLost(Runnable callback) {
        Objects.requireNonNull(callback, "callback");
        AtomicBoolean told = new AtomicBoolean();
        Runnable once = () -> {
            if (told.compareAndSet(false, true)) {
                callback.run();
            }
        };
        parts.forEach(part -> part.onLost(once));
    }

    @Override
    public void throwIfLost() {
        parts.forEach(LockHandle::throwIfLost);
    }

    /** Sends all releases, in the reverse order, before it waits for the first reply. */
    @Override
    public void close() {
        List<Runnable> ends = new ArrayList<>();
        for (int i = parts.size() - 1; i >= 0; i--) {
            Runnable end = parts.get(i).beginClose();
            if (end != null) {
                ends.add(end);
            }
        }
        List<RuntimeException> failures = new ArrayList<>();
        for (Runnable end : ends) {
            try {
                end.run();
            } catch (RuntimeException ex) {
                failures.add(ex);
            }
        }
        RuntimeException failure = asOne(failures);
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        return closeEach(LockHandle::closeAsync);
    }

    @Override
    public CompletionStage<Void> closeUnused() {
        return closeEach(LockHandle::closeUnused);
    }

    private CompletionStage<Void> closeEach(Function<LockHandle, CompletionStage<Void>> how) {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int i = parts.size() - 1; i >= 0; i--) {
            ends.add(how.apply(parts.get(i)).toCompletableFuture());
        }
        // A stage that is derived from others would fail with a CompletionException.
        CompletableFuture<Void> closed = new CompletableFuture<>();
        CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).whenComplete((done, any) -> {
            RuntimeException failure = asOne(failuresOf(ends));
            if (failure == null) {
                closed.complete(null);
            } else {
                closed.completeExceptionally(failure);
            }
        });
        return closed;
    }

    private static List<RuntimeException> failuresOf(List<CompletableFuture<Void>> ends) {
        List<RuntimeException> failures = new ArrayList<>();
        for (CompletableFuture<Void> end : ends) {
            Throwable failure = end.handle((none, ex) -> ex).join();
            if (failure != null) {
                failures.add(asRuntimeException(StoreFailures.unwrap(failure)));
            }
        }
        return failures;
    }

    private static RuntimeException asRuntimeException(Throwable failure) {
        return failure instanceof RuntimeException known ? known : new IllegalStateException(failure);
    }

    /** A loss is reported in preference to an unconfirmed release. */
    private static @Nullable RuntimeException asOne(List<RuntimeException> failures) {
        RuntimeException first = failures.stream()
                .filter(LockLostException.class::isInstance)
                .findFirst()
                .orElse(failures.isEmpty() ? null : failures.get(0));
        if (first != null) {
            failures.stream()
                    .filter(other -> other != first)
                    .limit(MOST_SUPPRESSED)
                    .forEach(first::addSuppressed);
        }
        return first;
    }

    @Override
    public String toString() {
        return "LockHandle[tokens=" + tokens + ", held=" + isHeld() + "]";
    }
}
