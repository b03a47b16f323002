/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Starts child processes that never outlive this JVM, however it ends.
 *
 * <p>A small shell reads from a pipe whose only writer is this JVM. When the JVM is gone, even by SIGKILL, the pipe
 * ends; the shell then kills the children (also stopped ones), removes their directories, and ends itself. If the shell
 * dies first, another one takes its place. A child waits for a line from us before it becomes the real program, so it
 * is already watched by then; if we die before, it reads the end of its input and is gone.
 */
final class Guardian {

    private static final String SCRIPT = """
            trap '' INT TERM HUP
            pids=' '
            while read -r what value; do
                case $what in
                    watch) pids="$pids$value " ;;
                    ended) case $pids in *" $value "*) pids="${pids%% "$value" *} ${pids#* "$value" }" ;; esac ;;
                    directory) set -- "$@" "$value" ;;
                esac
            done
            for pid in $pids; do kill -KILL "$pid"; done
            for directory in "$@"; do rm -rf "$directory"; done
            """;

    private static final Guardian INSTANCE = new Guardian();

    private final Set<Long> children = new LinkedHashSet<>();

    private final Set<Path> directories = new LinkedHashSet<>();

    private @Nullable Process shell;

    private Guardian() {}

    /** Starts the process. Its standard input is a pipe, of which the first line is already used up. */
    static Process start(ProcessBuilder builder) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "read -r _ && exec \"$@\"", "sh"));
        command.addAll(builder.command());
        Process child = builder.command(command).redirectInput(Redirect.PIPE).start();
        INSTANCE.watch(child);
        child.getOutputStream().write('\n');
        child.getOutputStream().flush();
        return child;
    }

    /** Has the directory removed when this JVM ends. */
    static void removeAtEnd(Path directory) {
        INSTANCE.remember(directory);
    }

    static long pid() {
        return INSTANCE.shell().pid();
    }

    private synchronized void watch(Process child) {
        shell();
        children.add(child.pid());
        tell("watch " + child.pid());
        child.onExit().thenRun(() -> forget(child));
    }

    private synchronized void forget(Process child) {
        if (children.remove(child.pid())) {
            tell("ended " + child.pid());
        }
    }

    private synchronized void remember(Path directory) {
        shell();
        directories.add(directory);
        tell("directory " + directory);
    }

    private synchronized Process shell() {
        Process current = shell;
        if (current != null && current.isAlive()) {
            return current;
        }
        try {
            Process started = new ProcessBuilder("sh", "-c", SCRIPT)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            shell = started;
            children.forEach(pid -> write(started, "watch " + pid));
            directories.forEach(directory -> write(started, "directory " + directory));
            started.onExit().thenRun(this::shell);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Goes nowhere if the shell has just died: its successor receives everything. */
    private void tell(String line) {
        Process current = shell;
        if (current != null) {
            write(current, line);
        }
    }

    private static void write(Process shell, String line) {
        try {
            OutputStream out = shell.getOutputStream();
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            // It has died; onExit starts the next one.
        }
    }
}
