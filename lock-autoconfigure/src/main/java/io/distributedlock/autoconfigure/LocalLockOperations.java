/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockCallback;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockNames;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockScope;
import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import io.distributedlock.transaction.LockReleaseSynchronization;
import io.distributedlock.transaction.TransactionalHold;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The replacement for locks with {@code distributed-lock.enabled=false}: every request is granted at once, no caller is
 * excluded, no hold is ever lost, and Redis is not needed. Code that uses handles and tokens works as with locks. Not
 * final, so that Spring can proxy it.
 */
class LocalLockOperations implements LockOperations {

    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronization",
            LocalLockOperations.class.getClassLoader());

    private final Duration defaultLease;

    private final @Nullable Duration defaultMaxHold;

    private final boolean keepUntilCompletion;

    private final AtomicLong lastToken = new AtomicLong();

    /** @param keepUntilCompletion whether {@link #execute} keeps its lock until the end of a transaction around it */
    LocalLockOperations(Duration defaultLease, @Nullable Duration defaultMaxHold, boolean keepUntilCompletion) {
        this.defaultLease = defaultLease;
        this.defaultMaxHold = defaultMaxHold;
        this.keepUntilCompletion = keepUntilCompletion && TRANSACTIONS;
    }

    static LocalLockOperations of(DistributedLockProperties properties) {
        return new LocalLockOperations(properties.lease(), properties.maxHold(), properties.keepUntilCompletion());
    }

    /** As with locks, a caller that is interrupted gets none, although it need not wait. */
    @Override
    public LockHandle acquire(LockRequest request) {
        if (Thread.currentThread().isInterrupted()) {
            String name = request.name();
            throw new LockInterruptedException(
                    name, "Lock '" + LockNames.show(name) + "': the caller was interrupted", null);
        }
        return grant(request);
    }

    private LockHandle grant(LockRequest request) {
        requireShorterMinHold(request);
        Duration lease = request.lease();
        Map<String, Long> tokens = new LinkedHashMap<>();
        request.names().forEach(name -> tokens.put(name, request.reentrant() ? tokenInside(name) : nextToken()));
        return new LocalLockHandle(Collections.unmodifiableMap(tokens), lease == null ? defaultLease : lease);
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        return Optional.of(acquire(request));
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request) {
        try {
            return CompletableFuture.completedFuture(grant(request));
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
            throws E {
        return keepUntilCompletion
                ? Transactions.run(acquire(request), callback)
                : LockOperations.super.execute(request, callback);
    }

    /** A request compares its minimum with its own maximum only. */
    private void requireShorterMinHold(LockRequest request) {
        Duration minHold = request.minHold();
        boolean limited = request.renew() && request.maxHold() == null && defaultMaxHold != null;
        if (limited && minHold != null && minHold.compareTo(defaultMaxHold) > 0) {
            throw new IllegalArgumentException("Lock '" + LockNames.show(request.name()) + "': minHold " + minHold
                    + " is longer than the default maxHold " + defaultMaxHold
                    + " (distributed-lock.max-hold), at which the lock would be lost with locks switched on. Set a"
                    + " shorter minHold, or a longer maxHold in the request.");
        }
    }

    @Override
    public Optional<LockState> inspect(String name) {
        LockRequest.of(name);
        return Optional.empty();
    }

    @Override
    public ReleaseResult release(String name, String owner) {
        LockRequest.of(name).owner(owner);
        return ReleaseResult.NOT_HELD;
    }

    @Override
    public boolean forceRelease(String name) {
        LockRequest.of(name);
        return false;
    }

    /**
     * A nested call has the token of the call around it, and a later one that of the call whose lock the transaction
     * keeps: a table has seen the new token of the inner call, and would refuse what the outer one writes after it.
     */
    private long tokenInside(String name) {
        LockScope scope = LockScope.owner() == null ? null : LockScope.current();
        while (scope != null) {
            Long outer =
                    scope.handle().isHeld() ? scope.handle().fencingTokens().get(name) : null;
            if (outer != null) {
                return outer;
            }
            scope = scope.outer();
        }
        Long kept = keepUntilCompletion ? Transactions.keptToken(name) : null;
        return kept == null ? nextToken() : kept;
    }

    /**
     * As high as those of Redis, which are also taken from a clock: a table that has seen tokens of real locks accepts
     * these.
     */
    private long nextToken() {
        long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        return lastToken.updateAndGet(last -> Math.max(last + 1, now));
    }

    /** Needs spring-tx. */
    private static final class Transactions {

        static <T extends @Nullable Object, E extends Throwable> T run(LockHandle handle, LockCallback<T, E> callback)
                throws E {
            return TransactionalHold.run(handle, callback);
        }

        static @Nullable Long keptToken(String name) {
            return LockReleaseSynchronization.keptToken(name);
        }
    }
}
