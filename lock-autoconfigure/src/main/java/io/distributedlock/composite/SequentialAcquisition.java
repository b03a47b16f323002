/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The future of an asynchronous acquisition of several locks, one after the other. If it has ended without them, all of
 * them are released. A caller that gets a failure gets it when the other locks are free. The loss of a lock before the
 * last one is granted is a failure, and ends the wait for the next one.
 */
public final class SequentialAcquisition extends CompletableFuture<LockHandle> implements PartOfAcquisition {

    /** What is acquired. */
    public interface Steps {

        int size();

        /** Requests the lock with that number. Never blocks. */
        CompletionStage<LockHandle> request(int index);

        /** The result. If it throws, the acquisition fails with that. */
        LockHandle together(List<LockHandle> held);

        /** The failure for the caller, if the lock with that number was not acquired. */
        Throwable failure(int index, Throwable failure);
    }

    private final Steps steps;

    private final ReentrantLock guard = new ReentrantLock();

    /** Has room for all of them: a handle that was granted must not get lost for lack of memory. */
    @GuardedBy("guard")
    private final List<LockHandle> held;

    @GuardedBy("guard")
    private @Nullable CompletableFuture<LockHandle> acquiring;

    @GuardedBy("guard")
    private boolean ended;

    /** The handle with which this stage completes itself; any other comes from outside. */
    private volatile @Nullable LockHandle made;

    private SequentialAcquisition(Steps steps) {
        this.steps = steps;
        this.held = new ArrayList<>(steps.size());
    }

    /** Begins with the first lock. */
    public static SequentialAcquisition start(Steps steps) {
        SequentialAcquisition acquisition = new SequentialAcquisition(steps);
        acquisition.whenComplete((handle, failure) -> {
            if (handle == null || handle != acquisition.made) {
                acquisition.end();
            }
        });
        acquisition.proceed(acquisition::requestNext);
        return acquisition;
    }

    /** A failure outside of the steps, for lack of memory or stack, ends the acquisition as well. */
    private void proceed(Runnable next) {
        try {
            next.run();
        } catch (Throwable ex) {
            CompletableFuture<LockHandle> open = acquiring();
            CompletionStage<Void> released = end().whenAll();
            if (open != null) {
                // Its grant may not have been recorded. To close a handle again does nothing.
                open.thenAccept(handle -> JointRelease.rollBack(List.of(handle)));
            }
            released.whenComplete((done, none) -> completeExceptionally(ex));
        }
    }

    private @Nullable CompletableFuture<LockHandle> acquiring() {
        guard.lock();
        try {
            return acquiring;
        } finally {
            guard.unlock();
        }
    }

    /** Requests one lock after the other; continues in this loop as long as the results are available at once. */
    private void requestNext() {
        while (true) {
            CompletableFuture<LockHandle> next = next();
            if (next == null) {
                return;
            }
            if (!next.isDone()) {
                next.whenComplete((handle, failure) -> proceed(() -> {
                    if (take(handle, failure)) {
                        requestNext();
                    }
                }));
                return;
            }
            Throwable failure = next.handle((handle, ex) -> ex).join();
            if (!take(failure == null ? next.join() : null, failure)) {
                return;
            }
        }
    }

    /** The request for the next lock, or null if this stage has ended. */
    private @Nullable CompletableFuture<LockHandle> next() {
        int index = nextIndex();
        if (index < 0) {
            return null;
        }
        CompletableFuture<LockHandle> next = request(index);
        if (!recordRequest(next)) {
            cancel(next, null);
        }
        return next;
    }

    private int nextIndex() {
        guard.lock();
        try {
            return ended ? -1 : held.size();
        } finally {
            guard.unlock();
        }
    }

    /** Not under the guard: a cancellation must not wait for the code of other {@code LockOperations}. */
    private CompletableFuture<LockHandle> request(int index) {
        try {
            return steps.request(index).toCompletableFuture();
        } catch (Throwable ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    /** @return false if this stage has ended meanwhile */
    private boolean recordRequest(CompletableFuture<LockHandle> next) {
        guard.lock();
        try {
            acquiring = next;
            return !ended;
        } finally {
            guard.unlock();
        }
    }

    /** @return whether there are more locks to request */
    private boolean take(@Nullable LockHandle handle, @Nullable Throwable failure) {
        if (handle == null) {
            Throwable bare = StageFailures.unwrap(failure);
            Throwable lost = bare instanceof LockNotAcquiredException ? firstLost() : null;
            fail(lost != null ? lost : bare != null ? bare : StageFailures.withoutHandle(), null);
            return false;
        }
        boolean late;
        List<LockHandle> complete = null;
        guard.lock();
        try {
            late = ended;
            if (!late) {
                held.add(handle);
                complete = held.size() == steps.size() ? List.copyOf(held) : null;
            }
        } finally {
            guard.unlock();
        }
        if (late) {
            JointRelease.rollBack(List.of(handle));
        } else if (complete != null) {
            finish(complete);
        } else {
            handle.onLost((LossReaction) () -> lost(handle));
        }
        return !late && complete == null;
    }

    /** The loss of another one has precedence over a busy lock, also if its callback has not run yet. */
    private @Nullable Throwable firstLost() {
        List<LockHandle> parts;
        guard.lock();
        try {
            parts = List.copyOf(held);
        } finally {
            guard.unlock();
        }
        return LostPart.first(parts);
    }

    private void lost(LockHandle part) {
        Throwable failure = isIncomplete() ? LostPart.failure(part) : null;
        if (failure != null) {
            fail(failure, failure);
        }
    }

    private boolean isIncomplete() {
        guard.lock();
        try {
            return !ended && held.size() < steps.size();
        } finally {
            guard.unlock();
        }
    }

    private void finish(List<LockHandle> complete) {
        LockHandle own;
        try {
            own = steps.together(complete);
        } catch (Throwable ex) {
            end().whenAll().whenComplete((done, none) -> completeExceptionally(ex));
            return;
        }
        made = own;
        complete(own);
    }

    /**
     * Only the first failure counts: the end of the wait is another one, and comes before the locks are free.
     *
     * @param loss the same if a lock was lost while the next one was requested, otherwise null
     */
    private void fail(Throwable failure, @Nullable Throwable loss) {
        int index = heldCount();
        JointRelease release = endUnlessEnded(loss);
        if (release != null) {
            release.whenAll().whenComplete((done, none) -> completeExceptionally(reported(index, failure)));
        }
    }

    private Throwable reported(int index, Throwable failure) {
        try {
            return steps.failure(index, failure);
        } catch (RuntimeException | Error ex) {
            if (ex != failure) {
                failure.addSuppressed(ex);
            }
            return failure;
        }
    }

    private int heldCount() {
        guard.lock();
        try {
            return held.size();
        } finally {
            guard.unlock();
        }
    }

    private @Nullable JointRelease endUnlessEnded(@Nullable Throwable loss) {
        guard.lock();
        try {
            if (ended) {
                return null;
            }
            ended = true;
        } finally {
            guard.unlock();
        }
        return end(loss);
    }

    private JointRelease end() {
        return end(null);
    }

    /** Cancelled, timed out or failed: ends the wait and releases the granted locks. */
    private JointRelease end(@Nullable Throwable loss) {
        List<LockHandle> granted;
        CompletableFuture<LockHandle> open;
        guard.lock();
        try {
            ended = true;
            granted = new ArrayList<>(held);
            held.clear();
            open = acquiring;
        } finally {
            guard.unlock();
        }
        if (open != null) {
            cancel(open, loss);
        }
        return JointRelease.rollBack(granted);
    }

    /** Of several locks that are one of several. */
    @Override
    public void endAfterLoss(Throwable loss) {
        endUnlessEnded(loss);
        cancel(false);
    }

    private static void cancel(CompletableFuture<LockHandle> request, @Nullable Throwable loss) {
        try {
            if (request instanceof PartOfAcquisition part && loss != null) {
                part.endAfterLoss(loss);
            } else {
                request.cancel(false);
            }
        } catch (RuntimeException | Error ex) {
            // The request remains; a late grant is released.
        }
    }
}
