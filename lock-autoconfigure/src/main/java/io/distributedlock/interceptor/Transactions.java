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

/** Keeps applications without spring-tx from the classes that need it. */
final class Transactions {

    /** Whether there can be transactions at all. */
    static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronization", Transactions.class.getClassLoader());

    private Transactions() {}

    /** An owner that may also enter what the transaction of the calling thread keeps. */
    static LockOwner nested(LockOwner owner) {
        return PRESENT ? LockReleaseSynchronization.nested(owner) : owner;
    }

    /** The name of the transaction that a method has for itself, or null. */
    static @Nullable String ownOf(LockedMethod where) {
        return PRESENT ? OwnTransaction.nameOf(where.method(), where.targetClass()) : null;
    }
}
