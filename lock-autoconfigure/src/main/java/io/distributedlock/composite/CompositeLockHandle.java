/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNames;
import io.distributedlock.LockOwner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Several holds as one, which is lost with the first of them. The others stay held until it is closed, since the work
 * under it may still be running.
 */
public class CompositeLockHandle implements LockHandle, LockOwner.SeveralHolds, AwaitedRelease {

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

    /** Whether the loss of this part is reported while the handle is held. */
    protected boolean reportsLossOf(int part) {
        return true;
    }

    /** The holds whose loss {@link LockHandle#throwIfLost()} of the handle reports, with their tokens. */
    public static Set<Map.Entry<String, Long>> reportedLosses(LockHandle handle) {
        if (!(handle instanceof CompositeLockHandle several)) {
            return handle.fencingTokens().entrySet();
        }
        return several.reportedParts()
                .flatMap(part -> reportedLosses(part).stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    private Stream<LockHandle> reportedParts() {
        return IntStream.range(0, parts.size()).filter(this::reportsLossOf).mapToObj(parts::get);
    }

    @Override
    public String name() {
        return parts.get(0).name();
    }

    /** If no part knows tokens by name, as a mock, that of the parts themselves. */
    @Override
    public long fencingToken() {
        return tokens.isEmpty()
                ? parts.stream().mapToLong(LockHandle::fencingToken).max().orElseThrow()
                : Collections.max(tokens.values());
    }

    @Override
    public Map<String, Long> fencingTokens() {
        return tokens;
    }

    @Override
    public Set<Map.Entry<String, Long>> holds() {
        return parts.stream().flatMap(part -> LockOwner.holdsOf(part).stream()).collect(Collectors.toUnmodifiableSet());
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
        throwIfLost();
        IntStream.range(0, parts.size()).forEach(part -> extend(part, lease));
    }

    private void extend(int part, Duration lease) {
        LockHandle handle = parts.get(part);
        if (reportsLossOf(part)) {
            handle.extend(lease);
        } else if (handle.isHeld()) {
            try {
                handle.extend(lease);
            } catch (LockLostException ex) {
                // Its loss is ignored, also if it is found here.
            }
        }
    }

    @Override
    public void onLost(Runnable callback) {
        onLost(callback, part -> true);
    }

    /** Runs the callback once, at the first loss of one of these parts. */
    protected final void onLost(Runnable callback, IntPredicate which) {
        Objects.requireNonNull(callback, "callback");
        AtomicBoolean reported = new AtomicBoolean();
        Runnable once = () -> {
            if (reported.compareAndSet(false, true)) {
                callback.run();
            }
        };
        Runnable ofItsKind = callback instanceof LossReaction ? (LossReaction) once::run : once;
        IntStream.range(0, parts.size())
                .filter(which)
                .forEach(part -> parts.get(part).onLost(ofItsKind));
    }

    @Override
    public void throwIfLost() {
        reportedParts().forEach(LockHandle::throwIfLost);
    }

    /** Sends all releases, in the reverse order, before it waits for the first reply. */
    @Override
    public void close() {
        beginClose().run();
    }

    @Override
    public Runnable beginClose() {
        return waitFor(BlockingJointRelease.begin(parts, false));
    }

    @Override
    public Runnable beginRollBack() {
        return waitFor(BlockingJointRelease.begin(parts, true));
    }

    private Runnable waitFor(BlockingJointRelease release) {
        return () -> throwIfAny(failureOf(release.await()));
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
        return close(ReleaseStages::close);
    }

    @Override
    public CompletionStage<Void> closeUnused() {
        return close(ReleaseStages::closeUnused);
    }

    private CompletionStage<Void> close(Function<LockHandle, CompletionStage<@Nullable Void>> how) {
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
        String shown = tokens.entrySet().stream()
                .map(each -> LockNames.show(each.getKey()) + "=" + each.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
        return "LockHandle[tokens=" + shown + ", held=" + isHeld() + "]";
    }
}
