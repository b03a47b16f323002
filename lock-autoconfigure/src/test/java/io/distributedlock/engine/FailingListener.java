/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener;
import io.distributedlock.LockOrigin;
import org.jspecify.annotations.Nullable;

/** A listener whose methods, but the first, throw what a compiler of another language lets them throw. */
class FailingListener implements LockListener, LockListener.Attempt {

    private final Throwable failure;

    FailingListener(Throwable failure) {
        this.failure = failure;
    }

    @SuppressWarnings("unchecked")
    static <T extends Throwable> RuntimeException sneak(Throwable failure) throws T {
        throw (T) failure;
    }

    private RuntimeException fail() {
        throw FailingListener.<RuntimeException>sneak(failure);
    }

    @Override
    public Attempt requested(String lockName, LockOrigin origin) {
        return this;
    }

    @Override
    public void reentered(String lockName, LockOrigin origin) {
        throw fail();
    }

    @Override
    public void lost(String lockName, LockOrigin origin, Loss loss) {
        throw fail();
    }

    @Override
    public void commandCompleted(Command command, CommandOutcome outcome, long nanos) {
        throw fail();
    }

    @Override
    public void renewed(Renewal result) {
        throw fail();
    }

    @Override
    public void acquired(Path path, long waited) {
        throw fail();
    }

    @Override
    public void refused(Refusal refusal, long waited) {
        throw fail();
    }

    @Override
    public void ended(End end, long held) {
        throw fail();
    }

    @Override
    public @Nullable String traceId() {
        return null;
    }
}
