/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Continuous integration runs a failed test again, as a slow machine can make one fail. A random test that has once
 * seen a {@link SafetyViolation} stays failed: that it sees none in the second run proves nothing.
 */
public final class SafetyViolations implements BeforeEachCallback, TestExecutionExceptionHandler {

    private static final Map<String, SafetyViolation> SEEN = new ConcurrentHashMap<>();

    @Override
    public void beforeEach(ExtensionContext context) {
        SafetyViolation before = SEEN.get(context.getUniqueId());
        if (before != null) {
            throw new SafetyViolation(
                    "This test has seen a violation of safety before: " + before.getMessage(), before);
        }
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof SafetyViolation violation) {
                SEEN.putIfAbsent(context.getUniqueId(), violation);
            }
        }
        throw failure;
    }
}
