/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Signals, waiting and cleaning up. */
final class Processes {

    private static final Path PROC = Path.of("/proc");

    private Processes() {}

    /**
     * Sends a signal, e.g. {@code STOP}. The signal arrives at once, but the threads of the process notice it a moment
     * later.
     */
    static void signal(String name, long pid) {
        try {
            Process kill = new ProcessBuilder("sh", "-c", "kill -s \"$1\" \"$2\"", "sh", name, Long.toString(pid))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            if (!awaitExit(kill, Duration.ofSeconds(10)) || kill.exitValue() != 0) {
                throw new IllegalStateException("Signal " + name + " could not be sent to process " + pid);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (name.equals("STOP")) {
            awaitStopped(threads(pid));
        }
    }

    /** Where the system tells about threads, waits until all of them stand still. */
    private static void awaitStopped(Path threads) {
        if (!Waiting.within(Duration.ofSeconds(10), () -> !Files.exists(threads) || allStopped(threads))) {
            throw new IllegalStateException("Still running: " + threads);
        }
    }

    private static boolean allStopped(Path threads) {
        try (Stream<Path> each = Files.list(threads)) {
            for (Path thread : each.toList()) {
                String stat = Files.readString(thread.resolve("stat"));
                if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
                    return false;
                }
            }
            return true;
        } catch (IOException | UncheckedIOException e) {
            // A thread has ended just now.
            return false;
        }
    }

    /** Whether the process was stopped by a signal. False where the system does not tell. */
    static boolean isStopped(long pid) {
        Path threads = threads(pid);
        return Files.exists(threads) && allStopped(threads);
    }

    private static Path threads(long pid) {
        return PROC.resolve(Path.of(Long.toString(pid), "task"));
    }

    /** Ends the process: politely, and after the limit by force. Also ends one that was stopped. */
    static void end(Process process, Duration limit) {
        if (process.isAlive()) {
            process.destroy();
            resume(process);
            if (!awaitExit(process, limit)) {
                kill(process);
            }
        }
    }

    static void kill(Process process) {
        process.destroyForcibly();
        if (!awaitExit(process, Duration.ofSeconds(10))) {
            throw new IllegalStateException("Process " + process.pid() + " survived SIGKILL");
        }
    }

    /** Keeps the interrupt flag. */
    static boolean awaitExit(Process process, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void delete(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(directory)) {
            List<Path> leavesFirst = tree.sorted(Comparator.reverseOrder()).toList();
            for (Path path : leavesFirst) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the system shows that the process is not stopped, no signal is sent: that takes a process of its own. */
    private static void resume(Process process) {
        if (Files.exists(PROC) && !isStopped(process.pid())) {
            return;
        }
        try {
            signal("CONT", process.pid());
        } catch (IllegalStateException e) {
            // It has ended meanwhile.
        }
    }
}
