/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.concurrent.Executor;

/**
 * Where code of the application runs. Each kind has threads of its own, so that one kind never waits for another:
 * callbacks of lost holds, listeners of events, what depends on asynchronous acquisitions, and on asynchronous
 * releases. Of each kind, {@value #THREADS} may be busy at the same time; the next one then waits for the first of them
 * to end.
 *
 * <p>What waits has no bound of its own, but there is at most one entry per asynchronous caller and release, and per
 * lost hold one for each of its callbacks and one for the event.
 */
final class CallbackExecutor {

    /** Threads exist only while so many are busy. */
    static final int THREADS = 256;

    private final Executor losses;

    private final Executor events;

    private final Executor continuations;

    private final Executor releases;

    private final Runnable close;

    private CallbackExecutor(
            Executor losses, Executor events, Executor continuations, Executor releases, Runnable close) {
        this.losses = losses;
        this.events = events;
        this.continuations = continuations;
        this.releases = releases;
        this.close = close;
    }

    static CallbackExecutor onThreads() {
        CallbackPool losses = new CallbackPool("distributed-lock-loss", THREADS);
        CallbackPool events = new CallbackPool("distributed-lock-event", THREADS);
        CallbackPool continuations = new CallbackPool("distributed-lock-async", THREADS);
        CallbackPool releases = new CallbackPool("distributed-lock-release", THREADS);
        return new CallbackExecutor(losses, events, continuations, releases, () -> {
            losses.close();
            releases.close();
            events.close();
            continuations.close();
        });
    }

    /** All of them there. */
    static CallbackExecutor on(Executor executor) {
        return new CallbackExecutor(executor, executor, executor, executor, () -> {});
    }

    /** A callback of a lost hold. */
    void lost(Runnable callback) {
        losses.execute(callback);
    }

    void event(Runnable listener) {
        events.execute(listener);
    }

    /** Completes the stage of an asynchronous acquisition. */
    void result(Runnable completion) {
        continuations.execute(completion);
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
