/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.logging.SafeLog;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The objects that the parts of one engine share: the store, the clock and its timers, the numbers that apply to all
 * locks, and the receivers of reports. It decides nothing about a lock.
 */
final class EngineContext {

    private static final Log log = SafeLog.of(LockEngine.class);

    private static final long AFTER_FAILURE_NANOS = 100_000_000;

    private final LeaseStore store;

    private final EngineSettings settings;

    private final NanoClock clock;

    private final LongUnaryOperator random;

    private final CallbackExecutor callbacks;

    private final TimerQueue timers;

    private final LeaseRenewal renewal;

    private final ShardRetries retries;

    private final ListenerCalls listening;

    private final LockLog lockLog;

    private final EngineEvents events;

    private final LockRegistry locks;

    private final PendingReleases releases;

    private final BlockingCalls calls;

    private final long retention;

    /** The highest token seen of any lock, so that tokens grow even if the store has lost them. */
    private final AtomicLong floor = new AtomicLong();

    private final AtomicLong numbers = new AtomicLong();

    private final Runnable wakeUp;

    /** What has failed and is done again by the timer's thread; each refers to the one before. */
    private final AtomicReference<@Nullable DeferredActions> handedOver = new AtomicReference<>();

    private volatile boolean closing;

    private volatile HolderNames holders = HolderNames.NONE;

    /**
     * Registers as the listener of the store.
     *
     * @param random returns a number from 0 to its bound
     * @param events receives events, on a thread for application code
     * @param listener measures acquisitions and commands, or null
     * @param wakeUp ends the sleep of the thread that runs the timers
     */
    EngineContext(
            LeaseStore store,
            EngineSettings settings,
            NanoClock clock,
            LongUnaryOperator random,
            CallbackExecutor callbacks,
            Consumer<? super LockEvent> events,
            @Nullable LockListener listener,
            Runnable wakeUp) {
        this.store = store;
        this.settings = settings;
        this.clock = clock;
        this.random = random;
        this.callbacks = callbacks;
        this.retention = ResolvedRequest.nanos(settings.retention());
        this.wakeUp = wakeUp;
        this.timers = new TimerQueue(wakeUp);
        this.retries = new ShardRetries(store);
        this.listening = new ListenerCalls(listener, clock);
        this.lockLog = new LockLog(clock);
        this.renewal = new LeaseRenewal(store, listening);
        this.events = new EngineEvents(callbacks, lockLog, listening, events);
        this.calls = new BlockingCalls(this);
        this.locks = new LockRegistry(this);
        this.releases = new PendingReleases(this);
        TimerTask retry = new TimerTask() {
            @Override
            void onDue(long now) {
                callbacks.startMissing();
            }
        };
        callbacks.whenNotStarted(() -> arm(retry, now() + AFTER_FAILURE_NANOS));
        store.listen(locks);
    }

    // ---- time

    long now() {
        return clock.nanos();
    }

    /** How long to wait for a reply about a lease of this length. */
    long timeout(long lease) {
        return settings.replyTimeout(lease);
    }

    /** From 0 to the bound: a spread for actions that many instances would otherwise take at the same moment. */
    long random(long bound) {
        return random.applyAsLong(bound);
    }

    void arm(TimerTask timed, long due) {
        timers.arm(timed, due);
    }

    void disarm(TimerTask timed) {
        timers.disarm(timed);
    }

    /** The timer's thread does it. Allocates nothing and takes few frames, since the caller may be out of both. */
    void handOver(DeferredActions actions) {
        add(actions, actions);
        wakeUp.run();
    }

    /**
     * @param first refers to the one before, and so on
     * @param last the end of that chain
     */
    private void add(DeferredActions first, DeferredActions last) {
        DeferredActions before;
        do {
            before = handedOver.get();
            last.handedOverBefore = before;
        } while (!handedOver.compareAndSet(before, first));
    }

    /** Whether there is something that {@link #runHandedOver()} would run. */
    boolean hasHandedOver() {
        return handedOver.get() != null;
    }

    /** The same for a single step; it may be done twice. */
    void doLater(Runnable step) {
        DeferredActions actions = new DeferredActions(this);
        actions.add(step);
        handOver(actions);
    }

    /** What was handed over. To be called by the timer's thread. After a failure, the rest remains handed over. */
    void runHandedOver() {
        DeferredActions next = handedOver.getAndSet(null);
        try {
            while (next != null) {
                DeferredActions actions = next;
                runDue(actions, now());
                next = actions.handedOverBefore;
                actions.handedOverBefore = null;
            }
        } finally {
            if (next != null) {
                add(next, lastOf(next));
            }
        }
    }

    private static DeferredActions lastOf(DeferredActions first) {
        DeferredActions last = first;
        for (DeferredActions each = first; each != null; each = each.handedOverBefore) {
            last = each;
        }
        return last;
    }

    /**
     * Runs all timers that are due, and sends the collected renewals. A failure, for example for lack of memory,
     * affects only one timer, which is repeated: without timers, no lease would be renewed and no loss reported.
     */
    void runTimers() {
        try {
            runHandedOver();
        } finally {
            runDueTimers();
        }
    }

    private void runDueTimers() {
        long now = now();
        int atMost = timers.size();
        for (TimerTask due = timers.pollDue(now); due != null; due = --atMost > 0 ? timers.pollDue(now) : null) {
            runDue(due, now);
        }
        try {
            renewal.flush();
        } catch (Throwable ex) {
            log.error("Leases could not be renewed this time", ex);
        }
    }

    private void runDue(TimerTask due, long now) {
        try {
            due.onDue(now);
        } catch (Throwable ex) {
            timers.arm(due, now + AFTER_FAILURE_NANOS);
            log.error("A timer of the lock engine has failed", ex);
        }
    }

    // ---- values for all locks

    long floor() {
        return floor.get();
    }

    void tokenSeen(long token) {
        if (token > floor.get()) {
            floor.accumulateAndGet(token, Math::max);
        }
    }

    long nextNumber(String name) {
        return store.number(name, numbers.incrementAndGet());
    }

    /** How long a lease is kept without a local caller. */
    long retention() {
        return retention;
    }

    void beginClosing() {
        closing = true;
    }

    boolean isClosing() {
        return closing;
    }

    void setHolderNames(HolderNames names) {
        holders = names;
    }

    /** Finds the holders of busy locks. */
    HolderNames holders() {
        return holders;
    }

    // ---- the other parts

    LeaseStore store() {
        return store;
    }

    EngineSettings settings() {
        return settings;
    }

    TimerQueue timers() {
        return timers;
    }

    LeaseRenewal renewal() {
        return renewal;
    }

    ShardRetries retries() {
        return retries;
    }

    LockRegistry locks() {
        return locks;
    }

    PendingReleases releases() {
        return releases;
    }

    BlockingCalls calls() {
        return calls;
    }

    CallbackExecutor callbacks() {
        return callbacks;
    }

    EngineEvents events() {
        return events;
    }

    ListenerCalls listening() {
        return listening;
    }

    LockLog lockLog() {
        return lockLog;
    }
}
