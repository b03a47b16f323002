/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.HistoryReport;
import io.distributedlock.redis.history.Model;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The table of all rows that were played. */
final class MatrixReport {

    private static final List<String> HEAD = List.of(
            "| row | fault | model | phases | hits | operations | unknown | holds | overlaps | late passes | stale"
                    + " writes refused | worst hand-over | violations |",
            "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");

    private final List<String> lines = new ArrayList<>(HEAD);

    void add(FaultRow<?> row, int phases, int hits, HistoryReport verdict) {
        lines.add(String.format(
                Locale.ROOT,
                "| %s | %s | %s | %d | %d | %d | %.2f %% | %d | %d | %d | %d | %d ms | %d |",
                row.id(),
                row.what(),
                row.model() == Model.NO_LOSS ? "A" : "B",
                phases,
                hits,
                verdict.operations(),
                100 * verdict.unknownShare(),
                verdict.grants(),
                verdict.overlaps(),
                verdict.latePasses(),
                verdict.refusedWrites(),
                verdict.worstHandOver().toMillis(),
                verdict.violationsInAll()));
    }

    void write(Path file) {
        try {
            Files.createDirectories(file.getParent());
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
