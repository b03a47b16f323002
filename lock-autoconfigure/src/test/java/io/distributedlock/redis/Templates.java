/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Makes started templates, each of them an instance of its own, and closes them after the test. */
final class Templates implements AutoCloseable {

    static final String PREFIX = "lock:";

    private static final AtomicBoolean WARM = new AtomicBoolean();

    /** As the defaults, but holds that a test left over end with it. */
    static final EngineSettings SETTINGS = settings(EngineSettings.DEFAULTS.commandTimeout(), Duration.ZERO);

    /** For tests of faults: gives up soon on a reply. */
    static final EngineSettings IMPATIENT = settings(Duration.ofMillis(300), Duration.ZERO);

    /**
     * For instances that a test of faults does not break: a reply may be as late as a busy machine makes it. The lease
     * of a request limits that time too, so such an instance needs long leases.
     */
    static final EngineSettings PATIENT = settings(Noise.LATEST, Duration.ZERO);

    private final Deque<Runnable> closing = new ArrayDeque<>();

    static EngineSettings settings(Duration commandTimeout, Duration shutdownGrace) {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return new EngineSettings(
                defaults.lease(),
                defaults.waitUpTo(),
                defaults.maxHold(),
                commandTimeout,
                defaults.maxPasses(),
                defaults.maxBatch(),
                shutdownGrace);
    }

    /** As {@link #PATIENT}, with other limits for passing a lock on inside an instance. */
    static EngineSettings fairness(int maxPasses, Duration maxBatch) {
        return new EngineSettings(
                PATIENT.lease(),
                PATIENT.waitUpTo(),
                PATIENT.maxHold(),
                PATIENT.commandTimeout(),
                maxPasses,
                maxBatch,
                PATIENT.shutdownGrace());
    }

    static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    /** A request with a lease of that many milliseconds. */
    static LockRequest leased(String name, long millis) {
        return LockRequest.of(name).lease(millis(millis));
    }

    RedisLockTemplate on(LettuceConnectionFactory factory) {
        return on(factory, PATIENT);
    }

    /** The factory is closed with the template. */
    RedisLockTemplate on(LettuceConnectionFactory factory, EngineSettings settings) {
        return started(new RedisLockTemplate(factory, PREFIX, settings), factory);
    }

    /** The factory is closed with the template. */
    RedisLockTemplate started(RedisLockTemplate template, LettuceConnectionFactory factory) {
        closing.push(factory::destroy);
        closing.push(template::close);
        template.start();
        return template;
    }

    @Override
    public void close() {
        while (!closing.isEmpty()) {
            closing.pop().run();
        }
    }

    /**
     * The first use in a JVM loads most classes, which may take longer than the short time-outs of a test. It pays for
     * that here, once.
     */
    static void warmUpThisJvm() {
        if (WARM.getAndSet(true)) {
            return;
        }
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Templates templates = new Templates()) {
            RedisLockTemplate template = templates.on(StandaloneServer.connectionFactory(redis.port()), PATIENT);
            warmUp(template);
            template.inspect("warm-up");
        }
    }

    /** So that the connection is there and the server knows the scripts. The first replies may come late. */
    static void warmUp(RedisLockTemplate template) {
        long deadline = System.nanoTime() + Noise.patience().toNanos();
        while (true) {
            try {
                template.acquire(leased("warm-up", 5_000)).close();
                return;
            } catch (LockUnavailableException | LockReleaseUnconfirmedException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
            }
        }
    }
}
