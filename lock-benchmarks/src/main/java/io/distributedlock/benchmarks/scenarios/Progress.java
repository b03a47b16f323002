/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import java.io.PrintStream;
import java.util.Locale;

/** One line that shows the progress of the run. */
public final class Progress {

    private final PrintStream out;

    private final double expectedSeconds;

    /** The script that starts the benchmarks sets this property, as it can detect a terminal. */
    private final boolean interactive = Boolean.getBoolean("benchmarks.terminal");

    private final long since = System.nanoTime();

    private double doneSeconds;

    private String last = "";

    public Progress(PrintStream out, double expectedSeconds) {
        this.out = out;
        this.expectedSeconds = Math.max(1, expectedSeconds);
    }

    /** Shows the step that begins. Without a terminal, a step that differs only in the contender is not written. */
    public void at(String scenario, String detail, String contender) {
        double elapsed = (System.nanoTime() - since) / 1e9;
        double share = Math.min(0.99, doneSeconds / expectedSeconds);
        double left = share > 0.02 ? elapsed / share - elapsed : expectedSeconds;
        String line = String.format(
                Locale.ROOT,
                "[%3.0f%%] %s, %s%s  (%s, about %s to go)",
                share * 100,
                scenario,
                detail,
                interactive ? ", " + contender : "",
                time(elapsed),
                time(left));
        if (interactive) {
            out.print("\r\u001b[K" + line);
            out.flush();
        } else if (!last.equals(scenario + detail)) {
            out.println(line);
            last = scenario + detail;
        }
    }

    /** Adds to the number of expected seconds that have passed. */
    void done(double seconds) {
        doneSeconds += seconds;
    }

    public void end(String text) {
        out.println((interactive ? "\r\u001b[K" : "") + text);
    }

    private static String time(double seconds) {
        return String.format(Locale.ROOT, "%d:%02d", (long) seconds / 60, (long) seconds % 60);
    }
}
