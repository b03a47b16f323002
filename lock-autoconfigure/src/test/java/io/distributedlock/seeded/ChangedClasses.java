/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.seeded;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** A directory that goes ahead of the class path. */
final class ChangedClasses {

    private static final Path JAVA = Path.of("src", "main", "java");

    private static final Path RESOURCES = Path.of("src", "main", "resources");

    private final Path directory;

    ChangedClasses(Path directory) {
        this.directory = directory;
    }

    /** Puts there what the build would make of that file if this were its text. */
    void put(Path file, String text) throws IOException {
        Path inModule = file.subpath(2, file.getNameCount());
        if (inModule.startsWith(JAVA)) {
            compile(JAVA.relativize(inModule), text);
        } else {
            Path resource = directory.resolve(RESOURCES.relativize(inModule));
            Files.createDirectories(resource.getParent());
            Files.writeString(resource, text);
        }
    }

    private void compile(Path file, String text) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of(
                "--release",
                "17",
                "-parameters",
                "-proc:none",
                "-nowarn",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                directory.toString());
        StringWriter errors = new StringWriter();
        if (!compiler.getTask(errors, null, null, options, null, List.of(new Source(file, text)))
                .call()) {
            throw new AssertionError(file + " does not compile:\n" + errors);
        }
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(Path file, String text) {
            super(URI.create("string:///" + file), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
