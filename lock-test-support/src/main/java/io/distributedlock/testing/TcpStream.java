/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One direction of all connections of a {@link TcpProxy}. What is set holds for bytes from now on. */
public final class TcpStream {

    private enum Mode {
        PASS,
        HOLD,
        DROP
    }

    private final Object monitor = new Object();

    private Mode mode = Mode.PASS;

    private volatile Duration delay = Duration.ZERO;

    private volatile @Nullable String lost;

    private volatile @Nullable String exempt;

    private volatile boolean byteByByte;

    /** How many bytes still pass, or a negative number for all. */
    private long allowance = -1;

    private volatile @Nullable Supplier<Tap> taps;

    private volatile Supplier<Editor> editors = () -> Arrays::copyOf;

    private final AtomicLong read = new AtomicLong();

    private final AtomicLong delivered = new AtomicLong();

    private final AtomicLong dropped = new AtomicLong();

    TcpStream() {}

    /** Is shown the bytes of one connection, in order, as they come in. */
    @FunctionalInterface
    public interface Tap {

        /** Called on the thread that reads, so it must not wait. */
        void read(byte[] bytes, int count);
    }

    /** Changes the bytes of one connection. */
    @FunctionalInterface
    public interface Editor {

        /**
         * Called on the thread that reads, with the bytes of one connection in order. Bytes may be kept for the next
         * call.
         *
         * @return what is delivered
         */
        byte[] edit(byte[] bytes, int count);
    }

    @SuppressWarnings("ArrayRecordComponent") // Not compared.
    private record Chunk(byte[] bytes, long due) {

        private static final Chunk END = new Chunk(new byte[0], 0);

        @SuppressWarnings("ReferenceEquality") // There is one of it.
        boolean isEnd() {
            return this == END;
        }
    }

    /** Delivers all bytes this much later, in order. */
    public void delay(Duration delay) {
        this.delay = delay;
    }

    /** Keeps all bytes back, until {@link #pass()}. */
    public void hold() {
        set(Mode.HOLD);
    }

    /** Keeps all bytes back but what arrives in one piece and contains this text, until {@link #pass()}. */
    public void holdExcept(String text) {
        exempt = text;
        set(Mode.HOLD);
    }

    /** Swallows all bytes. What comes after them makes no sense to the receiver: cut the connection next. */
    public void drop() {
        set(Mode.DROP);
    }

    /** Swallows all bytes after the next so many. Cut the connection next. */
    public void dropAfter(long bytes) {
        synchronized (monitor) {
            allowance = bytes;
        }
    }

    /** Sends each byte by itself. */
    public void byteByByte() {
        byteByByte = true;
    }

    /** Shows what comes in to taps, a new one for each connection from now on. */
    public void tap(Supplier<Tap> newTaps) {
        taps = newTaps;
    }

    /** Has editors change what comes in, a new one for each connection from now on. */
    public void edit(Supplier<Editor> newEditors) {
        editors = newEditors;
    }

    /**
     * Swallows what arrives in one piece if it contains this text, as a pub/sub message does; everything else passes.
     * The receiver goes on without noticing.
     */
    public void lose(String text) {
        lost = text;
    }

    /** Delivers what was held back, and everything from now on at once. */
    public void pass() {
        delay = Duration.ZERO;
        lost = null;
        exempt = null;
        byteByByte = false;
        dropAfter(-1);
        set(Mode.PASS);
    }

    /** How many bytes were delivered. */
    public long delivered() {
        return delivered.get();
    }

    /** How many bytes were swallowed. */
    public long dropped() {
        return dropped.get();
    }

    /** How many bytes came in and neither were delivered nor swallowed yet. */
    public long pending() {
        return read.get() - delivered.get() - dropped.get();
    }

    /**
     * Reads until the end of the stream, which is passed on when all bytes before it were. Nothing passes while frozen.
     */
    void pump(Socket from, Socket to, BooleanSupplier frozen, Runnable end) {
        BlockingQueue<Chunk> queue = new LinkedBlockingQueue<>();
        Thread writer = new Thread(() -> write(queue, to, frozen, end), "tcp-proxy-writer");
        writer.setDaemon(true);
        writer.start();
        byte[] buffer = new byte[65_536];
        Supplier<Tap> newTaps = taps;
        Tap tap = newTaps == null ? (bytes, count) -> {} : newTaps.get();
        Editor editor = editors.get();
        try {
            InputStream in = from.getInputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                tap.read(buffer, count);
                byte[] edited = editor.edit(buffer, count);
                read.addAndGet(edited.length);
                queue.add(new Chunk(edited, System.nanoTime() + delay.toNanos()));
            }
        } catch (IOException e) {
            // The sender is gone; what it has sent is still delivered.
        } finally {
            queue.add(Chunk.END);
        }
    }

    private void write(BlockingQueue<Chunk> queue, Socket to, BooleanSupplier frozen, Runnable end) {
        try {
            for (Chunk chunk = queue.take(); !chunk.isEnd(); chunk = queue.take()) {
                deliver(chunk, to, frozen);
            }
        } catch (IOException e) {
            // The receiver is gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            end.run();
        }
    }

    private void deliver(Chunk chunk, Socket to, BooleanSupplier frozen) throws IOException, InterruptedException {
        for (long left = chunk.due() - System.nanoTime(); left > 0; left = chunk.due() - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        byte[] bytes = chunk.bytes();
        Mode passage = contains(chunk, exempt) ? Mode.PASS : awaitPassage(to, frozen);
        int count = passage == Mode.DROP || isLost(chunk) ? 0 : allowed(bytes.length);
        OutputStream out = to.getOutputStream();
        int step = byteByByte ? 1 : Math.max(1, count);
        for (int i = 0; i < count; i += step) {
            out.write(bytes, i, step);
            delivered.addAndGet(step);
        }
        dropped.addAndGet(bytes.length - count);
    }

    private int allowed(int count) {
        synchronized (monitor) {
            if (allowance < 0) {
                return count;
            }
            int passing = (int) Math.min(allowance, count);
            allowance -= passing;
            return passing;
        }
    }

    private boolean isLost(Chunk chunk) {
        return contains(chunk, lost);
    }

    private static boolean contains(Chunk chunk, @Nullable String text) {
        return text != null && new String(chunk.bytes(), StandardCharsets.ISO_8859_1).contains(text);
    }

    private Mode awaitPassage(Socket to, BooleanSupplier frozen) throws IOException, InterruptedException {
        synchronized (monitor) {
            while (mode == Mode.HOLD || frozen.getAsBoolean()) {
                monitor.wait(20);
                if (to.isClosed()) {
                    throw new IOException("Cut while held");
                }
            }
            return mode;
        }
    }

    private void set(Mode mode) {
        synchronized (monitor) {
            this.mode = mode;
            monitor.notifyAll();
        }
    }
}
