/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

/** See {@link LockOperations#asLock}. Each thread unlocks what it has locked, in the reverse order. */
final class LockView implements Lock {

    private final LockOperations locks;

    private final LockRequest request;

    private final ViewHandles held = new ViewHandles();

    LockView(LockOperations locks, LockRequest request) {
        this.locks = locks;
        // A view is used again, so no time of its wait has passed.
        this.request = Objects.requireNonNull(request, "request").waited(Duration.ZERO);
    }

    @Override
    public void lock() {
        uninterruptibly(() -> push(locks.acquire(request.waitForever())));
    }

    /** An interrupted attempt is repeated; the flag is set again at the end. */
    private static <T> T uninterruptibly(Supplier<T> attempt) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return attempt.get();
                } catch (LockInterruptedException ex) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        throwIfInterrupted();
        try {
            push(locks.acquire(request.waitForever()));
        } catch (LockInterruptedException ex) {
            throw interrupted(ex);
        }
    }

    /** Not interruptible, as the contract of {@link Lock} requires. */
    @Override
    public boolean tryLock() {
        return uninterruptibly(
                () -> locks.tryAcquire(request.noWait()).map(this::push).isPresent());
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        throwIfInterrupted();
        Duration wait = Duration.ofNanos(Math.max(0, unit.toNanos(time)));
        try {
            return locks.tryAcquire(request.waitUpTo(wait)).map(this::push).isPresent();
        } catch (LockInterruptedException ex) {
            throw interrupted(ex);
        }
    }

    @Override
    public void unlock() {
        LockHandle handle = held.pop();
        if (handle == null) {
            throw new IllegalMonitorStateException(
                    "Lock '" + LockNames.show(request.name()) + "' is not held by this thread through this view");
        }
        handle.close();
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A distributed lock has no conditions");
    }

    private LockHandle push(LockHandle handle) {
        held.push(handle);
        return handle;
    }

    /** Locks that are free, or that the thread holds, may be granted without a wait that could be interrupted. */
    private void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("Lock '" + LockNames.show(request.name())
                    + "': the thread was interrupted before it requested the lock");
        }
    }

    private static InterruptedException interrupted(LockInterruptedException ex) {
        Thread.interrupted();
        InterruptedException interrupted = new InterruptedException(ex.getMessage());
        interrupted.initCause(ex);
        return interrupted;
    }

    @Override
    public String toString() {
        return "Lock[" + request + "]";
    }
}
