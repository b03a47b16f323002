/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The engine has no dependency on Redis or Spring Boot, and its messages do not name them either. */
class EngineVocabularyTests {

    private static final Path SOURCES = Path.of("src/main/java/io/distributedlock/engine");

    private static final Pattern LITERAL = Pattern.compile("\"(?:[^\"\\\\\\n]|\\\\.)*\"");

    private static final Pattern FOREIGN = Pattern.compile("Redis|Lettuce|Spring|distributed-lock\\.");

    private static List<String> literals() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            StringBuilder text = new StringBuilder();
            for (Path file : files.toList()) {
                text.append(Files.readString(file));
            }
            return LITERAL.matcher(text).results().map(MatchResult::group).toList();
        }
    }

    @Test
    void messagesNameNeitherRedisNorProperties() throws IOException {
        assertThat(literals()).hasSizeGreaterThan(100).noneMatch(FOREIGN.asPredicate());
    }
}
