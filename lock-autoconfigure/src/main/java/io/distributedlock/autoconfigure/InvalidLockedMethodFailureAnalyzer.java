/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.interceptor.InvalidLockedMethodException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Reports which method cannot be locked, the reason, and the remedy. */
@Order(0)
final class InvalidLockedMethodFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockedMethodException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockedMethodException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
