/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Threads that wait for the stage of an asynchronous acquisition, or for one that depends on it. */
class AcquireStageTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    @Test
    void manyShortWaitsLeaveNothingBehind() throws Exception {
        LockHandle holder = one.engine.acquire(LockRequest.of("a"));
        CompletableFuture<LockHandle> stage =
                one.engine.acquireAsync(LockRequest.of("a").waitForever()).toCompletableFuture();
        CompletableFuture<LockHandle> dependent = stage.thenApply(handle -> handle);
        for (int i = 0; i < 200; i++) {
            assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> stage.get(1, TimeUnit.MICROSECONDS));
            assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> dependent.get(1, TimeUnit.MICROSECONDS));
        }

        assertThat(stage.getNumberOfDependents()).isLessThanOrEqualTo(3);
        assertThat(dependent.getNumberOfDependents()).isLessThanOrEqualTo(3);
        holder.close();
        dependent.get(10, TimeUnit.SECONDS).close();
    }
}
