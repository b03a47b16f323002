/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import java.io.PrintStream;
import java.util.Locale;

/** One line that says how far we are. */
public final class Progress {

    private final PrintStream out;

    private final double expectedSeconds;

    /** Set by the script that runs this, which can tell. */
    private final boolean interactive = Boolean.getBoolean("benchmarks.terminal");

    private final long since = System.nanoTime();

    private double doneSeconds;

    private String last = "";

    public Progress(PrintStream out, double expectedSeconds) {
        this.out = out;
        this.expectedSeconds = Math.max(1, expectedSeconds);
    }

    /** Something begins. Without a terminal, only what differs in more than the contender is written. */
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

    /** That many of the expected seconds are behind us. */
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
