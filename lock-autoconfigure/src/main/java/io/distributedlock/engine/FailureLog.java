/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import org.apache.commons.logging.Log;

/**
 * Logs failures where a thread has to go on whatever happens. A failure may fail again when it is logged, since its
 * message cannot be made, or memory or stack has run out: then its type is logged, and if that fails too, nothing.
 */
final class FailureLog {

    private FailureLog() {}

    static void error(Log log, String message, Throwable failure) {
        try {
            log.error(message, failure);
        } catch (Throwable unloggable) {
            errorOf(log, message, failure.getClass());
        }
    }

    private static void errorOf(Log log, String message, Class<?> type) {
        try {
            log.error(message + ": " + type.getName());
        } catch (Throwable unloggable) {
            // There is nothing left that could be tried.
        }
    }

    static void warn(Log log, String message, Throwable failure) {
        try {
            log.warn(message, failure);
        } catch (Throwable unloggable) {
            errorOf(log, message, failure.getClass());
        }
    }

    static void debug(Log log, String message, Throwable failure) {
        try {
            log.debug(message, failure);
        } catch (Throwable unloggable) {
            errorOf(log, message, failure.getClass());
        }
    }
}
