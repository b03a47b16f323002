/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one engine share: the store, the clock and its timers, the numbers that count for all locks, and
 * where each part reports. Decides nothing about a lock.
 */
final class EngineContext {

    private static final Log log = LogFactory.getLog(LockEngine.class);

    private static final long AFTER_FAILURE = 100_000_000;

    private static final long SHORTEST_TIMEOUT = 100_000_000;

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

    private final BlockingCalls calls;

    private final long retention;

    /** The highest token seen of any lock, so that tokens grow even where the store has forgotten them. */
    private final AtomicLong floor = new AtomicLong();

    private final AtomicLong numbers = new AtomicLong();

    private volatile boolean closing;

    private volatile HolderNames holders = HolderNames.NONE;

    /**
     * Listens to the store from now on.
     *
     * @param random gives a number from 0 to its bound
     * @param events whom to tell what happens, on a thread for code of the application
     * @param listener what measures acquisitions and commands, or null
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
        this.timers = new TimerQueue(wakeUp);
        this.retries = new ShardRetries(store);
        this.listening = new ListenerCalls(listener, clock);
        this.lockLog = new LockLog(clock);
        this.renewal = new LeaseRenewal(store, listening);
        this.events = new EngineEvents(callbacks, lockLog, listening, events);
        this.calls = new BlockingCalls(this);
        this.locks = new LockRegistry(this);
        store.listen(locks);
    }

    // ---- time

    long now() {
        return clock.nanos();
    }

    /** How long to wait for an answer about a lease of this length. */
    long timeout(long lease) {
        return Math.min(settings.commandTimeout().toNanos(), Math.max(lease / 3, SHORTEST_TIMEOUT));
    }

    /** From 0 to the bound: a spread for what many instances would do at the same moment otherwise. */
    long random(long bound) {
        return random.applyAsLong(bound);
    }

    void arm(TimerTask timed, long due) {
        timers.arm(timed, due);
    }

    void disarm(TimerTask timed) {
        timers.disarm(timed);
    }

    /**
     * Everything that is due, and the renewals that came together. Whatever fails in it, for lack of memory perhaps,
     * fails alone and comes again: without timers, no lease would be renewed and no loss be told.
     */
    void runTimers() {
        long now = now();
        int atMost = timers.size();
        for (TimerTask due = timers.pollDue(now); due != null; due = --atMost > 0 ? timers.pollDue(now) : null) {
            try {
                due.onDue(now);
            } catch (RuntimeException | Error ex) {
                timers.arm(due, now + AFTER_FAILURE);
                log.error("A timer of the lock engine has failed", ex);
            }
        }
        try {
            renewal.flush();
        } catch (RuntimeException | Error ex) {
            log.error("Locks could not be renewed this time", ex);
        }
    }

    // ---- what counts for all locks

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

    /** For how long a lease is kept when nobody here wants it. */
    long retention() {
        return retention;
    }

    void beginClosing() {
        closing = true;
    }

    boolean isClosing() {
        return closing;
    }

    void holders(HolderNames names) {
        holders = names;
    }

    /** Who is asked for the holders of busy locks. */
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

    LockLog log() {
        return lockLog;
    }
}
