/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Runs tasks that may wait for each other, each on a thread of its own. The common pool is not made for them: on two
 * processors it has a single thread, and since JDK 25 the asynchronous methods of {@link CompletableFuture} without an
 * executor always use it.
 */
public final class Background {

    private static final Executor NEW_THREAD = task -> {
        Thread thread = new Thread(task, "background");
        thread.setDaemon(true);
        thread.start();
    };

    private Background() {}

    public static CompletableFuture<Void> run(Runnable task) {
        return CompletableFuture.runAsync(task, NEW_THREAD);
    }

    public static <T> CompletableFuture<T> supply(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, NEW_THREAD);
    }

    /** For the asynchronous methods that take an executor. */
    public static Executor newThread() {
        return NEW_THREAD;
    }
}
