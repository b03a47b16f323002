/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTests {

    @TempDir
    Path directory;

    private static Event event(String jvm, String name, long acquisition, long nanos) {
        return new Event(jvm, name, name, acquisition, Operation.ACQUIRE, Phase.OK, nanos, 7, Event.NONE);
    }

    @Test
    void isReadAsItWasWrittenWhileItIsStillOpen() {
        Event odd = event("a", " \n%é🔒", 1, 3);
        Event empty = event("a", "", 2, 4);
        try (History history = History.open(directory, "a")) {
            history.write(odd);
            assertThat(History.read(directory)).containsExactly(odd);
            history.write(empty);
            assertThat(History.read(directory)).containsExactly(odd, empty);
        }
    }

    @Test
    void ofSeveralJvmsIsOneInTheOrderOfTime() {
        try (History a = History.open(directory, "a");
                History b = History.open(directory, "b")) {
            a.write(event("a", "x", 1, 30));
            b.write(event("b", "x", 1, 20));
            a.write(event("a", "x", 2, 10));
            b.write(event("b", "x", 2, 40));
        }
        assertThat(History.read(directory)).extracting(Event::nanos).containsExactly(10L, 20L, 30L, 40L);
    }

    /** As the last line of a JVM that was killed can be. */
    @Test
    void aLineThatWasCutOffIsLeftOut() throws IOException {
        try (History history = History.open(directory, "a")) {
            history.write(event("a", "x", 1, 10));
        }
        Files.writeString(directory.resolve("a.history"), "a x x 2 ACQ", StandardOpenOption.APPEND);
        assertThat(History.read(directory)).hasSize(1);
    }

    @Test
    void keepsLinesOfManyThreadsApart() {
        try (History history = History.open(directory, "a")) {
            IntStream.range(0, 20_000)
                    .parallel()
                    .forEach(number -> history.write(event("a", "shared", number, System.nanoTime())));
        }
        assertThat(History.read(directory))
                .extracting(Event::acquisition)
                .doesNotHaveDuplicates()
                .hasSize(20_000);
    }

    @Test
    void anInterruptedThreadWritesAsWell() {
        try (History history = History.open(directory, "a")) {
            Thread.currentThread().interrupt();
            history.write(event("a", "x", 1, 10));
            assertThat(Thread.interrupted()).isTrue();
            history.write(event("a", "x", 2, 20));
        }
        assertThat(History.read(directory)).hasSize(2);
    }

    @Test
    void twoJvmsOfOneNameAreRefused() {
        try (History history = History.open(directory, "a")) {
            assertThatExceptionOfType(UncheckedIOException.class)
                    .isThrownBy(() -> History.open(directory, history.jvm()).close());
        }
    }

    @Test
    void comparesClocks() {
        try (History history = History.open(directory, "a")) {
            history.compareClock("b", System::nanoTime);
            for (long off : List.of(-2_000_000L, 2_000_000L)) {
                assertThatIllegalStateException()
                        .isThrownBy(() -> history.compareClock("c", () -> System.nanoTime() + off))
                        .withMessageContaining("cannot be compared");
            }
        }
        assertThat(History.read(directory)).singleElement().satisfies(event -> {
            assertThat(event.operation()).isEqualTo(Operation.CLOCK);
            assertThat(event.owner()).isEqualTo("b");
        });
    }
}
