/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The release of several holds, each of which is sent before the reply to another is waited for.
 *
 * @param ends the failures or null, in the order of the holds; no stage fails
 */
record JointRelease(List<CompletableFuture<@Nullable Throwable>> ends) {

    /** The maximum number of failures that are kept. */
    private static final int MOST_SUPPRESSED = 8;

    /** Releases holds under which no work was done, in the reverse order. */
    static JointRelease rollBack(List<LockHandle> holds) {
        return of(holds, ReleaseStages::closeUnused);
    }

    /** Releases the holds in the reverse order. */
    static JointRelease of(List<LockHandle> holds, Function<LockHandle, CompletionStage<@Nullable Void>> how) {
        List<CompletableFuture<@Nullable Throwable>> ends = new ArrayList<>();
        for (int i = holds.size() - 1; i >= 0; i--) {
            ends.add(end(holds.get(i), how));
        }
        Collections.reverse(ends);
        return new JointRelease(ends);
    }

    private static CompletableFuture<@Nullable Throwable> end(
            LockHandle hold, Function<LockHandle, CompletionStage<@Nullable Void>> how) {
        try {
            return how.apply(hold)
                    .<@Nullable Throwable>handle((done, failure) -> StageFailures.unwrap(failure))
                    .toCompletableFuture();
        } catch (Throwable ex) {
            return CompletableFuture.completedFuture(ex);
        }
    }

    /** Waits for each. Returns the failures or null, in the order of the holds. */
    List<@Nullable Throwable> outcomes() {
        List<@Nullable Throwable> outcomes = new ArrayList<>();
        ends.forEach(end -> outcomes.add(end.join()));
        return outcomes;
    }

    CompletionStage<Void> whenAll() {
        return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
    }

    /** The failures as one, or null: a loss is reported in preference to an unconfirmed release. */
    static @Nullable Throwable asOne(List<Throwable> failures) {
        Throwable first = failures.stream()
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
}
