/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.LockLostException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;

/**
 * The {@link CommitGuard} of a transaction manager that accepts no listeners: a commit under a lost lock is a rollback.
 */
final class CommitGuardInterceptor implements MethodInterceptor {

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        if (call.getThis() instanceof PlatformTransactionManager manager
                && call.getMethod().getName().equals("commit")
                && call.getArguments().length == 1
                && call.getArguments()[0] instanceof TransactionStatus status
                && status.isNewTransaction()
                && !status.isRollbackOnly()) {
            guard(manager, status);
        }
        return call.proceed();
    }

    private static void guard(PlatformTransactionManager manager, TransactionStatus status) {
        try {
            CommitGuard.throwIfLost();
        } catch (LockLostException loss) {
            rollBack(manager, status, loss);
            throw loss;
        }
    }

    private static void rollBack(PlatformTransactionManager manager, TransactionStatus status, LockLostException loss) {
        try {
            manager.rollback(status);
        } catch (Throwable ex) { // Also an error: the loss must not get lost.
            if (ex != loss) {
                loss.addSuppressed(ex);
            }
        }
    }
}
