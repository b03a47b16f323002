/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.DistributedLockException;
import io.distributedlock.HoldReport;
import io.distributedlock.LockActivity;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockListener;
import io.distributedlock.LockListener.Refusal;
import io.distributedlock.LockLostEvent;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.LockScope;
import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import io.distributedlock.ServerClockSetBackEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Distributed locks over a {@link LeaseStore}. One engine is one instance. */
public final class LockEngine implements AutoCloseable {

    private static final Log log = LogFactory.getLog(LockEngine.class);

    private static final long AFTER_FAILURE = 100_000_000;

    private static final long LOOK_AGAIN_NANOS = 1_000_000;

    private final LeaseStore store;

    private final EngineSettings settings;

    private final NanoClock clock;

    private final TimerQueue timers;

    private final @Nullable TimerThread thread;

    private final LeaseRenewal renewal;

    private final CallbackExecutor callbacks;

    private final Consumer<? super LockEvent> events;

    private final long retention;

    private final LongUnaryOperator random;

    private final LockLog lockLog;

    private final ListenerCalls listening;

    private final LockRegistry locks = new LockRegistry(this);

    private final BlockingCalls calls = new BlockingCalls(this);

    private final ShardRetries retries;

    /** The highest token seen of any lock, so that tokens grow even where the store has forgotten them. */
    private final AtomicLong floor = new AtomicLong();

    private final AtomicLong numbers = new AtomicLong();

    private volatile boolean closing;

    /** Starts an engine that nobody listens to. */
    public LockEngine(LeaseStore store, EngineSettings settings) {
        this(store, settings, event -> {});
    }

    /** Starts an engine that nobody measures. */
    public LockEngine(LeaseStore store, EngineSettings settings, Consumer<? super LockEvent> events) {
        this(store, settings, events, null);
    }

    /**
     * Starts an engine with a timer thread of its own.
     *
     * @param events whom to tell what happens, on a thread for code of the application
     * @param listener what measures acquisitions and commands, or null
     */
    public LockEngine(
            LeaseStore store,
            EngineSettings settings,
            Consumer<? super LockEvent> events,
            @Nullable LockListener listener) {
        this.store = store;
        this.settings = settings;
        this.events = events;
        this.retention = ResolvedRequest.nanos(settings.retention());
        this.clock = NanoClock.SYSTEM;
        this.listening = new ListenerCalls(listener, clock);
        this.lockLog = new LockLog(clock);
        this.renewal = new LeaseRenewal(store, listening);
        this.retries = new ShardRetries(store);
        this.callbacks = CallbackExecutor.onThreads();
        TimerThread timer = new TimerThread(this);
        this.thread = timer;
        this.timers = new TimerQueue(timer::wakeUp);
        this.random = bound -> ThreadLocalRandom.current().nextLong(bound);
        store.listen(locks);
        timer.start();
    }

    /** An engine that stands still until a test calls {@link #runTimers()}. */
    LockEngine(LeaseStore store, EngineSettings settings, NanoClock clock, Executor callbacks) {
        this(store, settings, clock, callbacks, event -> {});
    }

    LockEngine(
            LeaseStore store,
            EngineSettings settings,
            NanoClock clock,
            Executor callbacks,
            Consumer<? super LockEvent> events) {
        this(store, settings, clock, callbacks, events, null);
    }

    LockEngine(
            LeaseStore store,
            EngineSettings settings,
            NanoClock clock,
            Executor callbacks,
            Consumer<? super LockEvent> events,
            @Nullable LockListener listener) {
        this.store = store;
        this.settings = settings;
        this.events = events;
        this.retention = ResolvedRequest.nanos(settings.retention());
        this.clock = clock;
        this.listening = new ListenerCalls(listener, clock);
        this.lockLog = new LockLog(clock);
        this.renewal = new LeaseRenewal(store, listening);
        this.retries = new ShardRetries(store);
        this.callbacks = CallbackExecutor.on(callbacks);
        this.thread = null;
        this.timers = new TimerQueue(() -> {});
        this.random = new Random(0)::nextLong;
        store.listen(locks);
    }

    // ---- what applications call

    /** See {@link io.distributedlock.LockOperations#acquire}. */
    public LockHandle acquire(LockRequest request) {
        LockHandle nested = reenter(request);
        if (nested != null) {
            return nested;
        }
        Waiter waiter = blockingWaiter(request);
        AcquireResult result = await(waiter);
        if (result instanceof AcquireResult.Granted granted) {
            return granted.handle();
        }
        throw failure(waiter, result);
    }

    /** See {@link io.distributedlock.LockOperations#tryAcquire}. */
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        LockHandle nested = reenter(request);
        if (nested != null) {
            return Optional.of(nested);
        }
        Waiter waiter = blockingWaiter(request);
        AcquireResult result = await(waiter);
        if (result instanceof AcquireResult.Granted granted) {
            return Optional.of(granted.handle());
        }
        if (result.meansBusy()) {
            return Optional.empty();
        }
        throw failure(waiter, result);
    }

    /** See {@link io.distributedlock.LockOperations#acquireAsync}. */
    public CompletionStage<LockHandle> acquireAsync(LockRequest request) {
        AsyncAcquisition acquire = new AsyncAcquisition(this);
        try {
            LockOwner owner = request.logicalOwner();
            LockHandle nested = owner == null ? null : reenter(request, owner, owner.enclosing());
            if (nested != null) {
                return CompletableFuture.completedFuture(nested);
            }
            acquire.start(new Waiter(
                    this,
                    ResolvedRequest.of(request, settings),
                    owner == null ? new Object() : owner,
                    owner == null ? null : owner.enclosing()));
        } catch (RuntimeException ex) {
            acquire.completeExceptionally(ex);
        }
        return acquire;
    }

    /** See {@link io.distributedlock.LockOperations#inspect}. */
    public Optional<LockState> inspect(String name) {
        Optional<LockState> state = calls.await(name, () -> store.inspect(name));
        return state.map(found -> locks.isRetained(name, found.fencingToken()) ? found.asRetained() : found);
    }

    /** See {@link io.distributedlock.LockOperations#release}. */
    public ReleaseResult release(String name, String owner) {
        return calls.await(name, () -> store.releaseOwner(name, owner, floor()));
    }

    /** See {@link io.distributedlock.LockOperations#forceRelease}. */
    public boolean forceRelease(String name) {
        return calls.await(name, () -> store.forceRelease(name, floor()));
    }

    /** What is held and waited for here at this moment; each lock is looked at for itself. */
    public LockActivity activity(String instance, boolean connected, boolean subscribed) {
        List<LockActivity.Held> held = new ArrayList<>();
        List<LockActivity.Waiting> waiting = new ArrayList<>();
        locks.describe(instance, held, waiting);
        return new LockActivity(instance, connected, subscribed, held, waiting);
    }

    /** What this instance says of a lock, null if none of its callers holds it. */
    public @Nullable HoldReport report(String name, String label) {
        return new WaitGraph(this).report(name, label);
    }

    /**
     * Refuses new callers, lets holds go on for the {@linkplain EngineSettings#shutdownGrace() grace}, then takes away
     * what is left. Blocks until then.
     */
    @Override
    public void close() {
        closing = true;
        locks.drain(settings.shutdownGrace(), Duration.ofNanos(timeout(ResolvedRequest.nanos(settings.lease()))));
        if (thread != null) {
            thread.stop();
        }
        callbacks.close();
    }

    // ---- waiting

    private @Nullable LockHandle reenter(LockRequest request) {
        if (Thread.currentThread().isInterrupted()) {
            return null;
        }
        LockOwner named = request.logicalOwner();
        return named == null
                ? reenter(request, Thread.currentThread(), LockScope.logicalOwner())
                : reenter(request, named, named.enclosing());
    }

    private @Nullable LockHandle reenter(LockRequest request, Object owner, @Nullable LockOwner enclosing) {
        boolean possible = request.owner() == null && request.reentrant();
        boolean shared = request.mode() == LockMode.SHARED;
        LockHandle nested = possible ? locks.reenter(request.name(), owner, enclosing, shared) : null;
        if (nested != null && listening.isOn()) {
            listening.reentered(request);
        }
        return nested;
    }

    private Waiter blockingWaiter(LockRequest request) {
        ResolvedRequest terms = ResolvedRequest.of(request, settings);
        LockOwner named = request.logicalOwner();
        return named == null
                ? new Waiter(this, terms, Thread.currentThread(), LockScope.logicalOwner())
                : new Waiter(this, terms, named, named.enclosing());
    }

    /** Waits until there is an outcome that the caller can use, or its wait is over. */
    private AcquireResult await(Waiter first) {
        Waiter waiter = first;
        while (true) {
            AcquireResult result = checked(awaitVerdict(waiter));
            Waiter again = result instanceof AcquireResult.Late ? waiter.again() : null;
            if (again == null) {
                listening.decided(waiter, result);
                return result;
            }
            waiter = again;
        }
    }

    /** Looks at a grant just before the caller gets it. One that is over by now is closed. */
    AcquireResult checked(AcquireResult result) {
        if (result instanceof AcquireResult.Granted granted
                && granted.handle() instanceof DefaultLockHandle handle
                && !handle.isHeld()) {
            handle.abandon();
            return new AcquireResult.Late();
        }
        return result;
    }

    private AcquireResult awaitVerdict(Waiter waiter) {
        if (Thread.currentThread().isInterrupted()) {
            throw interrupted(waiter, null);
        }
        locks.enqueue(waiter);
        if (!waiter.result.isDone()) {
            lockLog.waits(waiter);
        }
        long end = waiter.terms.triesOnce() ? waiter.patienceEnd() : waiter.waitEnd();
        while (true) {
            try {
                return waiter.result.get(Math.max(0, end - now()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException ex) {
                if (waiter.lock().expire(waiter)) {
                    return waiter.result.join();
                }
                end = waiter.patienceEnd();
            } catch (InterruptedException ex) {
                abandon(waiter);
                Thread.currentThread().interrupt();
                throw interrupted(waiter, ex);
            } catch (ExecutionException ex) {
                throw new IllegalStateException("A verdict does not fail", ex);
            }
        }
    }

    /** The caller goes away; a grant that came in the same moment is given back. */
    void abandon(Waiter waiter) {
        waiter.lock().leave(waiter, new AcquireResult.Left());
        if (waiter.result.join() instanceof AcquireResult.Granted granted
                && granted.handle() instanceof DefaultLockHandle handle) {
            handle.abandon();
        }
    }

    /** The wait of an asynchronous caller is over. */
    void waitOver(Waiter waiter, long now) {
        boolean over = waiter.lock().expire(waiter);
        if (over && waiter.result.isDone()) {
            return;
        }
        // It may be on its way into the queue, where it could not be found yet, or into that of the next object.
        arm(waiter, over ? now + LOOK_AGAIN_NANOS : waiter.patienceEnd());
        if (waiter.result.isDone()) {
            disarm(waiter);
        }
    }

    DistributedLockException failure(Waiter waiter, AcquireResult result) {
        return result.toException(waiter.terms.name(), waited(waiter));
    }

    private LockInterruptedException interrupted(Waiter waiter, @Nullable Throwable cause) {
        String name = waiter.terms.name();
        listening.refused(waiter, Refusal.INTERRUPTED);
        return new LockInterruptedException(
                name,
                "Lock '" + name + "': interrupted after waiting "
                        + waited(waiter).toMillis() + " ms",
                cause);
    }

    private Duration waited(Waiter waiter) {
        return Duration.ofNanos(Math.max(0, now() - waiter.since));
    }

    void extend(Hold hold, long length) {
        calls.extend(hold, length);
    }

    /** What waits for the answer to a release, or null if it is not waited for, as the settings say. */
    @Nullable
    Runnable releasing(Hold hold, PendingRelease release) {
        if (settings.release() == EngineSettings.Release.AWAIT) {
            long end = now() + timeout(hold.lease);
            return () -> calls.awaitRelease(hold, release, end);
        }
        calls.watchRelease(hold, release);
        return null;
    }

    /** The same through a stage. */
    CompletionStage<Void> releasedAsync(Hold hold, PendingRelease release) {
        if (settings.release() == EngineSettings.Release.AWAIT) {
            return calls.whenReleased(hold, release);
        }
        calls.watchRelease(hold, release);
        return CompletableFuture.completedFuture(null);
    }

    // ---- what the parts of the engine need of each other

    void lost(Hold hold, LossCause why, List<Runnable> toRun) {
        toRun.forEach(callbacks::lost);
        if (listening.isOn()) {
            callbacks.event(() -> listening.lost(hold, why.tag()));
        }
        LockLostException loss = hold.loss();
        if (loss != null) {
            tellLost(hold, loss);
        }
        if (why == LossCause.TOO_OLD) {
            callbacks.event(() -> lockLog.hangs(hold));
        }
    }

    void tellLost(Hold hold, LockLostException loss) {
        String reason = String.valueOf(loss.getMessage());
        lockLog.lost(hold, loss);
        LockEvent event = new LockLostEvent(loss.lockName(), hold.token, loss.heldFor(), reason);
        callbacks.event(() -> events.accept(event));
    }

    void serverClockSetBack(ServerClockSetBackEvent event) {
        lockLog.serverClockSetBack(event);
        callbacks.event(() -> events.accept(event));
    }

    void abandoned(Hold hold) {
        lockLog.abandoned(hold);
    }

    LockLog log() {
        return lockLog;
    }

    ListenerCalls listening() {
        return listening;
    }

    CallbackExecutor callbacks() {
        return callbacks;
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

    /** How long to wait for an answer about a lease of this length. */
    long timeout(long lease) {
        return Math.min(settings.commandTimeout().toNanos(), Math.max(lease / 3, 100_000_000));
    }

    /** From 0 to the bound: a spread for what many instances would do at the same moment otherwise. */
    long random(long bound) {
        return random.applyAsLong(bound);
    }

    long now() {
        return clock.nanos();
    }

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

    ShardRetries retries() {
        return retries;
    }

    void arm(TimerTask timed, long due) {
        timers.arm(timed, due);
    }

    void disarm(TimerTask timed) {
        timers.disarm(timed);
    }

    /** For how long a lease is kept when nobody here wants it. */
    long retention() {
        return retention;
    }

    boolean isClosing() {
        return closing;
    }

    LeaseStore store() {
        return store;
    }

    EngineSettings settings() {
        return settings;
    }

    LeaseRenewal renewal() {
        return renewal;
    }

    TimerQueue timers() {
        return timers;
    }

    LockRegistry locks() {
        return locks;
    }
}
