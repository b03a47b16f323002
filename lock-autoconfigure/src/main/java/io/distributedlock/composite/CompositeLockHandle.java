/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import io.distributedlock.LockHandle;
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
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Several holds as one, which is lost with the first of them. */
public class CompositeLockHandle implements LockHandle {

    /** In global order. */
    private final List<LockHandle> parts;

    private final Map<String, Long> tokens;

    /** @param parts in global order */
    public CompositeLockHandle(List<? extends LockHandle> parts) {
        this.parts = List.copyOf(parts);
        Map<String, Long> all = new LinkedHashMap<>();
        parts.forEach(part -> part.fencingTokens().forEach((name, token) -> all.merge(name, token, Math::max)));
        this.tokens = Collections.unmodifiableMap(all);
    }

    /** The failure to report if the release of this part had that outcome, or null. */
    protected @Nullable Throwable failureOf(int part, @Nullable Throwable outcome) {
        return outcome;
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
        onLost(callback, part -> true);
    }

    /** Runs the callback once, at the first loss of one of these parts. */
    protected final void onLost(Runnable callback, IntPredicate which) {
        Objects.requireNonNull(callback, "callback");
        AtomicBoolean told = new AtomicBoolean();
        Runnable once = () -> {
            if (told.compareAndSet(false, true)) {
                callback.run();
            }
        };
        IntStream.range(0, parts.size())
                .filter(which)
                .forEach(part -> parts.get(part).onLost(once));
    }

    @Override
    public void throwIfLost() {
        parts.forEach(LockHandle::throwIfLost);
    }

    /** Sends all releases, in the reverse order, before it waits for the first reply. */
    @Override
    public void close() {
        throwIfAny(failureOf(BlockingJointRelease.close(parts)));
    }

    /** Throws a failure of releases, which is never checked. */
    private static void throwIfAny(@Nullable Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (failure != null) {
            throw new IllegalStateException(failure);
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
        JointRelease release = JointRelease.of(parts, how);
        // A stage that is derived from others would fail with a CompletionException.
        CompletableFuture<Void> closed = new CompletableFuture<>();
        release.whenAll().whenComplete((done, none) -> {
            Throwable failure;
            try {
                failure = failureOf(release.outcomes());
            } catch (RuntimeException | Error ex) {
                failure = ex;
            }
            if (failure == null) {
                closed.complete(null);
            } else {
                closed.completeExceptionally(failure);
            }
        });
        return closed;
    }

    private @Nullable Throwable failureOf(List<@Nullable Throwable> outcomes) {
        List<Throwable> failures = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            Throwable failure = failureOf(i, outcomes.get(i));
            if (failure != null) {
                failures.add(failure);
            }
        }
        return JointRelease.asOne(failures);
    }

    @Override
    public String toString() {
        return "LockHandle[tokens=" + tokens + ", held=" + isHeld() + "]";
    }
}
