package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Interrupts the thread that runs a method when its lock is lost, and takes the interrupt back when the method has ended. The
 * two cannot cross: from {@link #end()} on, no interrupt comes.
 */
final class LossInterrupt {

    private final Thread thread = Thread.currentThread();

    private boolean running = true;

    private boolean interrupted;

    /** To be called by the thread that runs the method. */
    static LossInterrupt of(LockHandle handle) {
        LossInterrupt interrupt = new LossInterrupt();
        handle.onLost(interrupt::lost);
        return interrupt;
    }

    private synchronized void lost() {
        if (running) {
            interrupted = true;
            thread.interrupt();
        }
    }

    /**
     * The method has ended; if it was interrupted by the loss, the flag is cleared.
     *
     * @return whether it was
     */
    synchronized boolean end() {
        running = false;
        if (interrupted) {
            Thread.interrupted();
        }
        return interrupted;
    }

    /** Whether a method failed like this because it was interrupted. */
    static boolean isConsequence(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof InterruptedException
                    || cause instanceof InterruptedIOException
                    || cause instanceof ClosedByInterruptException
                    || cause instanceof LockInterruptedException) {
                return true;
            }
        }
        return false;
    }
}
