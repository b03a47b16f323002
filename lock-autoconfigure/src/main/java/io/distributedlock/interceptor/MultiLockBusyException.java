/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockNotAcquiredException;

/** One of several locks of a call is busy. Its annotation decides what that means; no caller gets this exception. */
final class MultiLockBusyException extends LockNotAcquiredException {

    private static final long serialVersionUID = 1L;

    private final transient CallPolicy policy;

    private final LockNotAcquiredException busy;

    MultiLockBusyException(CallPolicy policy, LockNotAcquiredException busy) {
        super(busy.lockName(), String.valueOf(busy.getMessage()), busy.waited());
        this.policy = policy;
        this.busy = busy;
    }

    CallPolicy policy() {
        return policy;
    }

    LockNotAcquiredException busy() {
        return busy;
    }
}
