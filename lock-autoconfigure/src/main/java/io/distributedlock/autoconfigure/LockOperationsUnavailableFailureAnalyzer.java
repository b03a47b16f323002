/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Reports why there is no Redis for the locks, and what to add or define. */
@Order(0)
final class LockOperationsUnavailableFailureAnalyzer
        extends AbstractFailureAnalyzer<LockOperationsUnavailableException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LockOperationsUnavailableException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
