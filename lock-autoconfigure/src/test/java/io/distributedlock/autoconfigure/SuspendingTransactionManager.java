/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/** Transactions that know a transaction around them and can suspend it, as those of R2DBC do with their connection. */
abstract class SuspendingTransactionManager extends AbstractReactiveTransactionManager {

    static final String RESOURCE = "open";

    static final class Open {

        private final boolean existing;

        private volatile String name = "";

        private Open(boolean existing) {
            this.existing = existing;
        }

        String name() {
            return name;
        }
    }

    /** At the end of the begin. */
    final Mono<Void> bind(TransactionSynchronizationManager manager, Object transaction, String name) {
        return Mono.fromRunnable(() -> {
            ((Open) transaction).name = name;
            manager.bindResource(RESOURCE, transaction);
        });
    }

    @Override
    protected final Object doGetTransaction(TransactionSynchronizationManager manager) {
        return new Open(manager.hasResource(RESOURCE));
    }

    @Override
    protected final boolean isExistingTransaction(Object transaction) {
        return ((Open) transaction).existing;
    }

    @Override
    protected final Mono<Object> doSuspend(TransactionSynchronizationManager manager, Object transaction) {
        return Mono.fromSupplier(() -> manager.unbindResource(RESOURCE));
    }

    @Override
    protected final Mono<Void> doResume(
            TransactionSynchronizationManager manager, Object transaction, Object suspended) {
        return Mono.fromRunnable(() -> manager.bindResource(RESOURCE, suspended));
    }
}
