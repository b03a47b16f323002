/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each row of docs/known-failures.md names tests that exist. */
class KnownFailuresTests {

    private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`");

    @Test
    void eachHasItsTest() throws IOException {
        List<String> rows = Files.readAllLines(Path.of("..", "docs", "known-failures.md")).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| failure |"))
                .toList();
        assertThat(rows).hasSize(45).allMatch(row -> TEST.matcher(row).find());

        Map<String, String> sources = sources();
        List<String> missing = rows.stream()
                .flatMap(row -> TEST.matcher(row).results())
                .filter(test -> !sources.getOrDefault(test.group(1), "").contains(" void " + test.group(2) + "("))
                .map(test -> test.group(1) + "#" + test.group(2))
                .toList();
        assertThat(missing).isEmpty();
    }

    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        try (Stream<Path> files = Files.walk(Path.of("src", "test", "java"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
            }
        }
        return sources;
    }
}
