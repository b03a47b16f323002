/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The locks of a call whose method has several annotations. They are acquired one inside the other in the order of
 * their names, which is the same for all callers, and so released in the reverse order. A name that occurs twice counts
 * once, with the attributes of the first annotation. Each of them has the wait of its own annotation.
 */
@SuppressWarnings("ArrayRecordComponent") // Not compared.
record SeveralLocks(
        List<One> all, @Nullable Object target, @Nullable Object[] arguments) {

    private static final Comparator<One> GLOBAL_ORDER =
            Comparator.comparing((One one) -> one.request().name()).thenComparing(One::place);

    record One(LockOperation operation, LockOperations locks, LockRequest request) {

        String place() {
            LockOperation.Locks named = operation.operations();
            return named == null ? "" : named.bean();
        }
    }

    static SeveralLocks of(
            List<LockOperation> operations,
            Supplier<LockOperations> byDefault,
            @Nullable Object target,
            @Nullable Object[] arguments) {
        List<One> all = new ArrayList<>();
        Set<List<String>> seen = new HashSet<>();
        for (LockOperation operation : operations) {
            if (operation.isConditionMet(target, arguments)) {
                LockRequest request = operation.request(target, arguments);
                LockOperations locks = operation.locks(byDefault);
                for (String name : request.names()) {
                    One one = new One(operation, locks, request.named(name));
                    if (seen.add(List.of(one.place(), name))) {
                        all.add(one);
                    }
                }
            }
        }
        all.sort(GLOBAL_ORDER);
        return new SeveralLocks(all, target, arguments);
    }

    @Nullable
    Object run(ReturnTypeAdapter.Body body) throws Throwable {
        if (all.isEmpty()) {
            return body.proceed();
        }
        ReturnTypeAdapter.Body inner = all.get(0).operation().handles().filledIn(arguments, body);
        for (int i = all.size() - 1; i >= 0; i--) {
            One one = all.get(i);
            LockedCall call = new LockedCall(one.operation(), one.locks(), one.request(), target, arguments, inner);
            inner = call::run;
        }
        return inner.proceed();
    }
}
