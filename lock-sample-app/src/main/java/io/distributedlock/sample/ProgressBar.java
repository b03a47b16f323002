package io.distributedlock.sample;

import java.io.PrintStream;

/** Draws how far a sale is, over and over in the same line. */
final class ProgressBar {

    private static final int WIDTH = 40;

    private final PrintStream out;

    private String shown = "";

    ProgressBar(PrintStream out) {
        this.out = out;
    }

    void show(SaleReport report) {
        int done = report.customers() == 0 ? 0 : Math.min(WIDTH, WIDTH * report.served() / report.customers());
        String bar = "  [" + "#".repeat(done) + ".".repeat(WIDTH - done) + "]";
        if (!bar.equals(shown)) {
            out.print("\r" + bar + " sold " + report.sold() + " of " + report.stock());
            out.flush();
            shown = bar;
        }
    }
}
