/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A network that misbehaves on demand, between a client and a server on loopback. What happens to bytes is said per
 * direction; connections can be cut and refused. Everything counts what it did, so that a test can tell that its fault
 * really happened.
 */
public final class TcpProxy implements AutoCloseable {

    private volatile int target;

    private final int port;

    private final TcpStream requests = new TcpStream();

    private final TcpStream replies = new TcpStream();

    private final Set<Link> links = ConcurrentHashMap.newKeySet();

    private final AtomicInteger accepted = new AtomicInteger();

    private @Nullable ServerSocket listener;

    private TcpProxy(int target) {
        this.target = target;
        this.port = listen(0);
    }

    /** Opens a proxy on a free port. */
    public static TcpProxy to(int target) {
        return new TcpProxy(target);
    }

    public int port() {
        return port;
    }

    /** The bytes from clients to the server. */
    public TcpStream requests() {
        return requests;
    }

    /** The bytes from the server to clients. */
    public TcpStream replies() {
        return replies;
    }

    /** Lets nothing through in both directions and keeps the connections, until {@link #heal()}. */
    public void blackHole() {
        requests.hold();
        replies.hold();
    }

    /** Ends delays, holding, dropping and losing, and accepts connections again. What was held back is delivered. */
    public void heal() {
        requests.pass();
        replies.pass();
        accept();
    }

    /** Resets all connections. New ones are accepted. Returns how many there were. */
    public int cut() {
        int count = 0;
        for (Link link : links) {
            if (link.reset()) {
                count++;
            }
        }
        return count;
    }

    /**
     * Resets the clients' side of all connections only. What they have sent and was held back by now lies about like
     * bytes in the buffers of a dead connection, until {@link #deliverAbandoned()}.
     */
    public int abandon() {
        links.forEach(Link::abandon);
        return links.size();
    }

    /** The bytes of abandoned connections reach the server after all. */
    public void deliverAbandoned() {
        links.forEach(link -> link.abandoned = false);
    }

    /** From now on, no port listens. Existing connections go on. */
    public synchronized void refuse() {
        close(listener);
        listener = null;
    }

    /** Listens again after {@link #refuse()}. */
    public synchronized void accept() {
        if (listener == null) {
            listen(port);
        }
    }

    /** New connections lead to another server from now on, as after a failover behind one address; open ones go on. */
    public void leadTo(int otherTarget) {
        target = otherTarget;
    }

    /** How many connections are open. */
    public int connections() {
        return links.size();
    }

    /** How many connections there have been. */
    public int accepted() {
        return accepted.get();
    }

    @Override
    public void close() {
        refuse();
        cut();
    }

    private synchronized int listen(int wanted) {
        List<ServerSocket> opened = new ArrayList<>();
        Waiting.until("port " + wanted + " is free", () -> opened.add(open(wanted)));
        ServerSocket socket = opened.get(0);
        listener = socket;
        daemon("accept", () -> acceptFrom(socket));
        return socket.getLocalPort();
    }

    private static ServerSocket open(int port) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void acceptFrom(ServerSocket socket) {
        while (true) {
            try {
                connect(socket.accept());
            } catch (IOException e) {
                if (socket.isClosed()) {
                    return;
                }
            }
        }
    }

    private void connect(Socket client) throws IOException {
        accepted.incrementAndGet();
        Socket server = new Socket();
        Link link = new Link(client, server);
        try {
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        } catch (IOException e) {
            link.reset();
            return;
        }
        links.add(link);
        daemon("requests", () -> requests.pump(client, server, link::isAbandoned, link::reset));
        daemon("replies", () -> replies.pump(server, client, () -> false, link::reset));
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, "tcp-proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(@Nullable ServerSocket socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // It is closed already.
        }
    }

    /** One connection: a client's socket and ours to the server. */
    private final class Link {

        private final Socket client;

        private final Socket server;

        private volatile boolean abandoned;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        boolean isAbandoned() {
            return abandoned;
        }

        void abandon() {
            abandoned = true;
            TcpProxy.reset(client);
        }

        boolean reset() {
            boolean open = links.remove(this);
            TcpProxy.reset(client);
            TcpProxy.reset(server);
            return open;
        }
    }
}
