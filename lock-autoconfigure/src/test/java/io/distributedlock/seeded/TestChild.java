/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.seeded;

import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import io.distributedlock.testing.ChildRequests;
import io.distributedlock.testing.Noise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Another JVM that runs tests. Its arguments are the tests, its answer is a line for each: how it ended and, if it
 * failed, why.
 */
final class TestChild {

    private static final String TIMEOUT = "junit.jupiter.execution.timeout.default";

    private TestChild() {}

    public static void main(String[] args) {
        Noise.ignore();
        ChildRequests.serve(asked -> run(asked.arguments()));
    }

    private static String run(List<String> tests) throws ClassNotFoundException {
        Results results = new Results();
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (String test : tests) {
            NamedTest named = NamedTest.parse(test);
            selectors.add(named.selector());
            results.lines.put(named.toString(), "MISSING " + named);
        }
        LauncherFactory.create()
                .execute(
                        request()
                                .selectors(selectors)
                                .configurationParameter(TIMEOUT, "30 s")
                                .build(),
                        results);
        return String.join("\n", results.lines.values());
    }

    private static final class Results implements TestExecutionListener {

        private final Map<String, String> lines = new TreeMap<>();

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            Throwable failure = result.getThrowable().orElse(null);
            String name = nameOf(test);
            if (failure != null) {
                lines.put(
                        name, (test.isTest() && says(failure) ? "FAILED " : "BROKEN ") + name + " " + oneLine(failure));
            } else if (test.isTest() && result.getStatus() == Status.SUCCESSFUL) {
                lines.computeIfPresent(name, (key, line) -> line.startsWith("MISSING ") ? "PASSED " + name : line);
            }
        }

        private static String nameOf(TestIdentifier test) {
            return test.getSource()
                    .filter(MethodSource.class::isInstance)
                    .map(source -> ((MethodSource) source).getJavaMethod())
                    .map(method -> method.getDeclaringClass().getName() + "#" + method.getName())
                    .orElse(test.getUniqueId());
        }

        private static String oneLine(Throwable failure) {
            return failure.toString().replaceAll("\\s+", " ");
        }

        /** Whether the test itself says that something is wrong, and it is not that a class or a method is missing. */
        private static boolean says(Throwable failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof LinkageError || cause instanceof ReflectiveOperationException) {
                    return false;
                }
            }
            return failure instanceof AssertionError || failure instanceof ConditionTimeoutException;
        }
    }
}
