/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.WhenLost;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The holds of several annotations, as one. The annotation of each decides what its loss means; a loss that is ignored
 * is not reported, unless that is so for all.
 */
final class HandleOfSeveral implements LockHandle {

    /** @param policy of the annotation */
    record Part(LockHandle handle, CallPolicy policy) {}

    /** In global order. */
    private final List<Part> parts;

    private final Map<String, Long> tokens;

    private final boolean lossMatters;

    HandleOfSeveral(List<Part> parts) {
        this.parts = List.copyOf(parts);
        Map<String, Long> all = new LinkedHashMap<>();
        parts.forEach(
                part -> part.handle().fencingTokens().forEach((name, token) -> all.merge(name, token, Math::max)));
        this.tokens = Collections.unmodifiableMap(all);
        this.lossMatters = parts.stream().anyMatch(part -> part.policy().lossMatters());
    }

    @Override
    public String name() {
        return parts.get(0).handle().name();
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
        return parts.stream().allMatch(part -> part.handle().isHeld());
    }

    @Override
    public Duration remainingLease() {
        return parts.stream()
                .map(part -> part.handle().remainingLease())
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public void extend(Duration lease) {
        parts.forEach(part -> part.handle().extend(lease));
    }

    @Override
    public void onLost(Runnable callback) {
        onLost(callback, part -> true);
    }

    /** The callback runs at a loss that interrupts the call. */
    static void onInterruptingLoss(LockHandle handle, Runnable callback) {
        if (handle instanceof HandleOfSeveral several) {
            several.onLost(callback, part -> part.policy().whenLost() == WhenLost.INTERRUPT);
        } else {
            handle.onLost(callback);
        }
    }

    private void onLost(Runnable callback, Predicate<Part> which) {
        Objects.requireNonNull(callback, "callback");
        AtomicBoolean told = new AtomicBoolean();
        Runnable once = () -> {
            if (told.compareAndSet(false, true)) {
                callback.run();
            }
        };
        parts.stream().filter(which).forEach(part -> part.handle().onLost(once));
    }

    @Override
    public void throwIfLost() {
        for (Part part : parts) {
            if (part.policy().lossMatters() || !lossMatters) {
                part.handle().throwIfLost();
            }
        }
    }

    @Override
    public void close() {
        Closing closing = closing(LockHandle::closeAsync);
        closing.join();
        Throwable failure = failureOf(closing);
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException unchecked) {
            throw unchecked;
        }
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        return close(LockHandle::closeAsync);
    }

    @Override
    public CompletionStage<Void> closeUnused() {
        return close(LockHandle::closeUnused);
    }

    private CompletionStage<Void> close(Function<LockHandle, CompletionStage<Void>> how) {
        Closing closing = closing(how);
        // A stage that is derived from others would fail with a CompletionException.
        CompletableFuture<Void> closed = new CompletableFuture<>();
        closing.whenAll().whenComplete((done, none) -> {
            Throwable failure = failureOf(closing);
            if (failure == null) {
                closed.complete(null);
            } else {
                closed.completeExceptionally(failure);
            }
        });
        return closed;
    }

    private Closing closing(Function<LockHandle, CompletionStage<Void>> how) {
        return Closing.ofAll(parts.stream().map(Part::handle).toList(), how);
    }

    private @Nullable Throwable failureOf(Closing closed) {
        List<Throwable> failures = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            Throwable failure =
                    parts.get(i).policy().afterSuccess(closed.ends().get(i).join());
            if (failure != null) {
                failures.add(failure);
            }
        }
        return Closing.asOne(failures);
    }

    @Override
    public String toString() {
        return "LockHandle[tokens=" + tokens + ", held=" + isHeld() + "]";
    }
}
