/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The replies of several servers to one request. It ends when all have replied, with a decisive reply, a moment after a
 * useful one, or at its limit: a server that is frozen or gone must not delay the others.
 *
 * @param <T> a reply
 */
final class ReplyCollector<T> {

    private static final long MOMENT_MILLIS = 200;

    private final EventExecutorGroup executors;

    private final Predicate<T> useful;

    private final Predicate<T> decisive;

    private final int expected;

    @GuardedBy("this")
    private final List<T> replies = new ArrayList<>();

    @GuardedBy("this")
    private final List<Throwable> failures = new ArrayList<>();

    private final CompletableFuture<ReplyCollector<T>> end = new CompletableFuture<>();

    @GuardedBy("this")
    private boolean ending;

    private ReplyCollector(EventExecutorGroup executors, int expected, Predicate<T> useful, Predicate<T> decisive) {
        this.executors = executors;
        this.expected = expected;
        this.useful = useful;
        this.decisive = decisive;
    }

    static <T> ReplyCollector<T> start(
            EventExecutorGroup executors, int expected, long limitMillis, Predicate<T> useful) {
        return start(executors, expected, limitMillis, useful, reply -> false);
    }

    /** @param decisive whether no other reply can change the outcome */
    static <T> ReplyCollector<T> start(
            EventExecutorGroup executors, int expected, long limitMillis, Predicate<T> useful, Predicate<T> decisive) {
        ReplyCollector<T> started = new ReplyCollector<>(executors, expected, useful, decisive);
        started.endAfter(limitMillis);
        return started;
    }

    void replied(@Nullable T reply, @Nullable Throwable failure) {
        boolean soon = false;
        boolean enough;
        synchronized (this) {
            if (reply != null) {
                replies.add(reply);
                soon = useful.test(reply) && !ending;
                ending |= soon;
            } else if (failure != null) {
                failures.add(failure);
            }
            enough = replies.size() + failures.size() >= expected || (reply != null && decisive.test(reply));
        }
        if (enough) {
            end.complete(this);
        } else if (soon) {
            endAfter(MOMENT_MILLIS);
        }
    }

    private void endAfter(long millis) {
        var timer = executors.schedule(() -> end.complete(this), millis, TimeUnit.MILLISECONDS);
        end.whenComplete((ended, failure) -> timer.cancel(false));
    }

    /** Completes with this object. */
    CompletableFuture<ReplyCollector<T>> end() {
        return end;
    }

    synchronized List<T> replies() {
        return List.copyOf(replies);
    }

    synchronized List<Throwable> failures() {
        return List.copyOf(failures);
    }
}
