/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import io.distributedlock.testing.Background;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Locks whose use is written down. What takes a hold away from outside is not judged as a use: {@link #forceRelease} is
 * written down as a fault, which the checker has to be told to expect ({@link Model#DATA_LOSS}), and {@link #release}
 * not at all.
 */
public final class RecordedLocks implements LockOperations {

    private static final Duration LONGEST_BOUND = Duration.ofDays(1);

    private final LockOperations locks;

    private final History history;

    public RecordedLocks(LockOperations locks, History history) {
        this.locks = locks;
        this.history = history;
    }

    @Override
    public RecordedHandle acquire(LockRequest request) {
        Event asked = asks(request, thread());
        try {
            return granted(asked, request, locks.acquire(request));
        } catch (RuntimeException | Error e) {
            replied(asked, e);
            throw e;
        }
    }

    /** Acquires several locks, all or none. */
    public RecordedSet acquireAll(LockRequest request) {
        return together(request, locks::acquire);
    }

    /** The same with {@link LockOperations#acquireAsync}. The caller waits for the result. */
    public RecordedSet acquireAllAsync(LockRequest request) {
        return together(
                request,
                each -> locks.acquireAsync(each)
                        .toCompletableFuture()
                        .orTimeout(60, TimeUnit.SECONDS)
                        .join());
    }

    private RecordedSet together(LockRequest request, Function<LockRequest, LockHandle> acquire) {
        List<Event> asked = request.names().stream()
                .map(name -> asks(Operation.ACQUIRE_TOGETHER, name, request, "together-" + history.nextNumber()))
                .toList();
        try {
            return new RecordedSet(history, asked, request.minHold(), acquire.apply(request));
        } catch (RuntimeException | Error e) {
            asked.forEach(each -> replied(each, e));
            throw e;
        }
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        Event asked = asks(request, thread());
        try {
            Optional<LockHandle> handle = locks.tryAcquire(request);
            if (handle.isEmpty()) {
                replied(asked, Phase.FAIL);
            }
            return handle.map(hold -> granted(asked, request, hold));
        } catch (RuntimeException | Error e) {
            replied(asked, e);
            throw e;
        }
    }

    /** As it has to be, cancelling the future gives the lock back if it was granted meanwhile. */
    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request) {
        Event asked = asks(request, "async-" + history.nextNumber());
        CompletableFuture<LockHandle> inner = locks.acquireAsync(request).toCompletableFuture();
        CompletableFuture<LockHandle> outer = new CompletableFuture<>();
        inner.whenComplete((handle, failure) -> {
            if (failure != null) {
                replied(asked, failure);
                outer.completeExceptionally(failure);
            } else {
                RecordedHandle recorded = granted(asked, request, handle);
                if (!outer.complete(recorded)) {
                    Background.run(recorded::close);
                }
            }
        });
        outer.whenComplete((handle, failure) -> {
            if (failure instanceof CancellationException) {
                inner.cancel(true);
            }
        });
        return outer;
    }

    @Override
    public Optional<LockState> inspect(String name) {
        return locks.inspect(name);
    }

    @Override
    public ReleaseResult release(String name, String owner) {
        return locks.release(name, owner);
    }

    @Override
    public boolean forceRelease(String name) {
        Fault fault = history.breaking(Fault.FORCE, name);
        Phase outcome = Phase.UNKNOWN;
        try {
            boolean hit = locks.forceRelease(name);
            outcome = hit ? Phase.OK : Phase.FAIL;
            return hit;
        } finally {
            fault.end(outcome);
        }
    }

    private Event asks(LockRequest request, String caller) {
        return asks(Operation.ACQUIRE, request.name(), request, caller);
    }

    private Event asks(Operation operation, String name, LockRequest request, String caller) {
        String owner = request.owner() != null ? request.owner() : Event.ownerIn(history.jvm(), caller);
        long number = history.nextNumber();
        long now = System.nanoTime();
        Event asked = new Event(
                history.jvm(),
                owner,
                name,
                number,
                operation,
                Phase.INVOKE,
                now,
                Event.NONE,
                endOfWait(request, now),
                request.mode() == LockMode.SHARED);
        history.write(asked);
        return asked;
    }

    private static long endOfWait(LockRequest request, long now) {
        Duration wait = request.waitUpTo();
        boolean bounded = wait != null && !wait.isNegative() && wait.compareTo(LONGEST_BOUND) <= 0;
        return bounded ? now + wait.toNanos() : Event.NONE;
    }

    private RecordedHandle granted(Event asked, LockRequest request, LockHandle handle) {
        return new RecordedHandle(history, asked, request.minHold(), handle);
    }

    private void replied(Event asked, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        boolean no = cause instanceof LockNotAcquiredException || cause instanceof IllegalArgumentException;
        replied(asked, no ? Phase.FAIL : Phase.UNKNOWN);
    }

    private void replied(Event asked, Phase how) {
        history.write(asked.then(asked.operation(), how, System.nanoTime(), Event.NONE));
    }

    private static String thread() {
        Thread thread = Thread.currentThread();
        return thread.getName() + '#' + thread.getId();
    }
}
