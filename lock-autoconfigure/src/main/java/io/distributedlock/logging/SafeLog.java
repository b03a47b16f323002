/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.logging;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A log whose methods throw nothing: most lines stand between two changes of a state, and an appender or a filter of
 * the application may throw. A level counts as off if the logger cannot say.
 *
 * <p>A failure may fail again when it is logged, since its message cannot be made, or memory or stack has run out: then
 * its type is logged, and if that fails too, nothing. Of lines without a failure, the first that cannot be logged is
 * reported.
 */
public final class SafeLog implements Log {

    private final Log log;

    private final AtomicBoolean reported = new AtomicBoolean();

    private SafeLog(Log log) {
        this.log = log;
    }

    /** The log of that class. */
    public static Log of(Class<?> type) {
        return new SafeLog(LogFactory.getLog(type));
    }

    /** A method of {@link Log} with a message. */
    private interface Line {
        void write(Log log, @Nullable Object message);
    }

    /** A method of {@link Log} with a message and a failure. */
    private interface LineOfFailure {
        void write(Log log, @Nullable Object message, @Nullable Throwable failure);
    }

    /** A method of {@link Log} about a level. */
    private interface Level {
        boolean isEnabled(Log log);
    }

    private void write(Line line, @Nullable Object message) {
        Throwable thrown;
        try {
            line.write(log, message);
            return;
        } catch (Throwable ex) {
            thrown = ex;
        }
        try {
            if (reported.compareAndSet(false, true)) {
                log.error("A line could not be logged: " + thrown.getClass().getName());
            }
        } catch (Throwable unloggable) {
            // There is nothing left that could be tried.
        }
    }

    private void write(LineOfFailure line, @Nullable Object message, @Nullable Throwable failure) {
        try {
            line.write(log, message, failure);
            return;
        } catch (Throwable unloggable) {
            // Its type is logged instead.
        }
        try {
            log.error(message + ": "
                    + (failure == null ? null : failure.getClass().getName()));
        } catch (Throwable unloggable) {
            // There is nothing left that could be tried.
        }
    }

    private boolean isEnabled(Level level) {
        try {
            return level.isEnabled(log);
        } catch (Throwable unknown) {
            return false;
        }
    }

    @Override
    public boolean isTraceEnabled() {
        return isEnabled(Log::isTraceEnabled);
    }

    @Override
    public void trace(@Nullable Object message) {
        write(Log::trace, message);
    }

    @Override
    public void trace(@Nullable Object message, @Nullable Throwable failure) {
        write(Log::trace, message, failure);
    }

    @Override
    public boolean isDebugEnabled() {
        return isEnabled(Log::isDebugEnabled);
    }

    @Override
    public void debug(@Nullable Object message) {
        write(Log::debug, message);
    }

    @Override
    public void debug(@Nullable Object message, @Nullable Throwable failure) {
        write(Log::debug, message, failure);
    }

    @Override
    public boolean isInfoEnabled() {
        return isEnabled(Log::isInfoEnabled);
    }

    @Override
    public void info(@Nullable Object message) {
        write(Log::info, message);
    }

    @Override
    public void info(@Nullable Object message, @Nullable Throwable failure) {
        write(Log::info, message, failure);
    }

    @Override
    public boolean isWarnEnabled() {
        return isEnabled(Log::isWarnEnabled);
    }

    @Override
    public void warn(@Nullable Object message) {
        write(Log::warn, message);
    }

    @Override
    public void warn(@Nullable Object message, @Nullable Throwable failure) {
        write(Log::warn, message, failure);
    }

    @Override
    public boolean isErrorEnabled() {
        return isEnabled(Log::isErrorEnabled);
    }

    @Override
    public void error(@Nullable Object message) {
        write(Log::error, message);
    }

    @Override
    public void error(@Nullable Object message, @Nullable Throwable failure) {
        write(Log::error, message, failure);
    }

    @Override
    public boolean isFatalEnabled() {
        return isEnabled(Log::isFatalEnabled);
    }

    @Override
    public void fatal(@Nullable Object message) {
        write(Log::fatal, message);
    }

    @Override
    public void fatal(@Nullable Object message, @Nullable Throwable failure) {
        write(Log::fatal, message, failure);
    }
}
