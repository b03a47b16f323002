/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * One subscription to a publisher that may begin a transaction. It is outside of the transaction and inside of the lock
 * of the same method. Spring signals the end of the publisher only after the transaction has completed, so that end
 * also ends the registrations that Spring has not called: it calls none of them if {@code afterCommit} fails.
 *
 * <p>After a cancellation there is no end. Then the callbacks remain, and their Reactor context identifies the
 * transaction that has completed.
 */
final class TransactionBoundary {

    private static final String KEY = TransactionBoundary.class.getName();

    private final @Nullable TransactionBoundary outer;

    @GuardedBy("this")
    private final Set<TransactionRegistration> open = new LinkedHashSet<>();

    /** The first registration of the transaction; null if none has begun, or the publisher takes part in another. */
    private volatile @Nullable TransactionRegistration first;

    /** Whether the work inside of the transaction has been subscribed to. */
    private volatile boolean entered;

    private volatile boolean cancelled;

    /** Whether a transaction inside was cancelled while it began: Spring does not resume this one. */
    private volatile boolean unresumable;

    @GuardedBy("this")
    private boolean ended;

    private TransactionBoundary(@Nullable TransactionBoundary outer) {
        this.outer = outer;
    }

    /** The innermost one around the subscription with this context, or null. */
    static @Nullable TransactionBoundary of(ContextView context) {
        return context.getOrDefault(KEY, null);
    }

    /** That of the transaction of the manager, or null, as in a transaction of a {@code TransactionalOperator}. */
    static @Nullable TransactionBoundary of(ContextView context, TransactionSynchronizationManager manager) {
        TransactionBoundary boundary = of(context);
        while (boundary != null
                && (boundary.first == null || !manager.getSynchronizations().contains(boundary.first))) {
            boundary = boundary.outer;
        }
        return boundary;
    }

    /** Whether the method of the subscription has a boundary, and its transaction has not been entered. */
    static boolean isPending(ContextView context) {
        TransactionBoundary boundary = of(context);
        return boundary != null && !boundary.entered;
    }

    static Mono<Object> around(Mono<Object> work) {
        return Mono.deferContextual(around -> {
            TransactionBoundary boundary = new TransactionBoundary(of(around));
            return work.contextWrite(Context.of(KEY, boundary))
                    .doOnError(failure -> boundary.dropResult())
                    .doOnTerminate(boundary::end)
                    .doOnCancel(boundary::cancel);
        });
    }

    static Flux<Object> around(Flux<Object> work) {
        return Flux.deferContextual(around -> {
            TransactionBoundary boundary = new TransactionBoundary(of(around));
            return work.contextWrite(Context.of(KEY, boundary))
                    .doOnError(failure -> boundary.dropResult())
                    .doOnTerminate(boundary::end)
                    .doOnCancel(boundary::cancel);
        });
    }

    /** The work inside is subscribed to. */
    void enter() {
        for (TransactionBoundary each = this; each != null && !each.entered; each = each.outer) {
            each.entered = true;
        }
    }

    /** A transaction has begun, with this registration. */
    void begin(TransactionRegistration registration) {
        first = registration;
    }

    boolean hasBegun() {
        return first != null;
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** @return false if this has ended */
    synchronized boolean add(TransactionRegistration registration) {
        return !ended && open.add(registration);
    }

    synchronized void remove(TransactionRegistration registration) {
        open.remove(registration);
    }

    /** The transaction has completed. */
    void end() {
        takeAll().forEach(each -> each.end().subscribe());
    }

    /**
     * The subscriber gets no result, for example since a callback after the commit has failed: as after a rollback,
     * work that a result would begin never does.
     */
    private void dropResult() {
        List<TransactionRegistration> all;
        synchronized (this) {
            all = List.copyOf(open);
        }
        all.forEach(TransactionRegistration::rolledBack);
    }

    private synchronized List<TransactionRegistration> takeAll() {
        ended = true;
        List<TransactionRegistration> all = List.copyOf(open);
        open.clear();
        return all;
    }

    /** From the outermost boundary to the innermost, before Spring begins the rollbacks. */
    private void cancel() {
        cancelled = true;
        dropResult();
        endIfUnresumable();
        if (!entered) {
            TransactionBoundary around = outer;
            while (around != null && !around.hasBegun()) {
                around = around.outer;
            }
            if (around != null) {
                around.neverBegan();
            }
        }
    }

    /** A publisher inside was cancelled before its transaction had begun. */
    private void neverBegan() {
        TransactionRegistration registration = first;
        unresumable |= registration != null && registration.isSuspended();
        endIfUnresumable();
    }

    /** Spring cannot complete it: its rollback finds no synchronizations, and fails. */
    private void endIfUnresumable() {
        if (cancelled && unresumable) {
            end();
        }
    }
}
