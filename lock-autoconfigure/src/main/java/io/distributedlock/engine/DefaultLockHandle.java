/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockHandle;
import io.distributedlock.LockListener.End;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNames;
import io.distributedlock.LockRequest;
import io.distributedlock.composite.AwaitedRelease;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** One entry into a {@link Hold}, by its owner itself. */
class DefaultLockHandle implements LockHandle, AwaitedRelease {

    /** The value of {@link #closed} after the close of an entry whose hold continues: no later loss is one of it. */
    private static final int LEFT = 2;

    private final Hold hold;

    /** Keeps the hold from counting as abandoned while this handle is reachable and may be closed. */
    private volatile @Nullable HandleAnchor anchor;

    /** A close needs little stack, since it may follow an overflow: a {@link java.lang.invoke.VarHandle} takes more. */
    private static final AtomicIntegerFieldUpdater<DefaultLockHandle> CLOSED =
            AtomicIntegerFieldUpdater.newUpdater(DefaultLockHandle.class, "closed");

    private volatile int closed;

    DefaultLockHandle(Hold hold, HandleAnchor anchor) {
        this.hold = hold;
        this.anchor = anchor;
    }

    /** Whether the hold's owner has made this entry itself. */
    boolean isByOwner() {
        return true;
    }

    @Override
    public String name() {
        return hold.name();
    }

    @Override
    public long fencingToken() {
        return hold.token;
    }

    @Override
    public boolean isHeld() {
        return closed == 0 && hold.isHeld(engine().now());
    }

    @Override
    public Duration remainingLease() {
        return closed != 0 ? Duration.ZERO : Duration.ofNanos(hold.remaining(engine().now()));
    }

    @Override
    public void extend(Duration lease) {
        LockRequest.requireLease(lease);
        if (closed != 0) {
            throw new LockLostException(name(), "Lock '" + name() + "': the handle is already closed", Duration.ZERO);
        }
        engine().calls().extend(hold, ResolvedRequest.nanos(lease));
    }

    @Override
    public void onLost(Runnable callback) {
        Objects.requireNonNull(callback, "callback");
        hold.lock.checkDeadline();
        HandleAnchor kept = anchor;
        if (closed != LEFT && kept != null && hold.onLost(this, kept, callback)) {
            // Also if it was closed after its loss.
            CallbackPool.run(callback);
        }
        if (closed != 0) {
            // It was closed meanwhile, perhaps before the callback was added.
            dropCallbacks(kept);
        }
    }

    @Override
    public void throwIfLost() {
        LockLostException loss = closed == LEFT ? null : loss();
        if (loss != null) {
            throw loss;
        }
    }

    @Override
    public void close() {
        Runnable end = beginClose();
        if (end != null) {
            end.run();
        }
    }

    @Override
    public @Nullable Runnable beginClose() {
        return beginClose(false);
    }

    @Override
    public @Nullable Runnable beginRollBack() {
        return beginClose(true);
    }

    private @Nullable Runnable beginClose(boolean unused) {
        if (!CLOSED.compareAndSet(this, 0, 1) || exitNested()) {
            return null;
        }
        if (unused) {
            hold.waiveMinHold();
        }
        PendingRelease release = leaveLastOrLater();
        LockLostException loss = loss();
        if (loss != null || release == null) {
            reportEnd(loss);
        }
        if (loss != null) {
            return () -> {
                throw loss;
            };
        }
        return release == null ? null : engine().calls().releasing(hold, release);
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        return closeAsync(false);
    }

    @Override
    public CompletionStage<Void> closeUnused() {
        return closeAsync(true);
    }

    private CompletionStage<Void> closeAsync(boolean unused) {
        if (!CLOSED.compareAndSet(this, 0, 1) || exitNested()) {
            return CompletableFuture.completedFuture(null);
        }
        if (unused) {
            hold.waiveMinHold();
        }
        PendingRelease release = leaveLastOrLater();
        LockLostException loss = loss();
        if (loss != null || release == null) {
            reportEnd(loss);
        }
        if (loss != null) {
            return CompletableFuture.failedFuture(loss);
        }
        return release == null
                ? CompletableFuture.completedFuture(null)
                : engine().calls().releasedAsync(hold, release);
    }

    /** Closes without a wait, for a grant that no caller takes any more. */
    void abandon() {
        if (CLOSED.compareAndSet(this, 0, 1)) {
            if (!exitNested()) {
                hold.waiveMinHold();
                leaveLastOrLater();
                reportEnd(null);
            }
        }
    }

    /** Unless nested work continues in it. */
    private void reportEnd(@Nullable LockLostException loss) {
        if (loss != null) {
            engine().listening().ended(hold, End.LOST);
        } else if (hold.isClosed()) {
            engine().listening().ended(hold, End.RELEASED);
        }
    }

    Hold hold() {
        return hold;
    }

    private boolean exitNested() {
        boolean inner;
        try {
            inner = hold.lock.exitNested(hold, isByOwner());
        } catch (RuntimeException | Error ex) {
            closed = 0;
            engine().doLater(this::closeLater);
            throw ex;
        }
        if (inner) {
            left();
        }
        return inner;
    }

    /** Its caller considers it closed, so the timer's thread closes it. If that fails, it is repeated. */
    private void closeLater() {
        if (!CLOSED.compareAndSet(this, 0, 1)) {
            return;
        }
        boolean inner;
        try {
            inner = hold.lock.exitNested(hold, isByOwner());
        } catch (RuntimeException | Error ex) {
            closed = 0;
            throw ex;
        }
        if (inner) {
            left();
        } else {
            try {
                leaveLast();
            } catch (RuntimeException | Error ex) {
                reopenUnlessEnded();
                throw ex;
            }
            LockLostException loss = loss();
            engine().callbacks().event(() -> reportEnd(loss));
        }
    }

    private void left() {
        closed = LEFT;
        dropCallbacks();
    }

    /** Not those of a hold that was lost before: they are about to be run, and the anchor keeps them until then. */
    private void dropCallbacks() {
        dropCallbacks(anchor);
    }

    private void dropCallbacks(@Nullable HandleAnchor kept) {
        if (kept != null && !hold.isLost()) {
            kept.drop(this);
            anchor = null;
        }
    }

    /** If the lock cannot be left, as after an overflow of the stack, the timer's thread does it. */
    private @Nullable PendingRelease leaveLastOrLater() {
        try {
            return leaveLast();
        } catch (RuntimeException | Error ex) {
            if (reopenUnlessEnded()) {
                engine().doLater(this::closeLater);
            }
            throw ex;
        }
    }

    /** @return false if the hold has ended, so that closing the handle again would do nothing */
    private boolean reopenUnlessEnded() {
        boolean open = !hold.hasEnded();
        if (open) {
            closed = 0;
        }
        return open;
    }

    /** The anchor goes last: until then, a handle is there to close it. */
    private @Nullable PendingRelease leaveLast() {
        boolean left = false;
        try {
            PendingRelease release = hold.lock.exit(hold, isByOwner());
            left = true;
            engine().lockLog().released(hold);
            return release;
        } finally {
            if (left || hold.hasEnded()) {
                dropCallbacks();
            }
        }
    }

    private @Nullable LockLostException loss() {
        if (hold.isExpired(engine().now())) {
            hold.lock.checkDeadline();
        }
        return hold.loss();
    }

    private EngineContext engine() {
        return hold.lock.engine;
    }

    @Override
    public String toString() {
        return "LockHandle[name=" + LockNames.show(name()) + ", token=" + fencingToken() + ", held=" + isHeld() + "]";
    }
}
