/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.slf4j.LoggerFactory;

class SafeLogTests {

    static final List<Consumer<Log>> CALLS = List.of(
            log -> log.trace("line"),
            log -> log.debug("line"),
            log -> log.info("line"),
            log -> log.warn("line"),
            log -> log.error("line"),
            log -> log.fatal("line"),
            log -> log.trace("line", new Exception()),
            log -> log.debug("line", new Exception()),
            log -> log.info("line", new Exception()),
            log -> log.warn("line", new Exception()),
            log -> log.error("line", new Exception()),
            log -> log.fatal("line", new Exception()));

    static final List<Predicate<Log>> QUESTIONS = List.of(
            Log::isTraceEnabled,
            Log::isDebugEnabled,
            Log::isInfoEnabled,
            Log::isWarnEnabled,
            Log::isErrorEnabled,
            Log::isFatalEnabled);

    private final Logger logger = (Logger) LoggerFactory.getLogger(SafeLogTests.class);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    private final Log log = SafeLog.of(SafeLogTests.class);

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
    }

    @ParameterizedTest
    @FieldSource("CALLS")
    void noLineThrows(Consumer<Log> call) {
        try (FailingLog failing = FailingLog.of(SafeLogTests.class)) {
            call.accept(log);
            assertThat(failing.isStarted()).isTrue();
        }
        assertThat(lines.list).isEmpty();
    }

    @ParameterizedTest
    @FieldSource("QUESTIONS")
    void aLevelIsOffIfTheLoggerCannotSay(Predicate<Log> isEnabled) {
        try (FailingLog failing = FailingLog.of(SafeLogTests.class)) {
            assertThat(isEnabled.test(log)).isFalse();
            assertThat(failing.isStarted()).isTrue();
        }
        assertThat(isEnabled.test(log)).isEqualTo(isEnabled.test(LogFactory.getLog(SafeLogTests.class)));
    }

    @Test
    void theFirstLineThatCannotBeLoggedIsReported() {
        failing(log::info);
        failing(log::info);

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("A line could not be logged: java.lang.StackOverflowError");
    }

    @Test
    void theTypeOfAFailureIsLoggedIfTheFailureCannotBe() {
        BiConsumer<Object, Throwable> warn = log::warn;
        failing(message -> warn.accept(message, new IllegalStateException()));

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("line: java.lang.IllegalStateException");
    }

    /** The logger fails once. */
    private static void failing(Consumer<Object> call) {
        AtomicBoolean failed = new AtomicBoolean();
        try (FailingLog failing = FailingLog.of(SafeLogTests.class, () -> {
            if (failed.compareAndSet(false, true)) {
                throw new StackOverflowError("for the test");
            }
        })) {
            call.accept("line");
            assertThat(failing.isStarted()).isTrue();
        }
    }
}
