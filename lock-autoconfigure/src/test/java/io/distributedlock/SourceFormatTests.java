/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the formatter does not look at: it leaves comments and long literals as they are. */
class SourceFormatTests {

    private static final int COLUMNS = 120;

    @Test
    void noLineIsLongerThanTheFormatterMakesThem() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            List<String> tooLong = files.filter(SourceFormatTests::isSource)
                    .flatMap(SourceFormatTests::longLines)
                    .toList();
            assertThat(tooLong).isEmpty();
        }
    }

    private static boolean isSource(Path file) {
        String path = file.toString();
        return path.endsWith(".java") && path.contains("src") && !path.contains("target");
    }

    private static Stream<String> longLines(Path file) {
        try {
            List<String> lines = Files.readAllLines(file);
            return Stream.iterate(0, line -> line < lines.size(), line -> line + 1)
                    .filter(line ->
                            lines.get(line).codePointCount(0, lines.get(line).length()) > COLUMNS)
                    .map(line -> file + ":" + (line + 1));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
