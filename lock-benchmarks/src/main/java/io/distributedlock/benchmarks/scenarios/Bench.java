/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.benchmarks.machine.DelayedRedis;
import io.distributedlock.benchmarks.machine.RedisCounters;
import io.distributedlock.benchmarks.machine.RedisServers;
import io.distributedlock.benchmarks.machine.Topology;
import io.distributedlock.benchmarks.report.Mark;
import io.distributedlock.benchmarks.report.Results;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The resources that all scenarios share: a Redis, with and without a delay, the other servers, their counters, the
 * pace, and the results.
 */
public final class Bench implements AutoCloseable {

    static final String ROUND_TRIP_FACT = "PING through the delay";

    private final RedisServers redis = RedisServers.start(Topology.ONE_SERVER);

    /** The other servers, from their first use on. */
    private final Map<Topology, RedisServers> others = new EnumMap<>(Topology.class);

    private final Results results = new Results();

    private final Pace pace;

    private final WorkerPool workers;

    private final Set<String> contenders;

    private final Progress progress;

    private final Path page;

    private final long roundTripNanos = DelayedRedis.medianPing(redis.port());

    private @Nullable DelayedRedis far;

    /** @param contenders the ids of the contenders that take part, or empty for all */
    public Bench(Pace pace, Set<String> contenders, Progress progress) {
        this.pace = pace;
        this.contenders = contenders;
        this.workers = new WorkerPool(pace.quick());
        results.order(
                Arrays.stream(ContenderKind.values()).map(ContenderKind::id).toList());
        results.fact("PING on loopback", micros(roundTripNanos));
        results.fact(
                "Pace",
                pace.rounds() + " rounds of " + pace.measureMillis() + " ms per contender, each after a warm-up of "
                        + pace.warmUpMillis() + " ms");
        this.progress = progress;
        try {
            this.page = Files.createTempFile("lock-benchmarks-", ".page");
            page.toFile().deleteOnExit();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Results results() {
        return results;
    }

    public void run(Scenario scenario) {
        results.begin(scenario.info());
        scenario.run(this);
    }

    public List<Mark> marks() {
        return Marks.all(this::roundTripMicros);
    }

    /** The contenders of a scenario that take part. */
    List<ContenderKind> taking(List<ContenderKind> kinds) {
        return kinds.stream()
                .filter(kind -> contenders.isEmpty() || contenders.contains(kind.id()))
                .toList();
    }

    Pace pace() {
        return pace;
    }

    Progress progress() {
        return progress;
    }

    public RedisCounters counters() {
        return redis.counters();
    }

    WorkerPool workers() {
        return workers;
    }

    Path page() {
        return page;
    }

    /** The servers of this kind of contender. Once started, they run until the end. */
    RedisServers servers(ContenderKind kind) {
        return kind.topology() == Topology.ONE_SERVER
                ? redis
                : others.computeIfAbsent(kind.topology(), RedisServers::start);
    }

    int redisPort() {
        return redis.port();
    }

    /** The port of Redis, or of the proxy that adds a millisecond to each round trip. */
    int port(boolean delayed) {
        return delayed ? far().port() : redis.port();
    }

    /** The median PING, in µs. */
    double roundTripMicros(boolean delayed) {
        return (delayed ? far().roundTripNanos() : roundTripNanos) / 1000.0;
    }

    private DelayedRedis far() {
        DelayedRedis started = far;
        if (started == null) {
            started = DelayedRedis.before(redis.port());
            far = started;
            results.fact(ROUND_TRIP_FACT, micros(started.roundTripNanos()));
        }
        return started;
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%.0f µs", nanos / 1000.0);
    }

    /** Clears the page in which holders detect each other. */
    void clearPage() {
        try {
            // The file is not truncated, since workers have mapped it.
            Files.write(page, new byte[4096], StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether any contender violated mutual exclusion. */
    public boolean isExclusionViolated() {
        return !results.violations().isEmpty();
    }

    @Override
    public void close() {
        workers.close();
        if (far != null) {
            far.close();
        }
        others.values().forEach(RedisServers::close);
        redis.close();
        try {
            Files.deleteIfExists(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
