/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.machine;

import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** The same Redis, a millisecond further away: every round trip takes that much longer. */
public final class DelayedRedis implements AutoCloseable {

    private static final long EXTRA_NANOS = 1_000_000;

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private static final int PINGS = 300;

    private final WorkerJvm proxy;

    private final int port;

    private final long directNanos;

    private long roundTripNanos;

    private DelayedRedis(WorkerJvm proxy, int redisPort) {
        this.proxy = proxy;
        this.port = Integer.parseInt(proxy.request(LIMIT, "port"));
        this.directNanos = medianPing(redisPort);
    }

    public static DelayedRedis before(int redisPort) {
        WorkerJvm proxy = WorkerJvm.start(List.of("-Xmx128m"), DelayProxy.class, Integer.toString(redisPort));
        DelayedRedis delayed = new DelayedRedis(proxy, redisPort);
        delayed.calibrate();
        return delayed;
    }

    public int port() {
        return port;
    }

    /** The measured median time of a PING through the delay. */
    public long roundTripNanos() {
        return roundTripNanos;
    }

    /** Timers and the proxy itself take time, too, so the delay is reduced by that time. */
    private void calibrate() {
        long delay = EXTRA_NANOS / 2;
        for (int i = 0; i < 4; i++) {
            proxy.request(LIMIT, "delay", delay);
            roundTripNanos = medianPing(port);
            delay = Math.max(0, delay - (roundTripNanos - directNanos - EXTRA_NANOS) / 2);
        }
    }

    /** The median time of a PING to that port. */
    public static long medianPing(int port) {
        long[] times = new long[PINGS];
        try (RespClient client = RespClient.connect(port)) {
            for (int i = 0; i < PINGS; i++) {
                long since = System.nanoTime();
                client.call("PING");
                times[i] = System.nanoTime() - since;
            }
        }
        Arrays.sort(times);
        return times[PINGS / 2];
    }

    @Override
    public void close() {
        proxy.close();
    }
}
