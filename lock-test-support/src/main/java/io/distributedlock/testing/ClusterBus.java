/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The network between the servers of a cluster: a proxy in front of the bus port of each. A server that is cut off
 * neither hears the others nor is heard, while clients and its replicas still reach it.
 */
final class ClusterBus implements AutoCloseable {

    /** The header of a bus message has the id of its sender here. */
    private static final int SENDER_AT = 40;

    private static final int SENDER_END = 80;

    /** The ids and the ports of servers that are cut off. */
    private final Set<Object> cutOff = ConcurrentHashMap.newKeySet();

    private final Set<Link> links = ConcurrentHashMap.newKeySet();

    private final Set<ServerSocket> listeners = ConcurrentHashMap.newKeySet();

    private final AtomicLong swallowed = new AtomicLong();

    /** Opens a proxy to a bus port, which need not be open yet. Returns the port of the proxy. */
    int inFrontOf(int busPort) {
        try {
            ServerSocket listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
            listeners.add(listener);
            daemon(() -> accept(listener, busPort));
            return listener.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** From now on, all that this server sends to the others and they to it is swallowed. */
    void cutOff(ClusterNode node) {
        cutOff.add(node.id());
        cutOff.add(node.busPort());
    }

    /** All servers reach each other again. A connection that lacks bytes is reset, so the servers open another one. */
    void heal() {
        cutOff.clear();
        links.stream().filter(link -> link.hasGap).forEach(Link::reset);
    }

    /** How many bytes were swallowed. */
    long swallowed() {
        return swallowed.get();
    }

    private void accept(ServerSocket listener, int busPort) {
        while (!listener.isClosed()) {
            Socket from = null;
            try {
                from = listener.accept();
                Socket to = new Socket(InetAddress.getLoopbackAddress(), busPort);
                from.setTcpNoDelay(true);
                to.setTcpNoDelay(true);
                Link link = new Link(from, to, listener.getLocalPort());
                links.add(link);
                daemon(link::pumpForth);
                daemon(link::pumpBack);
            } catch (IOException e) {
                close(from);
            }
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "cluster-bus");
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(@Nullable AutoCloseable socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (Exception e) {
            // It is closed already.
        }
    }

    @Override
    public void close() {
        listeners.forEach(ClusterBus::close);
        links.forEach(Link::reset);
    }

    /** A connection that one server has opened to another. */
    private final class Link {

        private final Socket from;

        private final Socket to;

        private final int port;

        private volatile @Nullable String sender;

        private volatile boolean hasGap;

        Link(Socket from, Socket to, int port) {
            this.from = from;
            this.to = to;
            this.port = port;
        }

        void pumpForth() {
            byte[] header = new byte[SENDER_END];
            try {
                int count = from.getInputStream().readNBytes(header, 0, SENDER_END);
                sender = new String(header, SENDER_AT, SENDER_END - SENDER_AT, StandardCharsets.US_ASCII);
                deliver(to.getOutputStream(), header, count);
            } catch (IOException e) {
                reset();
                return;
            }
            pump(from, to);
        }

        void pumpBack() {
            pump(to, from);
        }

        private void pump(Socket source, Socket target) {
            byte[] buffer = new byte[65_536];
            try {
                InputStream in = source.getInputStream();
                OutputStream out = target.getOutputStream();
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    deliver(out, buffer, count);
                }
            } catch (IOException e) {
                // One of the servers has closed it.
            } finally {
                reset();
            }
        }

        private void deliver(OutputStream out, byte[] bytes, int count) throws IOException {
            if (hasGap || isCutOff()) {
                hasGap = true;
                swallowed.addAndGet(count);
            } else {
                out.write(bytes, 0, count);
            }
        }

        private boolean isCutOff() {
            String id = sender;
            return cutOff.contains(port) || (id != null && cutOff.contains(id));
        }

        void reset() {
            links.remove(this);
            ClusterBus.close(from);
            ClusterBus.close(to);
        }
    }
}
