/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockOwner;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Where code of the application runs. Each kind has threads of its own, so that one kind never waits for another:
 * callbacks of lost holds, listeners of events, what depends on asynchronous acquisitions, and on asynchronous
 * releases. Of each kind, {@value #THREADS} may be busy at the same time; the next one then waits for the first of them
 * to end.
 *
 * <p>What depends on an acquisition may wait for another one inside of its own work. So work that is nested has threads
 * of its own, for each depth: those further out may all wait for it. Only below a depth of {@value #DEPTHS} it shares
 * them.
 *
 * <p>What waits has no bound of its own, but there is at most one entry per asynchronous caller and release, and per
 * lost hold one for each of its callbacks and one for the event.
 */
final class CallbackExecutor {

    /** Threads exist only while so many are busy. */
    static final int THREADS = 256;

    static final int DEPTHS = 8;

    private final Executor losses;

    private final Executor events;

    /** By the depth of nesting. */
    private final List<? extends Executor> continuations;

    private final Executor releases;

    private final Runnable close;

    private CallbackExecutor(
            Executor losses,
            Executor events,
            List<? extends Executor> continuations,
            Executor releases,
            Runnable close) {
        this.losses = losses;
        this.events = events;
        this.continuations = continuations;
        this.releases = releases;
        this.close = close;
    }

    static CallbackExecutor onThreads() {
        CallbackPool losses = new CallbackPool("distributed-lock-loss", THREADS);
        CallbackPool events = new CallbackPool("distributed-lock-event", THREADS);
        List<CallbackPool> continuations = IntStream.range(0, DEPTHS)
                .mapToObj(depth -> "distributed-lock-async" + (depth == 0 ? "" : "-in-" + depth))
                .map(name -> new CallbackPool(name, THREADS))
                .toList();
        CallbackPool releases = new CallbackPool("distributed-lock-release", THREADS);
        return new CallbackExecutor(losses, events, continuations, releases, () -> {
            losses.close();
            releases.close();
            events.close();
            continuations.forEach(CallbackPool::close);
        });
    }

    /** All of them there. */
    static CallbackExecutor on(Executor executor) {
        return new CallbackExecutor(executor, executor, List.of(executor), executor, () -> {});
    }

    /** A callback of a lost hold. */
    void lost(Runnable callback) {
        losses.execute(callback);
    }

    void event(Runnable listener) {
        events.execute(listener);
    }

    /** Completes the stage of an asynchronous acquisition, by work that is nested in that of these owners. */
    void result(@Nullable LockOwner enclosing, Runnable completion) {
        int depth = 0;
        int deepest = continuations.size() - 1;
        for (LockOwner each = enclosing; each != null && depth < deepest; each = each.enclosing()) {
            depth++;
        }
        continuations.get(depth).execute(completion);
    }

    /** Completes the stage of an asynchronous release. */
    void released(Runnable completion) {
        releases.execute(completion);
    }

    /** What was handed in still runs, and so does what comes later. */
    void close() {
        close.run();
    }
}
