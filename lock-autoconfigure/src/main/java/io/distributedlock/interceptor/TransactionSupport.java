/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockOwner;
import io.distributedlock.transaction.LockReleaseSynchronization;
import io.distributedlock.transaction.OwnTransaction;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/** Isolates the classes that require spring-tx. */
final class TransactionSupport {

    /** Whether transactions are possible at all. */
    static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronization",
            TransactionSupport.class.getClassLoader());

    private TransactionSupport() {}

    /** An owner that may also enter the locks that the transaction of the calling thread keeps. */
    static LockOwner nested(LockOwner owner) {
        return PRESENT ? LockReleaseSynchronization.nested(owner) : owner;
    }

    /**
     * Whether a method takes no part in the transaction of its caller.
     *
     * @param order of the advice that locks
     */
    static boolean isSeparate(LockedMethod where, BeanFactory beans, int order) {
        return PRESENT
                && OwnTransaction.isSeparate(
                        where.method(), where.targetClass(), () -> OwnTransaction.isOutside(beans, order));
    }
}
