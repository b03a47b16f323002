/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import java.io.Console;
import java.io.PrintStream;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/** Writes plain lines and, in an interactive terminal, a progress bar that is redrawn in the same line. */
@Component
class Terminal {

    private static final int WIDTH = 40;

    private final ReentrantLock lock = new ReentrantLock();

    private final PrintStream out;

    private final boolean interactive;

    private String shown = "";

    @Autowired
    Terminal() {
        this(System.out, interactive(System.console()));
    }

    Terminal(PrintStream out, boolean interactive) {
        this.out = out;
        this.interactive = interactive;
    }

    /** Writes a line of its own, below the bar if there is one. */
    void line(String text) {
        lock.lock();
        try {
            if (!shown.isEmpty()) {
                out.println();
                shown = "";
            }
            out.println(text);
        } finally {
            lock.unlock();
        }
    }

    /** Shows the progress of a sale. A pipe or a file gets no progress, only the line with the result. */
    void progress(SaleReport report) {
        int done = report.customers() == 0 ? 0 : Math.min(WIDTH, WIDTH * report.served() / report.customers());
        String bar = "  [" + "#".repeat(done) + ".".repeat(WIDTH - done) + "]";
        lock.lock();
        try {
            if (interactive && !bar.equals(shown)) {
                out.print("\r" + bar + " sold " + report.sold() + " of " + report.stock());
                out.flush();
                shown = bar;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Since Java 22, a console can exist without a terminal; {@code isTerminal} shows the difference. */
    private static boolean interactive(@Nullable Console console) {
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException ex) {
            return true;
        } catch (ReflectiveOperationException ex) {
            return false;
        }
    }
}
