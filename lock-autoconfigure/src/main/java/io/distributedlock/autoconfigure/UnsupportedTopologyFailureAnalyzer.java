/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.redis.UnsupportedTopologyException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Reports that locks do not support the application's Redis. */
@Order(0)
final class UnsupportedTopologyFailureAnalyzer extends AbstractFailureAnalyzer<UnsupportedTopologyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnsupportedTopologyException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Define a bean 'new RedisLockTemplate(…)' with a LettuceConnectionFactory for a server,"
                        + " Sentinel, a list of a master and its replicas, or a cluster; it replaces the"
                        + " auto-configured one. To run without locks, set distributed-lock.enabled=false.",
                cause);
    }
}
