/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.sample.RedisServer.State;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Reports which server replaced which master, and how long that took. */
@Component
class FailoverWatch {

    private final Optional<RedisGroup> group;

    private final News news;

    private final ReentrantLock looking = new ReentrantLock();

    /** The port of the master of each part of the data. */
    private final Map<String, Integer> masters = new HashMap<>();

    /** The time since which the master of a part does not reply. */
    private final Map<String, Long> silent = new HashMap<>();

    /** The time at which this instance received a request for a failover that is not over yet. */
    private final Map<String, Long> requested = new ConcurrentHashMap<>();

    private volatile List<RedisServer> seen;

    FailoverWatch(ObjectProvider<SharedRedis> shared, News news) {
        this.group = shared.stream()
                .filter(RedisGroup.class::isInstance)
                .map(RedisGroup.class::cast)
                .findAny();
        this.news = news;
        this.seen = group.map(RedisGroup::look).orElse(List.of());
    }

    /** The servers in their last known state; none for a single server, or for a Redis that is not the shop's own. */
    List<RedisServer> seen() {
        return seen;
    }

    @Scheduled(fixedDelay = 250)
    void look() {
        group.ifPresent(this::look);
    }

    private void look(RedisGroup of) {
        looking.lock();
        try {
            List<RedisServer> servers = of.look();
            servers.stream().filter(RedisServer::isMaster).forEach(this::compare);
            seen = servers;
            of.mend(servers).forEach(port -> news.good(RedisServer.address(port) + " had died and was started again."));
        } finally {
            looking.unlock();
        }
    }

    private void compare(RedisServer master) {
        switch (master.state()) {
            case DOWN -> {
                if (silent.putIfAbsent(master.part(), System.nanoTime()) == null) {
                    news.bad(master.address() + ", the master with " + master.part() + ", does not reply.");
                }
            }
            case UP -> works(master);
            case SYNCING -> {} // the next state follows in a moment
        }
    }

    private void works(RedisServer master) {
        String part = master.part();
        Integer before = masters.put(part, master.port());
        Long lost = silent.remove(part);
        if (before != null && before != master.port()) {
            news.good("%s is the master with %s now, instead of %s%s."
                    .formatted(
                            master.address(),
                            part,
                            RedisServer.address(before),
                            after(requested.getOrDefault(part, lost))));
        } else if (lost != null) {
            news.good(master.address() + ", the master with " + part + ", replies again" + after(lost) + ".");
        }
    }

    private static String after(@Nullable Long begin) {
        return begin == null ? "" : String.format(Locale.ROOT, ", after %.2f s", (System.nanoTime() - begin) / 1e9);
    }

    /**
     * Replaces a master with a replica. Returns when that is done.
     *
     * @throws IllegalStateException if it cannot be done
     */
    void failOver(int port) {
        RedisServer master = seen.stream()
                .filter(server -> server.port() == port && server.isMaster() && server.state() == State.UP)
                .findAny()
                .orElseThrow(() -> new IllegalStateException(RedisServer.address(port) + " is not a master"));
        if (requested.putIfAbsent(master.part(), System.nanoTime()) != null) {
            throw new IllegalStateException("A failover of " + master.address() + " is under way");
        }
        try {
            news.good("A failover of " + master.address() + ", the master with " + master.part() + ", was requested.");
            group.orElseThrow().failOver(port);
            look();
        } finally {
            requested.remove(master.part());
        }
    }
}
