/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockOperations;
import io.distributedlock.LockOrigin;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The content of an annotation for one method, parsed and checked.
 *
 * @param name determines the lock names of a call
 * @param terms the options of the request
 * @param condition whether a call is locked at all; null for always
 * @param operations the locks to use; null for the default
 * @param policy what a call does with a busy or lost lock and with failures
 * @param adapter runs calls of the method's return type
 * @param handles the parameters that get the handle
 */
record LockOperation(
        LockNameResolver name,
        Terms terms,
        @Nullable LockCondition condition,
        @Nullable Locks operations,
        CallPolicy policy,
        ReturnTypeAdapter adapter,
        HandleParameters handles) {

    /**
     * The options of the request.
     *
     * @param template a request with these options; each call has a copy with its own names
     */
    record Terms(LockRequest template) {

        LockRequest toRequest(List<String> names) {
            return names.size() == 1 ? template.named(names.get(0)) : template.namedAll(names);
        }

        @Nullable
        Duration lease() {
            return template.lease();
        }

        /** Negative for no limit. */
        @Nullable
        Duration waitUpTo() {
            return template.waitUpTo();
        }

        @Nullable
        Duration maxHold() {
            return template.maxHold();
        }

        @Nullable
        Duration minHold() {
            return template.minHold();
        }

        LockOrigin origin() {
            return template.origin();
        }
    }

    /** A bean of the application that has locks. */
    record Locks(String bean, Supplier<LockOperations> found) {}

    LockRequest request(@Nullable Object target, @Nullable Object[] arguments) {
        return terms.toRequest(name.all(target, arguments));
    }

    boolean isConditionMet(@Nullable Object target, @Nullable Object[] arguments) {
        return condition == null || condition.holds(target, arguments);
    }

    LockOperations locks(Supplier<LockOperations> byDefault) {
        return operations == null ? byDefault.get() : operations.found().get();
    }

    @Nullable
    Duration waitUpTo() {
        return terms.waitUpTo();
    }

    WhenBusy whenBusy() {
        return policy.whenBusy();
    }

    WhenLost whenLost() {
        return policy.whenLost();
    }
}
