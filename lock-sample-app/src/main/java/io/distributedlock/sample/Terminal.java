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

/** Writes plain lines and, where a person watches, a progress bar that is drawn over and over in the same line. */
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

    /** Shows how far a sale is. In a pipe or a file nothing is written: the result comes as a line. */
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

    /** From Java 22 on there may be a console although nobody watches; it says so itself. */
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
