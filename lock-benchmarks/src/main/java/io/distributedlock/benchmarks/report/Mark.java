/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.report;

import java.util.function.Function;

/** An expected result of the lock of this library. */
public record Mark(String scenario, String text, Function<Results, Verdict> check) {

    /** Whether the lock meets the mark. */
    public enum Outcome {
        MET,
        MISSED,
        NOT_MEASURED
    }

    /** The outcome, and the figure on which it is based. */
    public record Verdict(Outcome outcome, String measured) {

        public static Verdict of(boolean met, String measured) {
            return new Verdict(met ? Outcome.MET : Outcome.MISSED, measured);
        }

        public static Verdict notMeasured() {
            return new Verdict(Outcome.NOT_MEASURED, "–");
        }
    }
}
