/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.seeded;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.TestLength;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tests have teeth: each bug of {@code docs/seeded-bugs.md} is put into a copy of the code, and the tests that are
 * named there have to fail with it, and to pass without. {@code -Dseeded.bug=…,…} tries these alone.
 */
@Tag(TestLength.FULL)
class SeededBugTests {

    private static final int AT_ONCE = 2;

    private static final Duration LIMIT = Duration.ofMinutes(8);

    private static final Map<String, Future<List<String>>> RUNS = new HashMap<>();

    /** Made for each run of this class, as a failed test may be run again. */
    private static ExecutorService runners;

    @TempDir
    private static Path directory;

    static List<SeededBug> bugs() throws IOException {
        String only = System.getProperty("seeded.bug");
        return SeededBug.all().stream()
                .filter(bug -> only == null || List.of(only.split(",")).contains(bug.id()))
                .toList();
    }

    @BeforeAll
    static void start() throws IOException {
        runners = Executors.newFixedThreadPool(AT_ONCE);
        List<SeededBug> bugs = bugs();
        RUNS.put("control", runners.submit(() -> runWithout(bugs)));
        bugs.forEach(bug -> RUNS.put(bug.id(), runners.submit(() -> runWith(bug))));
    }

    @AfterAll
    static void stop() {
        runners.shutdownNow();
    }

    @ParameterizedTest
    @MethodSource("bugs")
    void isCaught(SeededBug bug) throws Exception {
        assertThat(linesOf(bug.id()))
                .as("tests that fail with %s", bug)
                .hasSameSizeAs(bug.tests())
                .allMatch(line -> line.startsWith("FAILED "));
    }

    @Test
    void theirTestsPassWithoutThem() throws Exception {
        assertThat(linesOf("control"))
                .as("tests without any change")
                .isNotEmpty()
                .allMatch(line -> line.startsWith("PASSED "));
    }

    @Test
    void eachChangeIsInTheTable() throws IOException {
        try (Stream<Path> diffs = Files.list(SeededBug.DIFFS)) {
            assertThat(diffs.map(diff -> diff.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(SeededBug.all().stream()
                            .map(bug -> bug.id() + ".diff")
                            .toList());
        }
    }

    private static List<String> linesOf(String run) throws InterruptedException, TimeoutException, ExecutionException {
        return RUNS.get(run).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private static List<String> runWith(SeededBug bug) throws IOException {
        Path instead = Files.createDirectory(directory.resolve(bug.id()));
        new ChangedClasses(instead).put(bug.patch().file(), bug.patch().changed());
        return run(bug.id(), instead, bug.tests());
    }

    /** What is there instead of the build's classes is the same, but made in the way of the changed ones. */
    private static List<String> runWithout(List<SeededBug> bugs) throws IOException {
        Path instead = Files.createDirectory(directory.resolve("control"));
        for (SeededBug bug : bugs) {
            new ChangedClasses(instead).put(bug.patch().file(), bug.patch().original());
        }
        return run(
                "control",
                instead,
                bugs.stream().flatMap(bug -> bug.tests().stream()).distinct().toList());
    }

    private static List<String> run(String name, Path instead, List<NamedTest> tests) {
        long start = System.nanoTime();
        try (ChildJvm child = ChildJvm.startWith(instead, TestChild.class)) {
            String answer = ChildJvm.await(child.send("tests", "run", tests.toArray()), LIMIT);
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            System.out.println("seeded bug " + name + ": " + millis + " ms\n" + answer);
            return answer.lines().filter(line -> !line.isBlank()).toList();
        }
    }
}
