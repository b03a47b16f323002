/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Reports unknown properties, their places, and the properties that were probably meant. */
@Order(0)
final class UnknownLockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnknownLockPropertyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnknownLockPropertyException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
