/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.seeded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A bug that this library does not have, and the tests that would notice it. */
record SeededBug(String id, List<NamedTest> tests, Patch patch) {

    static final Path DIFFS = Path.of("..", "docs", "seeded-bugs");

    private static final Path TABLE = Path.of("..", "docs", "seeded-bugs.md");

    private static final Pattern ROW =
            Pattern.compile("\\| \\[([a-z-]+)]\\(seeded-bugs/\\1\\.diff\\) \\| .+ \\| (.+) \\|");

    private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`");

    /** Those of the table that people read. */
    static List<SeededBug> all() throws IOException {
        List<SeededBug> all = new ArrayList<>();
        for (String line : Files.readAllLines(TABLE)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                all.add(read(row.group(1), row.group(2)));
            } else if (line.startsWith("| [")) {
                throw new AssertionError("This row is not like the others: " + line);
            }
        }
        return all;
    }

    private static SeededBug read(String id, String tests) throws IOException {
        List<NamedTest> named = new ArrayList<>();
        for (MatchResult test : TEST.matcher(tests).results().toList()) {
            named.add(NamedTest.find(test.group(1), test.group(2)));
        }
        if (named.isEmpty()) {
            throw new AssertionError("No test is named for " + id);
        }
        return new SeededBug(id, List.copyOf(named), Patch.read(DIFFS.resolve(id + ".diff")));
    }

    @Override
    public String toString() {
        return id;
    }
}
