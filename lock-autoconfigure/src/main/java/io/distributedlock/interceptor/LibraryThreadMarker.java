/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Marks a thread of the library while it runs the body of a locked method. */
final class LibraryThreadMarker {

    private static final ThreadLocal<@Nullable Boolean> RUNS_BODY = new ThreadLocal<>();

    private LibraryThreadMarker() {}

    /** Runs a body on a thread other than its caller's. */
    static @Nullable Object run(ReturnTypeAdapter.Body body) throws Throwable {
        Boolean before = RUNS_BODY.get();
        RUNS_BODY.set(true);
        try {
            return body.proceed();
        } finally {
            if (before == null) {
                RUNS_BODY.remove();
            }
        }
    }

    /**
     * Whether the calling thread may run another body. Not inside a transaction, which does not belong to that body.
     */
    static boolean mayRunAnother() {
        return RUNS_BODY.get() != null && !(TransactionSupport.PRESENT && InTransaction.test());
    }

    /** Needs spring-tx. */
    private static final class InTransaction {

        static boolean test() {
            return TransactionSynchronizationManager.isActualTransactionActive()
                    || TransactionSynchronizationManager.isSynchronizationActive();
        }
    }
}
