/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import io.distributedlock.LockHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The release of several holds by a thread that waits for it. All are sent, in the reverse order, before the thread
 * waits for the first reply. A release that fails, for lack of stack for example, does not keep the others.
 */
public final class BlockingJointRelease {

    private BlockingJointRelease() {}

    /** Returns the failures or null, in the order of the holds. */
    static List<@Nullable Throwable> close(List<? extends LockHandle> holds) {
        return release(holds, AwaitedRelease::beginClose, LockHandle::closeAsync);
    }

    /**
     * Releases holds under which no work was done.
     *
     * @param holds in the order of their acquisition
     * @return the failures or null, in the order of the holds
     */
    public static List<@Nullable Throwable> rollBack(List<? extends LockHandle> holds) {
        return release(holds, AwaitedRelease::beginRollBack, LockHandle::closeUnused);
    }

    private static List<@Nullable Throwable> release(
            List<? extends LockHandle> holds,
            Function<AwaitedRelease, @Nullable Runnable> begin,
            Function<LockHandle, CompletionStage<Void>> otherwise) {
        List<Supplier<@Nullable Throwable>> waits = new ArrayList<>();
        for (int i = holds.size() - 1; i >= 0; i--) {
            waits.add(begin(holds.get(i), begin, otherwise));
        }
        List<@Nullable Throwable> failures = new ArrayList<>();
        for (Supplier<@Nullable Throwable> wait : waits) {
            failures.add(wait.get());
        }
        Collections.reverse(failures);
        return failures;
    }

    private static Supplier<@Nullable Throwable> begin(
            LockHandle hold,
            Function<AwaitedRelease, @Nullable Runnable> begin,
            Function<LockHandle, CompletionStage<Void>> otherwise) {
        try {
            if (hold instanceof AwaitedRelease awaited) {
                Runnable end = begin.apply(awaited);
                return () -> failureOf(end);
            }
            CompletableFuture<@Nullable Throwable> end = otherwise
                    .apply(hold)
                    .<@Nullable Throwable>handle((done, failure) -> StageFailures.unwrap(failure))
                    .toCompletableFuture();
            return end::join;
        } catch (Throwable ex) {
            return () -> ex;
        }
    }

    private static @Nullable Throwable failureOf(@Nullable Runnable end) {
        try {
            if (end != null) {
                end.run();
            }
            return null;
        } catch (Throwable ex) {
            return ex;
        }
    }
}
