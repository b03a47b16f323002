/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockDeadlockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.composite.BlockingJointRelease;
import io.distributedlock.composite.CompositeLockHandle;
import io.distributedlock.composite.LostPart;
import io.distributedlock.composite.SequentialAcquisition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks: all of them or none, within one wait. They are acquired one after the other in the order of
 * their names, which is the same for all callers: a caller that waits holds only names before the one that it waits
 * for, so callers cannot wait for each other in a cycle, unless they already hold other locks. The caller re-enters
 * names that it already holds; if one of them refuses that, the caller is refused before it waits for any. The loss of
 * a name ends the wait for the next one. A maximum time of the hold begins when all names are held.
 */
public final class LockSet {

    private final LockEngine engine;

    public LockSet(LockEngine engine) {
        this.engine = engine;
    }

    /** See {@link io.distributedlock.LockOperations#acquire}. */
    public LockHandle acquire(LockRequest request) {
        Wait wait = new Wait(engine, request);
        if (!Thread.currentThread().isInterrupted()) {
            requireNotRefused(request, false);
        }
        List<DefaultLockHandle> held = new ArrayList<>(request.names().size());
        try {
            acquireEach(request.names(), wait, held);
            return together(held);
        } catch (LockNotAcquiredException ex) {
            LockUnavailableException lost = lostAndRollBack(held);
            throw lost == null ? wait.withTotalWait(ex) : lost;
        } catch (LockUnavailableException ex) {
            LockUnavailableException lost = lostAndRollBack(held);
            throw lost == null ? ex : lost;
        } catch (RuntimeException | Error ex) {
            rollBack(held);
            throw ex;
        }
    }

    private void acquireEach(List<String> names, Wait wait, List<DefaultLockHandle> held) {
        PartLosses losses = new PartLosses();
        try {
            for (String name : names) {
                losses.requireNone(held);
                DefaultLockHandle handle = (DefaultLockHandle) engine.acquirePart(wait.forName(name), losses::waits);
                held.add(handle);
                losses.watch(handle);
            }
        } finally {
            losses.end();
        }
    }

    private static @Nullable LockUnavailableException lostAndRollBack(List<DefaultLockHandle> held) {
        try {
            return LostPart.first(held);
        } finally {
            rollBack(held);
        }
    }

    /** See {@link io.distributedlock.composite.KnownRefusals}. */
    public void requireNotRefused(LockRequest request, boolean async) {
        for (String name : request.names()) {
            DistributedLockException refusal = engine.refusal(request.named(name), async);
            if (refusal != null) {
                throw refusal;
            }
        }
    }

    /** See {@link io.distributedlock.LockOperations#tryAcquire}. */
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        try {
            return Optional.of(acquire(request));
        } catch (LockDeadlockException ex) {
            // It is not busy, as for a single lock: the caller has to release its other locks.
            throw ex;
        } catch (LockNotAcquiredException ex) {
            return Optional.empty();
        }
    }

    /** See {@link io.distributedlock.LockOperations#acquireAsync}. */
    public CompletionStage<LockHandle> acquireAsync(LockRequest request) {
        Wait wait = new Wait(engine, request);
        try {
            requireNotRefused(request, true);
        } catch (DistributedLockException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
        return SequentialAcquisition.start(new SequentialAcquisition.Steps() {
            @Override
            public int size() {
                return request.names().size();
            }

            @Override
            public CompletionStage<LockHandle> request(int index) {
                return engine.acquirePartAsync(wait.forName(request.names().get(index)));
            }

            @Override
            public LockHandle together(List<LockHandle> held) {
                return LockSet.together(
                        held.stream().map(DefaultLockHandle.class::cast).toList());
            }

            @Override
            public Throwable failure(int index, Throwable failure) {
                return failure instanceof LockNotAcquiredException busy ? wait.withTotalWait(busy) : failure;
            }
        });
    }

    /** @throws LockUnavailableException if one of them was lost before the last one was granted */
    private static LockHandle together(List<DefaultLockHandle> held) {
        LostPart.requireNone(held);
        held.forEach(handle -> handle.hold().lock.beginMaxHold(handle.hold()));
        return new CompositeLockHandle(held);
    }

    /** No work was done under them; a release that failed is retried until its lease ends. */
    private static void rollBack(List<DefaultLockHandle> held) {
        BlockingJointRelease.rollBack(held);
    }

    /** The wait that all names share. */
    static final class Wait {

        private final EngineContext engine;

        private final LockRequest request;

        private final long since;

        /** {@link ResolvedRequest#FOREVER} for no limit. */
        private final long length;

        Wait(LockEngine engine, LockRequest request) {
            this.engine = engine.context();
            this.request = request;
            this.since = this.engine.now();
            this.length = ResolvedRequest.of(request, this.engine.settings()).waitUpTo();
        }

        /** The request for one name, with the rest of the wait, which no longer includes what had passed before. */
        LockRequest forName(String name) {
            LockRequest single = request.named(name).waited(Duration.ZERO);
            if (length == ResolvedRequest.FOREVER) {
                return single.waitForever();
            }
            return single.waitUpTo(Duration.ofNanos(Math.max(0, length - waited())));
        }

        /** The result for the caller if one of the names is busy. */
        LockNotAcquiredException withTotalWait(LockNotAcquiredException ofOne) {
            if (ofOne.getClass() != LockNotAcquiredException.class) {
                return ofOne;
            }
            Duration inAll = Duration.ofNanos(waited());
            String message = ofOne.getMessage() + "; none of the "
                    + request.names().size() + " names of the request is held, after " + inAll.toMillis()
                    + " ms in all";
            return new LockNotAcquiredException(ofOne.lockName(), message, inAll);
        }

        private long waited() {
            return Math.max(0, engine.now() - since);
        }
    }
}
