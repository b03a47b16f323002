/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A page of memory that all JVMs share. The holder of the lock writes its number there, by compare-and-set, and removes
 * it before it releases the lock. If two threads are in the section at once, one of the two steps fails. The check is
 * exact, costs some ten nanoseconds, and needs no system call. Only the holder accesses the other fields of the page.
 */
final class MeetingPage {

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private static final int SIZE = 4096;

    private static final int INSIDE = 0;

    private static final int LAST_THREAD = 64;

    private static final int LAST_JVM = 72;

    private static final int LEFT_AT = 80;

    private static final int STRETCH_SINCE = 88;

    private final MappedByteBuffer page;

    private MeetingPage(MappedByteBuffer page) {
        this.page = page;
    }

    static MeetingPage open(String file) {
        try (FileChannel channel = FileChannel.open(
                Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            return new MeetingPage(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Records that a thread holds the lock since the given time. */
    void enter(int thread, int jvm, long now, Recording recording) {
        if (!LONG.compareAndSet(page, INSIDE, 0L, (long) thread)) {
            recording.violations++;
        }
        long last = get(LAST_THREAD);
        if (last == thread) {
            recording.self++;
        } else if (last != 0) {
            recording.handOver.recordValue(Math.max(0, now - get(LEFT_AT)));
        }
        if (get(LAST_JVM) != jvm) {
            jvmChanged(last != 0, jvm, now, recording);
        }
    }

    private void jvmChanged(boolean handedOver, int jvm, long now, Recording recording) {
        if (handedOver) {
            recording.remote++;
            recording.stretch.recordValue(Math.max(0, now - get(STRETCH_SINCE)));
        }
        set(LAST_JVM, jvm);
        set(STRETCH_SINCE, now);
    }

    /** Records that the thread is about to release the lock. */
    void leave(int thread, Recording recording) {
        set(LAST_THREAD, thread);
        set(LEFT_AT, System.nanoTime());
        if (!LONG.compareAndSet(page, INSIDE, (long) thread, 0L)) {
            recording.violations++;
        }
    }

    private long get(int offset) {
        return (long) LONG.get(page, offset);
    }

    private void set(int offset, long value) {
        LONG.set(page, offset, value);
    }
}
