/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * An application with a Redis of its own, for tests of what annotated methods do. As an extension in a static field, it
 * checks after each test that no key is left, and ends with the class. It starts again if tests of the class are run
 * again.
 */
final class LockedApplication implements BeforeAllCallback, AfterEachCallback, AfterAllCallback, AutoCloseable {

    static final Duration LONG = Duration.ofSeconds(60);

    private final Class<?>[] beans;

    private EmbeddedRedis redis;

    private AnnotationConfigApplicationContext context;

    LockedApplication(Class<?>... beans) {
        this.beans = beans;
        start();
    }

    private void start() {
        redis = EmbeddedRedis.start();
        context = new AnnotationConfigApplicationContext();
        TestPropertyValues.of("spring.data.redis.port=" + redis.port(), TestRedis.PATIENT)
                .applyTo(context);
        // As in Spring Boot, where auto-configurations come after the application's own.
        context.register(beans);
        context.register(
                AopAutoConfiguration.class, DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class);
        context.refresh();
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    LockOperations locks() {
        return bean(LockOperations.class);
    }

    /** A hold of another caller. */
    LockHandle hold(String name) {
        return locks().acquireAsync(LockRequest.of(name).waitForever())
                .toCompletableFuture()
                .join();
    }

    boolean isHeld(String name) {
        return locks().inspect(name).isPresent();
    }

    int waiting(String name) {
        return locks().inspect(name).map(LockState::waitingInstances).orElse(0);
    }

    void awaitFree(String name) {
        await("lock " + name + " is free").atMost(LONG).until(() -> !isHeld(name));
    }

    List<String> keys() {
        try (RespClient client = redis.connect()) {
            return client.keys("lock:*");
        }
    }

    /** That have a subscription in Redis. */
    List<String> channels() {
        try (RespClient client = redis.connect()) {
            return client.list("PUBSUB", "CHANNELS");
        }
    }

    /** The mark of an acquisition that was cancelled on a busy machine expires after twice its lease. */
    void awaitNoKeys() {
        await("no key is left")
                .atMost(LONG.plus(LONG))
                .untilAsserted(() -> assertThat(keys()).isEmpty());
    }

    @Override
    public void beforeAll(ExtensionContext tests) {
        if (!context.isActive()) {
            start();
        }
    }

    @Override
    public void afterEach(ExtensionContext test) {
        awaitNoKeys();
    }

    @Override
    public void afterAll(ExtensionContext tests) {
        close();
    }

    @Override
    public void close() {
        context.close();
        redis.close();
    }
}
