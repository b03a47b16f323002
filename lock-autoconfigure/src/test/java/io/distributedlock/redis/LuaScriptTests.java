/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LuaScriptTests {

    private static final Path SCRIPTS = Path.of("src/main/resources/io/distributedlock/redis");

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static List<String> scripts() throws IOException {
        return files(SCRIPTS).stream()
                .map(file -> LuaScript.text(file.getFileName().toString()))
                .toList();
    }

    @Test
    void eachScriptContainsWhatItIncludes() throws IOException {
        assertThat(scripts()).hasSizeGreaterThan(7).noneMatch(script -> script.contains("@include"));
    }

    @Test
    void eachIncludedFileIsInAScript() throws IOException {
        List<String> scripts = scripts();
        for (Path file : files(SCRIPTS.resolve("include"))) {
            String text = Files.readString(file);
            assertThat(scripts).as("%s", file).anyMatch(script -> script.contains(text));
        }
    }

    @Test
    void aScriptThatIsMissingIsNamed() {
        assertThatIllegalStateException()
                .isThrownBy(() -> LuaScript.text("missing.lua"))
                .withMessageContaining("missing.lua");
    }
}
