/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockOwner;
import io.distributedlock.transaction.LockReleaseSynchronization;
import io.distributedlock.transaction.OwnTransaction;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Isolates the classes that require spring-tx. */
final class Transactions {

    /** Whether transactions are possible at all. */
    static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronization", Transactions.class.getClassLoader());

    private Transactions() {}

    /** An owner that may also enter the locks that the transaction of the calling thread keeps. */
    static LockOwner nested(LockOwner owner) {
        return PRESENT ? LockReleaseSynchronization.nested(owner) : owner;
    }

    /** The name of a method's own transaction, or null. */
    static @Nullable String ownOf(LockedMethod where) {
        return PRESENT ? OwnTransaction.nameOf(where.method(), where.targetClass()) : null;
    }
}
