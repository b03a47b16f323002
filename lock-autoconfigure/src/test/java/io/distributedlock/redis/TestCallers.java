/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.RandomMoments;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The threads of a test, each of them a caller. None of them is left over, and no wait for them is without an end. */
final class TestCallers implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<Call<?>> calls = new CopyOnWriteArrayList<>();

    /** What one thread does. */
    static final class Call<T> {

        private final CompletableFuture<T> outcome = new CompletableFuture<>();

        private final Thread thread;

        private Call(Callable<T> task, int number) {
            thread = new Thread(
                    () -> {
                        try {
                            outcome.complete(task.call());
                        } catch (Throwable e) {
                            outcome.completeExceptionally(e);
                        }
                    },
                    "caller-" + number);
            thread.setDaemon(true);
            thread.start();
        }

        Thread thread() {
            return thread;
        }

        boolean isDone() {
            return outcome.isDone();
        }

        /** Whether it is done within so many nanoseconds. */
        boolean isDoneWithin(long nanos) {
            return RandomMoments.isDoneWithin(nanos, outcome);
        }

        /** What it returned; what it threw is thrown here. */
        T get() {
            return TestCallers.get(outcome);
        }

        /** What it threw. */
        Throwable failure() {
            return outcome.handle((value, failure) -> {
                        if (failure == null) {
                            throw new AssertionError("It did not fail, but returned " + value);
                        }
                        return failure;
                    })
                    .orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        }

        /** Waits until it waits. */
        Call<T> awaitBlocked() {
            await().pollInterval(Duration.ofMillis(1)).until(() -> switch (thread.getState()) {
                case WAITING, TIMED_WAITING, BLOCKED, TERMINATED -> true;
                default -> false;
            });
            return this;
        }
    }

    <T> Call<T> call(Callable<T> task) {
        Call<T> call = new Call<>(task, calls.size() + 1);
        calls.add(call);
        return call;
    }

    /** Adds all results before it fails if there was a failure, so that what was opened can be closed. */
    static <T> List<T> getAllInto(Collection<? super T> results, List<Call<T>> calls) {
        List<T> all = new ArrayList<>();
        RuntimeException failure = null;
        for (Call<T> call : calls) {
            try {
                T result = call.get();
                all.add(result);
                results.add(result);
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return all;
    }

    /** Waits with a limit. */
    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (e.getCause() instanceof Error failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("Nothing within " + LIMIT, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        for (Call<?> call : calls) {
            if (call.thread.isAlive()) {
                call.thread.interrupt();
            }
        }
        for (Call<?> call : calls) {
            join(call.thread);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join(LIMIT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            throw new AssertionError(thread + " does not end");
        }
    }
}
