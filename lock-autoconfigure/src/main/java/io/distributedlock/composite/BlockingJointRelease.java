/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import io.distributedlock.LockHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The release of several holds by a thread that waits for it. All are sent, in the reverse order, before the thread
 * waits for the first reply. A release that fails, for lack of stack for example, does not keep the others. So, for the
 * handles of this library, the handling of a failure needs neither an object nor a class that is used for the first
 * time.
 */
public final class BlockingJointRelease {

    private final List<? extends LockHandle> holds;

    /** Whether no work was done under the holds. */
    private final boolean unused;

    private final @Nullable Runnable[] waits;

    private final @Nullable CompletableFuture<@Nullable Void>[] stages;

    private final @Nullable Throwable[] failures;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private BlockingJointRelease(List<? extends LockHandle> holds, boolean unused) {
        this.holds = holds;
        this.unused = unused;
        this.waits = new Runnable[holds.size()];
        this.stages = new CompletableFuture[holds.size()];
        this.failures = new Throwable[holds.size()];
    }

    /**
     * Releases the holds.
     *
     * @param holds in the order of their acquisition
     * @return the failures or null, in the order of the holds
     */
    public static List<@Nullable Throwable> close(List<? extends LockHandle> holds) {
        return begin(holds, false).await();
    }

    /**
     * Releases holds under which no work was done.
     *
     * @param holds in the order of their acquisition
     * @return the failures or null, in the order of the holds
     */
    public static List<@Nullable Throwable> rollBack(List<? extends LockHandle> holds) {
        return begin(holds, true).await();
    }

    /** Sends all releases. */
    static BlockingJointRelease begin(List<? extends LockHandle> holds, boolean unused) {
        BlockingJointRelease release = new BlockingJointRelease(holds, unused);
        for (int i = holds.size() - 1; i >= 0; i--) {
            try {
                release.send(i);
            } catch (Throwable ex) {
                release.failures[i] = ex;
            }
        }
        return release;
    }

    /** Waits for all replies. Returns the failures or null, in the order of the holds. */
    List<@Nullable Throwable> await() {
        for (int i = holds.size() - 1; i >= 0; i--) {
            try {
                await(i);
            } catch (Throwable ex) {
                failures[i] = stages[i] == null ? ex : StageFailures.unwrap(ex);
            }
        }
        return Arrays.asList(failures);
    }

    private void send(int i) {
        if (holds.get(i) instanceof AwaitedRelease awaited) {
            waits[i] = unused ? awaited.beginRollBack() : awaited.beginClose();
            return;
        }
        LockHandle hold = holds.get(i);
        if (holds.size() == 1 && !unused) {
            waits[i] = hold::close;
        } else {
            CompletionStage<@Nullable Void> stage =
                    unused ? ReleaseStages.closeUnused(hold) : ReleaseStages.close(hold);
            stages[i] = stage.toCompletableFuture();
        }
    }

    private void await(int i) {
        Runnable wait = waits[i];
        CompletableFuture<@Nullable Void> stage = stages[i];
        if (wait != null) {
            wait.run();
        } else if (stage != null) {
            stage.join();
        }
    }
}
