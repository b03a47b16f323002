/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * A server of its own for each test, since the test breaks it or what is between. One instance goes through a proxy,
 * the other ones do not.
 */
abstract class AbstractFaultTests {

    /** The command time-out of {@link Templates#IMPATIENT}. */
    static final Duration TIMEOUT = Templates.IMPATIENT.commandTimeout();

    final Templates templates = new Templates();

    final TestCallers callers = new TestCallers();

    EmbeddedRedis redis;

    TcpProxy proxy;

    @BeforeAll
    static void warmUpThisJvm() {
        Templates.warmUpThisJvm();
    }

    @BeforeEach
    void startServer() {
        redis = EmbeddedRedis.start();
        proxy = TcpProxy.to(redis.port());
    }

    @AfterEach
    void stopServer() {
        proxy.heal();
        if (redis.isAlive()) {
            redis.signal("CONT");
        }
        callers.close();
        templates.close();
        proxy.close();
        redis.close();
    }

    final RedisLockTemplate direct() {
        return direct(Templates.IMPATIENT);
    }

    final RedisLockTemplate direct(EngineSettings settings) {
        return templates.on(StandaloneServer.connectionFactory(redis.port()), settings);
    }

    /** An instance that the test does not break, see {@link Templates#PATIENT}. */
    final RedisLockTemplate patient() {
        return direct(Templates.PATIENT);
    }

    /** The server knows the scripts already, so that one command is one round trip. */
    final RedisLockTemplate proxied() {
        return proxied(Templates.IMPATIENT);
    }

    final RedisLockTemplate proxied(EngineSettings settings) {
        RedisLockTemplate template = templates.on(StandaloneServer.connectionFactory(proxy.port()), settings);
        Templates.warmUp(template);
        return template;
    }

    /** Kills the server and everything in it. */
    final void crash() {
        redis.signal("KILL");
        await().until(() -> !redis.isAlive());
        redis.close();
    }

    /** Starts an empty server in the place of the former one. */
    final void restart() {
        redis = EmbeddedRedis.start(redis.port());
    }

    final List<String> keys() {
        try (RespClient client = redis.connect()) {
            return client.keys(Templates.PREFIX + "*");
        }
    }

    final String call(String... command) {
        try (RespClient client = redis.connect()) {
            return client.text(command);
        }
    }

    /** On a busy machine, the reply to a release may take longer than the short {@link #TIMEOUT}. */
    static void closeInTime(LockHandle handle) {
        try {
            handle.close();
        } catch (LockReleaseUnconfirmedException e) {
            if (Noise.now().compareTo(TIMEOUT) <= 0) {
                throw e;
            }
        }
    }

    /** How long the task of another thread took until it failed or returned; it must do so within the limit. */
    final Duration timeOf(Callable<?> task) {
        return callers.call(() -> {
                    Stopwatch watch = Stopwatch.start();
                    try {
                        Object result = task.call();
                        if (result instanceof LockHandle handle) {
                            handle.close();
                        }
                    } catch (RuntimeException e) {
                        // The time is what counts.
                    }
                    return watch.elapsed();
                })
                .get();
    }
}
