/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;

/**
 * Reads the annotations of transactions, each time anew. Placeholders in them are not resolved. Keeps no method, since
 * this class may outlive the application: with the developer tools, one JVM starts it several times.
 */
final class TransactionAttributes {

    private static final Source SOURCE = new Source();

    private TransactionAttributes() {}

    private static final class Source extends AnnotationTransactionAttributeSource {

        private static final long serialVersionUID = 1L;

        Source() {
            super(false);
        }

        /** The method of the superclass that is not cached and resolves nothing. */
        @Nullable
        TransactionAttribute of(Method method, Class<?> targetClass) {
            return computeTransactionAttribute(method, targetClass);
        }
    }

    /** Null if the method has no annotation of a transaction. */
    static @Nullable TransactionAttribute of(Method method, Class<?> targetClass) {
        return SOURCE.of(method, targetClass);
    }
}
