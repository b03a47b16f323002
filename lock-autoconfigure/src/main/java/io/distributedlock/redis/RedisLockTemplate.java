/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.DistributedLockException;
import io.distributedlock.FleetReport;
import io.distributedlock.HoldReport;
import io.distributedlock.LockActivity;
import io.distributedlock.LockAvailability;
import io.distributedlock.LockCallback;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockListener;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.ReleaseResult;
import io.distributedlock.composite.KnownRefusals;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.LockSet;
import io.distributedlock.transaction.TransactionalHold;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Distributed locks in one Redis, which may be a cluster. It uses the application's Redis settings, but connections of
 * its own, which open and close with the context; used before the context starts, it opens them at once. The template
 * also starts if Redis cannot be reached: calls then fail with {@link LockUnavailableException} within their bounds.
 *
 * <p>When it stops, new calls and waits fail, and holds may continue for the shutdown grace. It can be started again.
 * Safe for use by any number of threads.
 *
 * <p>The class is not final, so that Spring can proxy it for an aspect. It is not made for subclasses.
 *
 * @since 0.1.0
 */
public class RedisLockTemplate implements LockOperations, LockMonitor, KnownRefusals, SmartLifecycle, AutoCloseable {

    /**
     * The phase is above that of the connection factory, and below those of servers, schedulers and listeners, whose
     * work needs locks.
     */
    private static final int PHASE = 1024;

    private final LettuceConnectionFactory application;

    private final LockKeys keys;

    private final EngineSettings settings;

    private final Consumer<? super LockEvent> events;

    private final boolean keepUntilCompletion;

    private final Supplier<? extends @Nullable LockListener> listener;

    private final @Nullable Acknowledgement acknowledgement;

    private final ReentrantLock lifecycle = new ReentrantLock();

    private volatile @Nullable RunningInstance instance;

    private volatile boolean stopped;

    /** Of the instance that was stopped last; null if there is none. */
    private volatile @Nullable Function<LockRequest, DistributedLockException> refusals;

    private volatile @Nullable Supplier<String> label;

    private final StartOnDemand startOnDemand = new StartOnDemand();

    /**
     * As the constructor with all settings, without events, without a listener and without replicas; locks in
     * transactions are kept until these have completed.
     *
     * @param connections whose settings are used; its own connections are not
     * @param keyPrefix prefix of the keys and channels of all locks, without braces
     * @param settings the defaults of requests and the limits of this instance
     * @throws UnsupportedTopologyException if the topology of the factory is not supported
     */
    public RedisLockTemplate(LettuceConnectionFactory connections, String keyPrefix, EngineSettings settings) {
        this(connections, keyPrefix, settings, event -> {});
    }

    /**
     * As the constructor with all settings, with locks in transactions kept until these have completed, without a
     * listener and without replicas.
     *
     * @param connections whose settings are used; its own connections are not
     * @param keyPrefix prefix of the keys and channels of all locks, without braces
     * @param settings the defaults of requests and the limits of this instance
     * @param events receives events, on a thread that only runs listeners
     * @throws UnsupportedTopologyException if the topology of the factory is not supported
     */
    public RedisLockTemplate(
            LettuceConnectionFactory connections,
            String keyPrefix,
            EngineSettings settings,
            Consumer<? super LockEvent> events) {
        this(connections, keyPrefix, settings, events, true);
    }

    /**
     * As the constructor with all settings, without a listener and without replicas.
     *
     * @param connections whose settings are used; its own connections are not
     * @param keyPrefix prefix of the keys and channels of all locks, without braces
     * @param settings the defaults of requests and the limits of this instance
     * @param events receives events, on a thread that only runs listeners
     * @param keepUntilCompletion whether {@link #execute} inside a transaction keeps its lock until the transaction has
     *     completed
     * @throws UnsupportedTopologyException if the topology of the factory is not supported
     */
    public RedisLockTemplate(
            LettuceConnectionFactory connections,
            String keyPrefix,
            EngineSettings settings,
            Consumer<? super LockEvent> events,
            boolean keepUntilCompletion) {
        this(connections, keyPrefix, settings, events, keepUntilCompletion, () -> null);
    }

    /**
     * As the constructor with all settings, without replicas.
     *
     * @param connections whose settings are used; its own connections are not
     * @param keyPrefix prefix of the keys and channels of all locks, without braces
     * @param settings the defaults of requests and the limits of this instance
     * @param events receives events, on a thread that only runs listeners
     * @param keepUntilCompletion whether {@link #execute} inside a transaction keeps its lock until the transaction has
     *     completed
     * @param listener supplies the listener of acquisitions and commands, or null; called at each start
     * @throws UnsupportedTopologyException if the topology of the factory is not supported
     */
    public RedisLockTemplate(
            LettuceConnectionFactory connections,
            String keyPrefix,
            EngineSettings settings,
            Consumer<? super LockEvent> events,
            boolean keepUntilCompletion,
            Supplier<? extends @Nullable LockListener> listener) {
        this(connections, keyPrefix, settings, events, keepUntilCompletion, listener, 0, Duration.ofSeconds(1));
    }

    /**
     * Creates locks that are not started yet: the application context starts and stops them, or else the first request
     * starts them and {@link #close()} stops them.
     *
     * @param connections whose settings are used; its own connections are not
     * @param keyPrefix prefix of the keys and channels of all locks, without braces
     * @param settings the defaults of requests and the limits of this instance
     * @param events receives events, on a thread that only runs listeners
     * @param keepUntilCompletion whether {@link #execute} inside a transaction keeps its lock until the transaction has
     *     completed
     * @param listener supplies the listener of acquisitions and commands, or null; called at each start
     * @param acknowledge how many replicas have to confirm each grant and each renewal; 0 for none
     * @param acknowledgeTimeout maximum time to wait for these confirmations: from 1 ms to a third of the lease, and at
     *     least 100 ms less than the command time-out
     * @throws IllegalArgumentException if the number of replicas is negative, or if there are some and the time is
     *     outside its range
     * @throws UnsupportedTopologyException if the topology of the factory is not supported
     */
    public RedisLockTemplate(
            LettuceConnectionFactory connections,
            String keyPrefix,
            EngineSettings settings,
            Consumer<? super LockEvent> events,
            boolean keepUntilCompletion,
            Supplier<? extends @Nullable LockListener> listener,
            int acknowledge,
            Duration acknowledgeTimeout) {
        RedisTarget.of(RedisTarget.unproxied(connections));
        this.acknowledgement = acknowledge == 0 ? null : Acknowledgement.of(acknowledge, acknowledgeTimeout, settings);
        this.application = connections;
        this.keys = new LockKeys(keyPrefix);
        this.settings = settings;
        this.events = events;
        this.keepUntilCompletion = keepUntilCompletion;
        this.listener = listener;
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        LockEngine engine = engineFor(request);
        return isForSeveral(request) ? new LockSet(engine).acquire(request) : engine.acquire(request);
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        LockEngine engine = engineFor(request);
        return isForSeveral(request) ? new LockSet(engine).tryAcquire(request) : engine.tryAcquire(request);
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request) {
        return instance == null && !stopped
                ? startOnDemand.thenAcquire(this::startUnlessStopped, () -> acquireAsyncNow(request))
                : acquireAsyncNow(request);
    }

    /** Internal: see {@link KnownRefusals}. */
    @Override
    public void requireNotRefused(LockRequest request, boolean async) {
        RunningInstance running = instance;
        if (running != null) {
            new LockSet(running.engine()).requireNotRefused(request, async);
        }
    }

    private CompletionStage<LockHandle> acquireAsyncNow(LockRequest request) {
        try {
            LockEngine engine = engineFor(request);
            return isForSeveral(request) ? new LockSet(engine).acquireAsync(request) : engine.acquireAsync(request);
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
            throws E {
        return keepUntilCompletion
                ? TransactionalHold.run(acquire(request), callback)
                : LockOperations.super.execute(request, callback);
    }

    @Override
    public Optional<LockState> inspect(String name) {
        String checked = LockRequest.of(name).name();
        Optional<LockState> state = engine(checked).inspect(checked);
        RunningInstance running = instance;
        return running == null ? state : state.map(running.fleetMessaging().labels()::labelled);
    }

    @Override
    public ReleaseResult release(String name, String owner) {
        LockRequest checked = LockRequest.of(name).owner(owner);
        return engine(checked.name()).release(checked.name(), owner);
    }

    @Override
    public boolean forceRelease(String name) {
        String checked = LockRequest.of(name).name();
        return engine(checked).forceRelease(checked);
    }

    private static boolean isForSeveral(LockRequest request) {
        return request.names().size() > 1;
    }

    @Override
    public LockActivity activity() {
        RunningInstance running = instance;
        return running == null
                ? new LockActivity("", false, false, List.of(), List.of())
                : running.fleetMessaging().activity();
    }

    @Override
    public LockAvailability availability() {
        RunningInstance running = instance;
        return running == null
                ? LockMonitor.super.availability()
                : running.fleetMessaging().availability();
    }

    /** Never fails: it is a part of messages about other failures. */
    private String labelOf(String id) {
        Supplier<String> known = label;
        try {
            String text = known == null ? id : known.get();
            return Objects.requireNonNullElse(text, "").isBlank() ? id : text;
        } catch (RuntimeException ex) {
            return id;
        }
    }

    /** For an acquisition: the listener is notified if it is refused. */
    private LockEngine engineFor(LockRequest request) {
        Function<LockRequest, DistributedLockException> known = refusals;
        if (instance == null && stopped && known != null) {
            throw known.apply(request);
        }
        return engine(request.name());
    }

    private LockEngine engine(String name) {
        RunningInstance running = instance;
        if (running == null) {
            if (stopped) {
                throw new LockUnavailableException(
                        name, "Lock '" + name + "' is unavailable: the lock template is shutting down", null);
            }
            startUnlessStopped();
            return engine(name);
        }
        return running.engine();
    }

    private void startUnlessStopped() {
        lifecycle.lock();
        try {
            if (!stopped) {
                start();
            }
        } finally {
            lifecycle.unlock();
        }
    }

    @Override
    public void start() {
        lifecycle.lock();
        try {
            if (instance == null) {
                instance = RunningInstance.open(
                        RedisTarget.unproxied(application),
                        keys,
                        settings,
                        events,
                        listener.get(),
                        acknowledgement,
                        this::labelOf);
                stopped = false;
            }
        } finally {
            lifecycle.unlock();
        }
    }

    @Override
    public void stop() {
        lifecycle.lock();
        try {
            stopped = true;
            RunningInstance running = instance;
            if (running != null) {
                refusals = running.engine().refusals();
                running.close();
            }
        } finally {
            // Also if closing has failed: the template can be started again.
            instance = null;
            lifecycle.unlock();
        }
    }

    @Override
    public boolean isRunning() {
        return instance != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public void close() {
        stop();
    }

    /**
     * Sets the label that other instances get from this one; by default its public id.
     *
     * @param text supplies the label; called at each use. If it fails or supplies no text, the label is the public id
     */
    public void label(Supplier<String> text) {
        label = text;
    }

    @Override
    public Optional<HoldReport> holdOf(String of, String lockName) {
        RunningInstance running = instance;
        return running == null
                ? Optional.empty()
                : running.fleetMessaging().holds().of(of, lockName);
    }

    @Override
    public HoldReply replyOf(String of, String lockName) {
        RunningInstance running = instance;
        return running == null
                ? HoldReply.NONE
                : running.fleetMessaging().holds().replyOf(of, lockName);
    }

    @Override
    public FleetReport fleet(String after, int atMost) {
        RunningInstance running = instance;
        return running == null
                ? LockMonitor.super.fleet(after, atMost)
                : running.fleetMessaging().fleet().fleet(after, atMost);
    }

    @Override
    public List<String> line(String lockName, int atMost) {
        int most = Math.max(1, Math.min(500, atMost));
        engine(lockName);
        RunningInstance running = instance;
        return running == null ? List.of() : running.fleetMessaging().line(lockName, most);
    }

    @Override
    public Map<String, String> labels(Collection<String> instances) {
        RunningInstance running = instance;
        return running == null ? Map.of() : running.fleetMessaging().labels().of(instances);
    }

    @Override
    public void searchDeadlocks(Duration after, boolean resolve) {
        RunningInstance running = instance;
        if (running != null) {
            running.deadlocks().look(after, resolve);
        }
    }
}
