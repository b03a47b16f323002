/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The file to which one JVM writes what it does. An event is with the kernel before {@link #write} returns, so it is
 * there even if the JVM is killed right afterwards.
 */
public final class History implements AutoCloseable {

    private static final String SUFFIX = ".history";

    private static final Duration SAME_CLOCK = Duration.ofMillis(1);

    private static final int CLOCK_TRIES = 5_000;

    private final String jvm;

    private final OutputStream file;

    private final ReentrantLock writing = new ReentrantLock();

    private final AtomicLong lastNumber = new AtomicLong();

    private History(String jvm, OutputStream file) {
        this.jvm = jvm;
        this.file = file;
    }

    /**
     * Begins a file in the directory that all JVMs of the run share.
     *
     * @param jvm the name of this JVM; no other one of the run has it
     */
    public static History open(Path directory, String jvm) {
        try {
            Path path = Files.createFile(directory.resolve(jvm + SUFFIX));
            // Not by a channel, which would be closed by the first interrupted caller.
            return new History(jvm, new FileOutputStream(path.toFile()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What all JVMs have written so far, in the order of time. The last line of one that was killed may be cut off. */
    public static List<Event> read(Path directory) {
        List<Event> events = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path path :
                    files.filter(each -> each.toString().endsWith(SUFFIX)).toList()) {
                String text = Files.readString(path, StandardCharsets.UTF_8);
                text.substring(0, text.lastIndexOf('\n') + 1)
                        .lines()
                        .map(Event::ofLine)
                        .forEach(events::add);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        events.sort(Comparator.comparingLong(Event::nanos));
        return events;
    }

    /**
     * Makes sure that another JVM has the same clock, as all JVMs of a machine do, and writes that down: the checker
     * wants to know it of each of them.
     *
     * @param clock asks the other one for its {@link System#nanoTime()}
     */
    public void compareClock(String other, LongSupplier clock) {
        for (int i = 0; i < CLOCK_TRIES; i++) {
            long before = System.nanoTime();
            long there = clock.getAsLong();
            long after = System.nanoTime();
            if (there < before || there > after) {
                throw new IllegalStateException("The clock of " + other + " says " + there + ", between " + before
                        + " and " + after + " of this one: their histories cannot be compared");
            }
            if (after - before <= SAME_CLOCK.toNanos()) {
                write(event(other, "", Operation.CLOCK, Phase.OK));
                return;
            }
        }
        throw new IllegalStateException("The clock of " + other + " could not be compared: it answers too slowly");
    }

    /**
     * Something is about to be broken.
     *
     * @param kind what is done, for example {@link Fault#KILL}
     * @param target what it is done to: the name of a JVM, or any other word
     */
    public Fault breaking(String kind, String target) {
        return breaking(kind, target, Model.NO_LOSS);
    }

    /** As {@link #breaking(String, String)}, saying whether Redis may forget something by that. */
    public Fault breaking(String kind, String target, Model model) {
        Event begun = event(target, kind, Operation.FAULT, Phase.INVOKE);
        return new Fault(this, model == Model.NO_LOSS ? begun : begun.withToken(Fault.LOSES_DATA));
    }

    /** Something stood still from one moment to the other, both by {@link System#nanoTime()}. */
    void stalled(long from, long to) {
        Event begun = event(jvm, "", Operation.STALL, Phase.INVOKE).at(from);
        write(begun);
        write(begun.then(Operation.STALL, Phase.OK, to, Event.NONE));
    }

    String jvm() {
        return jvm;
    }

    long nextNumber() {
        return lastNumber.incrementAndGet();
    }

    void write(Event event) {
        byte[] line = (event.toLine() + '\n').getBytes(StandardCharsets.UTF_8);
        writing.lock();
        try {
            file.write(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            writing.unlock();
        }
    }

    private Event event(String owner, String lock, Operation operation, Phase phase) {
        long now = System.nanoTime();
        return new Event(jvm, owner, lock, nextNumber(), operation, phase, now, Event.NONE, Event.NONE);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
