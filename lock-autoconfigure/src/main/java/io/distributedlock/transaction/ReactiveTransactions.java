/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
import io.distributedlock.LockScope;
import io.distributedlock.composite.ReleaseStages;
import io.distributedlock.composite.StageFailures;
import io.distributedlock.logging.SafeLog;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.Advisor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Keeps a lock that was acquired inside a reactive transaction until that transaction has completed and the work under
 * the lock has ended, whichever comes last. A lock that was lost before the commit stops it.
 */
public final class ReactiveTransactions extends TransactionRegistration {

    private static final Log log = SafeLog.of(ReactiveTransactions.class);

    private final KeptLock lock;

    private final LockScope scope;

    private final TransactionReleases releases;

    private final WorkInTransaction work = new WorkInTransaction();

    private ReactiveTransactions(
            @Nullable TransactionBoundary boundary, KeptLock lock, LockScope scope, TransactionReleases releases) {
        super(boundary);
        this.lock = lock;
        this.scope = scope;
        this.releases = releases;
    }

    /**
     * Passes the closing of the handle to the transaction of the subscription with this context.
     *
     * @param scope of the work under the lock
     * @param separate whether the work under the lock takes no part in that transaction
     * @return the work under the lock, whose end the caller reports. Null if there is no such transaction
     */
    public static @Nullable WorkInTransaction keep(
            LockScope scope, boolean lossMatters, BooleanSupplier separate, ContextView context) {
        TransactionSynchronizationManager manager = managerOf(context);
        if (manager == null || !manager.isActualTransactionActive()) {
            return null;
        }
        KeptLock lock = new KeptLock(scope.handle(), lossMatters);
        boolean keeps = !separate.getAsBoolean() && keptBy(manager).noneMatch(kept -> kept.lock.covers(lock));
        EnclosingLocks.register(manager, context, !keeps);
        if (!keeps) {
            return null;
        }
        ReactiveTransactions kept =
                new ReactiveTransactions(TransactionBoundary.of(context, manager), lock, scope, releasesOf(manager));
        if (!kept.registerWith(manager)) {
            return null;
        }
        kept.releases.add(kept);
        return kept.work;
    }

    private static TransactionReleases releasesOf(TransactionSynchronizationManager manager) {
        return keptBy(manager).findFirst().map(kept -> kept.releases).orElseGet(TransactionReleases::new);
    }

    /** The same for a lock that no transaction keeps, which is inside of that of the context all the same. */
    public static void pass(ContextView context) {
        EnclosingLocks.register(context);
    }

    /**
     * The publisher of a method inside of its lock: if its transaction begins inside as well, the lock does not have to
     * wait for the boundary outside of both.
     *
     * @param context of the subscription
     */
    public static Publisher<Object> insideOfLock(Publisher<Object> work, boolean ofMany, ContextView context) {
        if (!TransactionBoundary.isPending(context)) {
            return work;
        }
        return ofMany ? TransactionBoundary.around(Flux.from(work)) : TransactionBoundary.around(Mono.from(work));
    }

    /** {@return advice inside of the transactions of publishers: locks around them are held until they complete} */
    public static Advisor enclosingLocks() {
        return new EnclosingLocksAdvisor();
    }

    /** {@return what keeps the advice inside of transactions that a context inherits} */
    public static BeanPostProcessor advisorsInside() {
        return new AdvisorsInsideTransactions();
    }

    /** {@return advice outside of the transactions of publishers, for locks of methods that are no publishers} */
    public static Advisor subscriberScope() {
        return new SubscriberScope();
    }

    /**
     * An owner that may also enter the locks that the transaction of the subscription with this context keeps. Locks
     * under which other work still runs are excluded: parallel branches exclude each other.
     */
    public static LockOwner nested(LockOwner owner, ContextView context) {
        TransactionSynchronizationManager manager = managerOf(context);
        List<LockHandle> entered = manager == null
                ? List.of()
                : keptBy(manager)
                        .filter(kept -> kept.work.hasEnded())
                        .map(kept -> kept.lock.handle())
                        .toList();
        return entered.isEmpty() ? owner : owner.nestedIn(entered);
    }

    /** Null outside of transactions. */
    static @Nullable TransactionSynchronizationManager managerOf(ContextView context) {
        Mono<TransactionSynchronizationManager> current = TransactionSynchronizationManager.forCurrentTransaction()
                .filter(TransactionSynchronizationManager::isSynchronizationActive)
                .onErrorResume(NoTransactionException.class, none -> Mono.empty())
                .contextWrite(context);
        return current.toFuture().getNow(null);
    }

    private static Stream<ReactiveTransactions> keptBy(TransactionSynchronizationManager manager) {
        return manager.getSynchronizations().stream()
                .filter(ReactiveTransactions.class::isInstance)
                .map(ReactiveTransactions.class::cast);
    }

    @Override
    public Mono<Void> beforeCommit(boolean readOnly) {
        return Mono.fromRunnable(lock::throwIfLost);
    }

    @Override
    void rolledBack() {
        work.rollBack();
    }

    /**
     * Does not wait for the work, which may be a response that is written later, nor for a transaction inside, which
     * may have been cancelled as well. The release does.
     */
    @Override
    Mono<Void> completed() {
        CompletableFuture<?> all =
                work.whenEnded().thenCompose(ended -> scope.whenWorkHasEnded()).toCompletableFuture();
        if (all.isDone()) {
            releases.sent(release());
        } else {
            all.whenComplete((ended, none) -> release());
        }
        return releases.endOf(this);
    }

    private CompletableFuture<?> release() {
        return ReleaseStages.close(lock.handle())
                .exceptionally(failure -> {
                    String message = StageFailures.bare(failure).getMessage();
                    log.warn("After the end of the enclosing transaction: " + message);
                    return null;
                })
                .toCompletableFuture();
    }
}
