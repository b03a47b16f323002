/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.testing.RedisNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** Several servers that work together, in the shape that the instances share. Servers that die are started again. */
final class RedisGroup implements SharedRedis {

    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    /** After this time, a dead master is started again if no replica has replaced it. */
    private static final long NO_FAILOVER = Duration.ofSeconds(15).toNanos();

    /** Below the ports that the system assigns to outgoing connections. */
    private static final int LOWEST_PORT = 20_000;

    private static final int HIGHEST_PORT = 30_000;

    /** Includes the ports by which the servers of a cluster reach each other. */
    private static final int CONSECUTIVE = 12;

    private static final int PORT_TRIES = 50;

    private final int port;

    private final GroupShape shape;

    private final Map<Integer, Long> deadSince = new HashMap<>();

    private GroupShape.@Nullable Started own;

    private boolean closed;

    private int missed;

    private RedisGroup(int port, GroupShape shape) {
        this.port = port;
        this.shape = shape;
    }

    /** Joins the servers from this port on, or starts them there. Port 0 selects free ports. */
    static RedisGroup at(int port, IntFunction<GroupShape> shapes) {
        int first = port == 0 ? freePorts() : port;
        RedisGroup group = new RedisGroup(first, shapes.apply(first));
        if (!group.isThere()) {
            group.startOrJoin();
        }
        if (!Probe.await(START_LIMIT, group.shape::works)) {
            group.close();
            throw new IllegalStateException("The servers at " + group.place() + " do not work together");
        }
        return group;
    }

    private void startOrJoin() {
        try {
            own = shape.start();
        } catch (RuntimeException ex) {
            if (!isThere()) { // otherwise another instance was faster
                throw new IllegalStateException(
                        "%s could not be started at %s; choose another port with --shop.redis-port"
                                .formatted(shape.description(), place()),
                        ex);
            }
        }
    }

    private boolean isThere() {
        List<String> modes = shape.ports().stream()
                .flatMap(each -> Probe.mode(each).stream())
                .toList();
        if (!modes.isEmpty() && !modes.contains(shape.mode())) {
            throw new IllegalStateException("At %s there is a Redis of another shape (%s). Choose another port with "
                            .formatted(place(), modes.get(0))
                    + "--shop.redis-port, or another --shop.redis");
        }
        return !modes.isEmpty();
    }

    static int freePorts() {
        for (int attempt = 0; attempt < PORT_TRIES; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT - CONSECUTIVE);
            if (areFree(first)) {
                return first;
            }
        }
        throw new IllegalStateException("No free ports were found; choose some with --shop.redis-port");
    }

    private static boolean areFree(int first) {
        for (int each = first; each < first + CONSECUTIVE; each++) {
            try (ServerSocket socket = new ServerSocket(each, 1, InetAddress.getLoopbackAddress())) {
                socket.setReuseAddress(true);
            } catch (IOException ex) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public DataRedisConnectionDetails connectionDetails() {
        return shape.connectionDetails();
    }

    /** The current state of all servers. */
    List<RedisServer> look() {
        return shape.look();
    }

    /** See {@link GroupShape#failOver(int)}. */
    void failOver(int master) {
        shape.failOver(master);
    }

    /**
     * Restarts the dead servers of this instance as soon as other servers have replaced them.
     *
     * @param servers the servers in their last known state
     * @return the ports of the servers that run again
     */
    synchronized List<Integer> mend(List<RedisServer> servers) {
        List<Integer> mended = new ArrayList<>();
        if (closed || own == null) {
            return mended;
        }
        for (RedisNode server : own.servers()) {
            if (server.isAlive()) {
                deadSince.remove(server.port());
            } else if (isReplaced(server.port(), servers)) {
                server.startAgain(shape.settingsToRejoin(server.port()));
                mended.add(server.port());
            }
        }
        return mended;
    }

    private boolean isReplaced(int server, List<RedisServer> servers) {
        long since = deadSince.computeIfAbsent(server, first -> System.nanoTime());
        boolean isMaster = servers.stream().anyMatch(seen -> seen.port() == server && seen.isMaster());
        return !isMaster || System.nanoTime() - since > NO_FAILOVER;
    }

    @Override
    public synchronized Optional<String> revive() {
        if (closed || own != null) {
            return Optional.empty();
        }
        if (isThere()) {
            missed = 0;
            return Optional.empty();
        }
        if (++missed < PATIENCE) {
            return Optional.empty();
        }
        try {
            own = shape.start();
            return Optional.of(STARTED_ANOTHER);
        } catch (RuntimeException ex) {
            return Optional.empty(); // another instance was faster, or the old servers are still ending
        }
    }

    @Override
    public String whenGone() {
        return "Redis does not reply: " + this
                + ". No instance sells until a failover is over or the servers run again.";
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (own != null) {
            own.end().run();
        }
    }

    private String place() {
        List<Integer> ports = shape.ports();
        return "localhost:" + ports.get(0) + " to " + ports.get(ports.size() - 1);
    }

    @Override
    public String toString() {
        GroupShape.Started started = own;
        String end = started == null ? "it ends with the instance that started it" : "it ends with this instance";
        return shape.description() + " at " + place() + " (" + end + ")";
    }
}
