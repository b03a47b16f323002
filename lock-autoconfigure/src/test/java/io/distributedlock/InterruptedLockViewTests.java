/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

class InterruptedLockViewTests {

    /** Such as those without Redis, which grant each request at once. */
    private static final LockOperations UNINTERRUPTIBLE = (LockOperations) Proxy.newProxyInstance(
            LockOperations.class.getClassLoader(),
            new Class<?>[] {LockOperations.class},
            (proxy, method, arguments) -> {
                throw new AssertionError("requested by " + method.getName());
            });

    private final Lock lock = new LockView(UNINTERRUPTIBLE, LockRequest.of("a"));

    @Test
    void aThreadThatWasInterruptedBeforeSendsNoRequest() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
