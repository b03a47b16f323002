/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.logging.SafeLog;
import java.util.Arrays;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The actions that a transition of a {@link NamedLock} defers until its monitor is released, in order: sending
 * commands, waking callers. Each may run twice, since the first result counts. Not thread-safe; lives for one
 * transition.
 *
 * <p>An action that fails does not prevent the others. Memory or stack may have run out, so the timer's thread, whose
 * stack is empty, repeats it: at once, and then a few times more after a pause.
 */
final class DeferredActions extends TimerTask {

    private static final Log log = SafeLog.of(DeferredActions.class);

    private static final int MOST_FAILURES = 20;

    private static final long PAUSE_NANOS = 100_000_000;

    private final EngineContext engine;

    private @Nullable Runnable @Nullable [] actions;

    /** How many there are, and after a failure, how many are left. */
    private int size;

    /** Whose transition has failed half-way, and is to be armed for now. */
    private @Nullable NamedLock halfDone;

    private int failures;

    /** Another one that was handed over. */
    @Nullable
    DeferredActions handedOverBefore;

    DeferredActions(EngineContext engine) {
        this.engine = engine;
    }

    void add(Runnable effect) {
        @Nullable Runnable[] known = actions;
        if (known == null) {
            known = new Runnable[2];
        } else if (size == known.length) {
            known = Arrays.copyOf(known, 2 * size);
        }
        known[size] = effect;
        actions = known;
        size++;
    }

    /** It counts as under way from now on, since its lock may be retired before the actions run. */
    void start(PendingRelease release) {
        release.register();
        add(release::start);
    }

    /** The timer begins the next transition, which completes this one. */
    void failedHalfWay(NamedLock lock) {
        halfDone = lock;
    }

    /** Throws nothing as long as the stack suffices to hand over the failed actions. */
    void run() {
        Throwable failure = runAll();
        if (failure != null) {
            engine.handOver(this);
            log.error("A step of the lock engine has failed, and is repeated", failure);
        }
    }

    /** What was handed over, on the timer's thread. */
    @Override
    void onDue(long now) {
        Throwable failure = runAll();
        if (failure == null) {
            return;
        }
        failures++;
        if (failures < MOST_FAILURES) {
            engine.arm(this, now + PAUSE_NANOS);
        } else {
            log.error("A step of the lock engine fails each time; this is a bug", failure);
        }
    }

    /**
     * Keeps those that fail. Calls nothing else, since that might fail as well.
     *
     * @return what has failed last, or null
     */
    private @Nullable Throwable runAll() {
        Throwable failure = null;
        NamedLock armed = halfDone;
        if (armed != null) {
            try {
                engine.arm(armed, engine.now());
                halfDone = null;
            } catch (Throwable ex) {
                failure = ex;
            }
        }
        @Nullable Runnable[] all = actions;
        int kept = 0;
        for (int i = 0; all != null && i < size; i++) {
            Runnable effect = all[i];
            try {
                if (effect != null) {
                    effect.run();
                }
            } catch (Throwable ex) {
                failure = ex;
                all[kept] = effect;
                kept++;
            }
        }
        size = kept;
        return failure;
    }
}
