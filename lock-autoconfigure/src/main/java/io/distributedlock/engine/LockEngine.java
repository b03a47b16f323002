/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.DistributedLockException;
import io.distributedlock.HoldReport;
import io.distributedlock.LockActivity;
import io.distributedlock.LockAvailability;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockListener;
import io.distributedlock.LockListener.Command;
import io.distributedlock.LockListener.Refusal;
import io.distributedlock.LockMode;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.LockScope;
import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import io.distributedlock.engine.LeaseStore.ReleaseReply;
import io.distributedlock.engine.LeaseStore.ReleaseReply.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Distributed locks over a {@link LeaseStore}. One engine is one instance. */
public final class LockEngine implements AutoCloseable {

    private final EngineContext context;

    private final @Nullable TimerThread thread;

    private final AvailabilityCheck availability;

    /**
     * Starts an engine with a timer thread of its own.
     *
     * @param events receives events, on a thread for application code
     * @param listener measures acquisitions and commands, or null
     */
    public LockEngine(
            LeaseStore store,
            EngineSettings settings,
            Consumer<? super LockEvent> events,
            @Nullable LockListener listener) {
        TimerThread timer = new TimerThread();
        this.thread = timer;
        this.context = new EngineContext(
                store,
                settings,
                NanoClock.SYSTEM,
                bound -> ThreadLocalRandom.current().nextLong(bound),
                CallbackExecutor.onThreads(),
                events,
                listener,
                timer::wakeUp);
        this.availability = new AvailabilityCheck(context);
        timer.start(context);
    }

    /** An engine whose timers run only when a test calls {@link #runTimers()}. */
    LockEngine(
            LeaseStore store,
            EngineSettings settings,
            NanoClock clock,
            Executor callbacks,
            Consumer<? super LockEvent> events,
            @Nullable LockListener listener,
            LongUnaryOperator random) {
        this.thread = null;
        this.context = new EngineContext(
                store, settings, clock, random, CallbackExecutor.on(callbacks), events, listener, () -> {});
        this.availability = new AvailabilityCheck(context);
    }

    // ---- operations for applications

    /** See {@link io.distributedlock.LockOperations#acquire}. */
    public LockHandle acquire(LockRequest request) {
        LockHandle nested = reenter(request);
        return nested == null ? acquire(blockingWaiter(request, false), null) : nested;
    }

    /** @param queued as in {@link BlockingAcquisition} */
    private LockHandle acquire(Waiter waiter, @Nullable Consumer<Waiter> queued) {
        AcquireResult result = new BlockingAcquisition(context, queued).await(waiter);
        if (result instanceof AcquireResult.Granted granted) {
            return granted.handle();
        }
        throw context.calls().failure(waiter, result);
    }

    /** See {@link io.distributedlock.LockOperations#tryAcquire}. */
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        LockHandle nested = reenter(request);
        if (nested != null) {
            return Optional.of(nested);
        }
        Waiter waiter = blockingWaiter(request, false);
        AcquireResult result = new BlockingAcquisition(context, null).await(waiter);
        if (result instanceof AcquireResult.Granted granted) {
            return Optional.of(granted.handle());
        }
        if (result.meansBusy()) {
            return Optional.empty();
        }
        throw context.calls().failure(waiter, result);
    }

    /** See {@link io.distributedlock.LockOperations#acquireAsync}. */
    public CompletionStage<LockHandle> acquireAsync(LockRequest request) {
        return acquireAsync(request, false);
    }

    private CompletionStage<LockHandle> acquireAsync(LockRequest request, boolean ofSeveral) {
        AsyncAcquisition acquire = new AsyncAcquisition(context);
        try {
            LockOwner owner = request.logicalOwner();
            LockHandle nested = owner == null ? null : reenter(request, owner, owner.enclosing());
            if (nested != null) {
                return CompletableFuture.completedFuture(nested);
            }
            acquire.start(asyncWaiter(request, ofSeveral));
        } catch (RuntimeException ex) {
            acquire.completeExceptionally(ex);
        }
        return acquire;
    }

    // ---- one of several names, for LockSet

    /** @param queued receives the waiter once its wait can be ended */
    LockHandle acquirePart(LockRequest request, Consumer<Waiter> queued) {
        LockHandle nested = reenter(request);
        return nested == null ? acquire(blockingWaiter(request, true), queued) : nested;
    }

    CompletionStage<LockHandle> acquirePartAsync(LockRequest request) {
        return acquireAsync(request, true);
    }

    /**
     * The failure of a caller that would wait for a hold of its own, as far as this instance knows; null if there is no
     * such hold. Sends no request.
     *
     * @param request for one name
     * @param async whether the calling thread is not the owner
     */
    @Nullable
    DistributedLockException refusal(LockRequest request, boolean async) {
        LockOwner named = request.logicalOwner();
        Object owner = named == null && !async ? Thread.currentThread() : named;
        LockOwner enclosing = named != null ? named.enclosing() : async ? null : LockScope.logicalOwner();
        AcquireResult result =
                context.locks().refusal(ResolvedRequest.of(request, context.settings()), owner, enclosing);
        if (result == null) {
            return null;
        }
        Waiter waiter = async ? asyncWaiter(request, true) : blockingWaiter(request, true);
        context.listening().decided(waiter, result);
        return result.toException(request.name(), waiter.waited(), null);
    }

    // ---- other operations for applications

    /** See {@link io.distributedlock.LockOperations#inspect}. */
    public Optional<LockState> inspect(String name) {
        Optional<LockState> state =
                context.calls().await(name, () -> context.store().inspect(name));
        state.ifPresent(found -> context.tokenSeen(found.fencingToken()));
        return state.map(this::asKnownHere);
    }

    private LockState asKnownHere(LockState found) {
        String name = found.name();
        long inStore = found.fencingToken();
        if (context.locks().isRetained(name, inStore)) {
            return found.asRetained();
        }
        long token = context.locks().tokenOfHold(name, inStore);
        return token == inStore ? found : withToken(found, token);
    }

    private static LockState withToken(LockState state, long token) {
        return new LockState(
                state.name(),
                state.owner(),
                token,
                state.remainingLease(),
                state.waitingInstances(),
                state.retained(),
                state.explicitOwner(),
                state.instances(),
                state.label());
    }

    /** See {@link io.distributedlock.LockOperations#release}. */
    public ReleaseResult release(String name, String owner) {
        return switch (revoke(name, owner, () -> context.store().releaseOwner(name, owner, context.floor()))) {
            case RELEASED, TRANSFERRED, LEFT_QUEUE -> ReleaseResult.RELEASED;
            case STILL_HELD -> ReleaseResult.STILL_HELD;
            case NOT_HELD -> ReleaseResult.NOT_HELD;
            case NOT_YOURS -> ReleaseResult.NOT_YOURS;
        };
    }

    /** See {@link io.distributedlock.LockOperations#forceRelease}. */
    public boolean forceRelease(String name) {
        return revoke(name, null, () -> context.store().forceRelease(name, context.floor())) != Outcome.NOT_HELD;
    }

    /**
     * Sends a command that ends leases, and revokes those that this instance had when the command was sent: it may have
     * waited for a connection before.
     *
     * @param owner whose leases the command ends, or null for all
     */
    private Outcome revoke(String name, @Nullable String owner, Supplier<CompletableFuture<ReleaseReply>> command) {
        MeasuredCommand measured = new MeasuredCommand(context.listening(), Command.RELEASE);
        Revoking sent;
        try {
            sent = context.calls().await(name, () -> {
                Runnable revocation = context.locks().revocation(name, owner);
                measured.begin();
                return command.get()
                        .whenComplete((reply, failure) -> measured.ended(failure))
                        .thenApply(reply -> new Revoking(reply, revocation));
            });
        } finally {
            // Without effect after the reply.
            measured.giveUp();
        }
        context.tokenSeen(sent.reply().token());
        Outcome outcome = sent.reply().outcome();
        switch (outcome) {
            case RELEASED, TRANSFERRED, LEFT_QUEUE -> sent.revocation().run();
            case STILL_HELD, NOT_HELD, NOT_YOURS -> {}
        }
        return outcome;
    }

    /** The reply to a command that ends leases, and the end of those leases here. */
    private record Revoking(ReleaseReply reply, Runnable revocation) {}

    /** The holds and waits of this instance at this moment; the locks are read one after the other. */
    public LockActivity activity(String instance, boolean connected, boolean subscribed) {
        List<LockActivity.Held> held = new ArrayList<>();
        List<LockActivity.Waiting> waiting = new ArrayList<>();
        context.locks().describe(instance, held, waiting);
        return new LockActivity(instance, connected, subscribed, held, waiting);
    }

    /** See {@link io.distributedlock.LockMonitor#availability}. */
    public LockAvailability availability(String instance) {
        return availability.run(instance);
    }

    /**
     * Waits for the reply to another command about a lock, one command time-out at most.
     *
     * @param command sends it
     * @throws io.distributedlock.LockUnavailableException if there is no reply
     */
    public <T> T query(String name, Supplier<CompletableFuture<T>> command) {
        return context.calls().await(name, command);
    }

    /** Whether this instance holds, waits for or retains any lock. */
    public boolean isInUse() {
        return context.locks().size() > 0;
    }

    /**
     * The longest remaining lease of the holds that are at least that old; 0 if there is none.
     *
     * @param age in nanoseconds, as the result
     */
    public long longestLease(long age) {
        return context.locks().longestLease(age);
    }

    /** Sets the object that finds the holders of busy locks. */
    public void setHolderNames(HolderNames names) {
        context.setHolderNames(names);
    }

    /**
     * As {@link #report}, without the locks that the holder waits for: the cost does not depend on the number of locks.
     */
    public @Nullable HoldReport holder(String name, String label) {
        return new WaitGraph(context).holder(name, label);
    }

    /** The report of this instance about a lock, null if none of its callers holds it. */
    public @Nullable HoldReport report(String name, String label) {
        WaitGraph graph = new WaitGraph(context);
        HoldReport report = graph.report(name, label);
        return report == null ? graph.ofExplicitOwner(name, label) : report;
    }

    /**
     * Refuses new callers, lets holds continue for the {@linkplain EngineSettings#shutdownGrace() grace}, then ends the
     * remaining ones. Blocks until then.
     */
    @Override
    public void close() {
        EngineSettings settings = context.settings();
        long timeout = context.timeout(ResolvedRequest.nanos(settings.lease()));
        context.beginClosing();
        try {
            context.locks().drain(settings.shutdownGrace(), Duration.ofNanos(timeout));
        } finally {
            if (thread != null) {
                thread.stop();
            }
            context.callbacks().close();
        }
    }

    /**
     * Makes the failures of requests that come after the end of this engine, and notifies its listener of them. Keeps
     * nothing else of the engine.
     */
    public Function<LockRequest, DistributedLockException> refusals() {
        ListenerCalls listening = context.listening();
        return request -> {
            listening.refused(request, Refusal.UNAVAILABLE);
            return AcquireResult.shuttingDown().toException(request.name(), Duration.ZERO, null);
        };
    }

    // ---- helpers

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
        LockHandle nested = possible ? context.locks().reenter(request.name(), owner, enclosing, shared) : null;
        if (nested != null && context.listening().isOn()) {
            context.listening().reentered(request);
        }
        return nested;
    }

    private Waiter asyncWaiter(LockRequest request, boolean ofSeveral) {
        ResolvedRequest resolved = ResolvedRequest.of(request, context.settings(), ofSeveral);
        LockOwner owner = request.logicalOwner();
        return new Waiter(context, resolved, owner, owner == null ? null : owner.enclosing());
    }

    private Waiter blockingWaiter(LockRequest request, boolean ofSeveral) {
        ResolvedRequest resolved = ResolvedRequest.of(request, context.settings(), ofSeveral);
        LockOwner named = request.logicalOwner();
        return named == null
                ? new Waiter(context, resolved, Thread.currentThread(), LockScope.logicalOwner())
                : new Waiter(context, resolved, named, named.enclosing());
    }

    EngineContext context() {
        return context;
    }

    /** Runs all due timers now, on the calling thread. */
    void runTimers() {
        context.runTimers();
    }

    LockRegistry locks() {
        return context.locks();
    }

    TimerQueue timers() {
        return context.timers();
    }

    LeaseRenewal renewal() {
        return context.renewal();
    }

    ListenerCalls listening() {
        return context.listening();
    }
}
