/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.testing.RespClient;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Sends requests to single servers of this machine, which may be dead or frozen. */
final class Probe {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private static final long PAUSE = Duration.ofMillis(20).toNanos();

    private Probe() {}

    /** Sends a request and returns the reply; empty if the server does not reply, or replies with an error. */
    static <T> Optional<T> request(int port, Function<RespClient, T> request) {
        try (RespClient client = RespClient.connect(port, TIMEOUT)) {
            return Optional.of(request.apply(client));
        } catch (UncheckedIOException | IllegalStateException ex) {
            return Optional.empty();
        }
    }

    /** The mode of the server: {@code standalone}, {@code cluster} or {@code sentinel}. */
    static Optional<String> mode(int port) {
        return request(port, client -> client.text("INFO", "server"))
                .flatMap(info -> info.lines()
                        .filter(line -> line.startsWith("redis_mode:"))
                        .map(line -> line.substring("redis_mode:".length()).strip())
                        .findFirst());
    }

    static boolean await(Duration limit, BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begin > limit.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(PAUSE);
        }
        return true;
    }
}
