/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/** Until it is closed, a logger fails at each line and at each question for its level, as with a filter that throws. */
public final class FailingLog extends TurboFilter implements AutoCloseable {

    private final String logger;

    private final Runnable failure;

    private FailingLog(String logger, Runnable failure) {
        this.logger = logger;
        this.failure = failure;
    }

    public static FailingLog of(Class<?> logger) {
        return of(logger, () -> {
            throw new AssertionError("The logger fails, for the test");
        });
    }

    /** @param failure throws what the logger fails with, or does not */
    public static FailingLog of(Class<?> logger, Runnable failure) {
        FailingLog failing = new FailingLog(logger.getName(), failure);
        failing.start();
        context().addTurboFilter(failing);
        return failing;
    }

    private static LoggerContext context() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger of,
            Level level,
            @Nullable String format,
            Object @Nullable [] params,
            @Nullable Throwable thrown) {
        if (isStarted() && of.getName().equals(logger)) {
            failure.run();
        }
        return FilterReply.NEUTRAL;
    }

    @Override
    public void close() {
        stop();
        context().getTurboFilterList().remove(this);
    }
}
