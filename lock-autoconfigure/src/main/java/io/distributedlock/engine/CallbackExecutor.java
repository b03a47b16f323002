/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockOwner;
import io.distributedlock.composite.LossReaction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs application code. Each kind has threads of its own, so that one kind never waits for another: callbacks of lost
 * holds, interrupts and cancellations because of a loss, listeners of events, continuations of asynchronous
 * acquisitions, and those of asynchronous releases. Each kind may have {@value #THREADS} busy threads; the next task
 * then waits for the first of them to end.
 *
 * <p>A continuation of an acquisition may wait for another one inside its own work. So nested work has threads of its
 * own for each of {@value #DEPTHS} depths, the outermost included: all outer ones may wait for it. Deeper work shares
 * the threads of the last depth.
 *
 * <p>The waiting tasks have no bound of their own, but there is at most one for each asynchronous caller and release,
 * and for each lost hold one for each of its callbacks and one for each of its reports.
 */
final class CallbackExecutor {

    /** Maximum number of threads; a thread exists only while it is needed. */
    static final int THREADS = 256;

    static final int DEPTHS = 8;

    private final Executor losses;

    private final Executor reactions;

    private final Executor events;

    /** By the depth of nesting. */
    private final List<? extends Executor> continuations;

    private final Executor releases;

    /** What of these has threads of its own. */
    private final List<CallbackPool> pools;

    private CallbackExecutor(
            Executor losses,
            Executor reactions,
            Executor events,
            List<? extends Executor> continuations,
            Executor releases,
            List<CallbackPool> pools) {
        this.losses = losses;
        this.reactions = reactions;
        this.events = events;
        this.continuations = continuations;
        this.releases = releases;
        this.pools = pools;
    }

    static CallbackExecutor onThreads() {
        return onThreads(Thread::start);
    }

    static CallbackExecutor onThreads(Consumer<Thread> starter) {
        List<CallbackPool> pools = new ArrayList<>();
        Function<String, CallbackPool> pool = name -> {
            CallbackPool made = new CallbackPool("distributed-lock-" + name, THREADS, CallbackPool.IDLE_NANOS, starter);
            pools.add(made);
            return made;
        };
        CallbackPool losses = pool.apply("loss");
        CallbackPool reactions = pool.apply("interrupt");
        CallbackPool events = pool.apply("event");
        List<CallbackPool> continuations = IntStream.range(0, DEPTHS)
                .mapToObj(depth -> "async" + (depth == 0 ? "" : "-in-" + depth))
                .map(pool)
                .toList();
        CallbackPool releases = pool.apply("release");
        return new CallbackExecutor(losses, reactions, events, continuations, releases, pools);
    }

    /** All pools. */
    static CallbackExecutor on(Executor executor) {
        return new CallbackExecutor(executor, executor, executor, List.of(executor), executor, List.of());
    }

    /** @param retry sees that {@link #startMissing} is called after a while; must not block */
    void whenNotStarted(Runnable retry) {
        pools.forEach(pool -> pool.whenNotStarted(retry));
    }

    /** Tries again to start threads that could not be started and that tasks wait for. */
    void startMissing() {
        pools.forEach(CallbackPool::startMissing);
    }

    /** A callback of a lost hold. */
    void lost(Runnable callback) {
        (callback instanceof LossReaction ? reactions : losses).execute(callback);
    }

    /** Work because of a loss that must not wait for callbacks of the application. */
    void reaction(Runnable work) {
        reactions.execute(work);
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

    /** Submitted tasks still run, and so do later ones. */
    void close() {
        pools.forEach(CallbackPool::close);
    }
}
