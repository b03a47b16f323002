/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.report;

import java.util.function.Function;

/** What is expected of our lock. */
public record Mark(String scenario, String text, Function<Results, Verdict> check) {

    /** How it came out. */
    public enum Outcome {
        MET,
        MISSED,
        NOT_MEASURED
    }

    /** How it came out, and on account of what. */
    public record Verdict(Outcome outcome, String measured) {

        public static Verdict of(boolean met, String measured) {
            return new Verdict(met ? Outcome.MET : Outcome.MISSED, measured);
        }

        public static Verdict notMeasured() {
            return new Verdict(Outcome.NOT_MEASURED, "–");
        }
    }
}
