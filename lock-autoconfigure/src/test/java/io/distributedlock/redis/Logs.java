/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What is logged meanwhile, from some level on. */
final class Logs extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

    private final Level from;

    private Logs(Level from) {
        this.from = from;
    }

    static Logs capture(Level from) {
        Logs logs = new Logs(from);
        logs.start();
        root().addAppender(logs);
        return logs;
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(from)) {
            event.prepareForDeferredProcessing();
            events.add(event);
        }
    }

    List<ILoggingEvent> events() {
        return events;
    }

    /** The lines of loggers below that name. */
    List<String> of(String logger) {
        return events.stream()
                .filter(event -> event.getLoggerName().startsWith(logger))
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    @Override
    public void close() {
        root().detachAppender(this);
        stop();
    }
}
