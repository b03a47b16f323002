/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread that runs a method when its lock is lost, and clears the interrupt when the method has ended.
 * The two cannot cross: after {@link #end()}, there is no interrupt. These objects nest as methods do; an interrupt
 * that an inner one clears may have been meant for an outer one, which is then interrupted again.
 */
final class InterruptOnLoss {

    private static final ThreadLocal<@Nullable InterruptOnLoss> INNERMOST = new ThreadLocal<>();

    /** More than any chain of causes has, unless it is cyclic. */
    private static final int MOST_CAUSES = 100;

    private final Thread thread = Thread.currentThread();

    private final @Nullable InterruptOnLoss outer = INNERMOST.get();

    /** Whether outer ones were interrupted before this began. */
    private final boolean outerBefore = outer != null && outer.isMeant();

    private final Nesting nesting = outer == null ? new Nesting() : outer.nesting;

    @GuardedBy("nesting")
    private boolean running = true;

    @GuardedBy("nesting")
    private boolean interrupted;

    /** What all nested ones of a thread have in common, and their monitor. */
    private static final class Nesting {

        /** Whether the latest interrupt was caused by a loss. */
        @GuardedBy("this")
        private boolean byLoss;
    }

    private InterruptOnLoss() {}

    /** Called by the thread that runs the method, which has to call {@link #end()}. */
    static InterruptOnLoss of(LockHandle handle) {
        InterruptOnLoss interrupt = new InterruptOnLoss();
        MultiLockHandle.onInterruptingLoss(handle, interrupt::lost);
        INNERMOST.set(interrupt);
        return interrupt;
    }

    /** An interrupt that another caller has caused before stays, and has the same effect on the method. */
    private void lost() {
        synchronized (nesting) {
            if (running && (nesting.byLoss || !thread.isInterrupted())) {
                interrupted = true;
                nesting.byLoss = true;
                thread.interrupt();
            }
        }
    }

    /**
     * The method has ended: an interrupt by the loss of its lock is cleared. One by the loss of an outer lock continues
     * there.
     */
    void end() {
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
        synchronized (nesting) {
            running = false;
            if (interrupted) {
                Thread.interrupted();
                nesting.byLoss = false;
            }
            if (outer != null && !outerBefore && outer.isMeant()) {
                nesting.byLoss = true;
                thread.interrupt();
            }
        }
    }

    /** Whether this one or an outer one was interrupted. */
    private boolean isMeant() {
        synchronized (nesting) {
            return interrupted || (outer != null && outer.isMeant());
        }
    }

    /** Whether an interrupt caused this failure of a method. */
    static boolean isConsequence(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
            if (cause instanceof InterruptedException
                    || (cause instanceof InterruptedIOException && !(cause instanceof SocketTimeoutException))
                    || cause instanceof ClosedByInterruptException
                    || cause instanceof FileLockInterruptionException
                    || cause instanceof LockInterruptedException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }
}
