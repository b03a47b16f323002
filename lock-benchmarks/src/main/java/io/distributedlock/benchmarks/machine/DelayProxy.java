/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.machine;

import io.distributedlock.testing.ChildRequests;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Main class of a JVM that forwards bytes after a delay, in both directions. One thread reads from all connections.
 * Since the delay is the same for all bytes, they are due in the order in which they were read, and one thread writes
 * all of them.
 */
final class DelayProxy {

    private static final int BUFFER = 65_536;

    private final InetSocketAddress target;

    private final Selector selector;

    private final ServerSocketChannel listener;

    private final BlockingQueue<Chunk> chunks = new LinkedBlockingQueue<>();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);

    private volatile long delayNanos;

    private record Chunk(SocketChannel to, ByteBuffer bytes, long due) {}

    private DelayProxy(int targetPort) throws IOException {
        target = new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort);
        selector = Selector.open();
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    public static void main(String[] args) throws IOException {
        DelayProxy proxy = new DelayProxy(Integer.parseInt(args[0]));
        new Thread(proxy::readAll, "reader").start();
        new Thread(proxy::writeAll, "writer").start();
        ChildRequests.serve(request -> switch (request.name()) {
            case "port" -> Integer.toString(proxy.listener.socket().getLocalPort());
            case "delay" -> {
                proxy.delayNanos = request.number(0);
                yield "";
            }
            default -> throw new IllegalArgumentException(request.name());
        });
    }

    private void readAll() {
        try {
            while (true) {
                selector.select();
                for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
                    SelectionKey key = keys.next();
                    keys.remove();
                    if (key.isValid() && key.isAcceptable()) {
                        connect(listener.accept());
                    } else if (key.isValid()) {
                        read((SocketChannel) key.channel(), (SocketChannel) key.attachment());
                    }
                }
            }
        } catch (IOException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private void connect(SocketChannel client) throws IOException {
        SocketChannel server = SocketChannel.open(target);
        register(client, server);
        register(server, client);
    }

    private void register(SocketChannel from, SocketChannel to) throws IOException {
        from.socket().setTcpNoDelay(true);
        from.configureBlocking(false);
        from.register(selector, SelectionKey.OP_READ, to);
    }

    private void read(SocketChannel from, SocketChannel to) throws IOException {
        try {
            buffer.clear();
            if (from.read(buffer) < 0) {
                close(from, to);
                return;
            }
            buffer.flip();
            ByteBuffer copy =
                    ByteBuffer.allocate(buffer.remaining()).put(buffer).flip();
            chunks.add(new Chunk(to, copy, System.nanoTime() + delayNanos));
        } catch (IOException e) {
            close(from, to);
        }
    }

    private void writeAll() {
        try {
            while (true) {
                Chunk chunk = chunks.take();
                for (long left = chunk.due() - System.nanoTime(); left > 0; left = chunk.due() - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                write(chunk);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write(Chunk chunk) throws InterruptedException {
        try {
            while (chunk.bytes().hasRemaining()) {
                if (chunk.to().write(chunk.bytes()) == 0) {
                    TimeUnit.MICROSECONDS.sleep(50);
                }
            }
        } catch (IOException e) {
            // The receiver is gone; the reading thread detects this by itself.
        }
    }

    private static void close(SocketChannel from, SocketChannel to) throws IOException {
        from.close();
        to.close();
    }
}
