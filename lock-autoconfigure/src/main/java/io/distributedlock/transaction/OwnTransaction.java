/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.ClassUtils;

/** Determines which methods take no part in the transaction of their caller: they have one of their own, or none. */
public final class OwnTransaction {

    private static final Attributes ATTRIBUTES = new Attributes();

    private OwnTransaction() {}

    /**
     * Only the propagation is of interest. Placeholders in other attributes are not resolved. Keeps no method, since
     * this class may outlive the application: with the developer tools, one JVM starts it several times.
     */
    private static final class Attributes extends AnnotationTransactionAttributeSource {

        private static final long serialVersionUID = 1L;

        Attributes() {
            super(false);
        }

        @Nullable
        TransactionAttribute of(Method method, Class<?> targetClass) {
            return computeTransactionAttribute(method, targetClass);
        }
    }

    /**
     * The name that Spring gives to a transaction of the method; null if the method joins the transaction of its
     * caller. The caller keeps the result: this method reads the annotations each time.
     */
    public static @Nullable String nameOf(Method method, Class<?> targetClass) {
        TransactionAttribute attribute = ATTRIBUTES.of(method, targetClass);
        return attribute != null && isSeparate(attribute.getPropagationBehavior())
                ? ClassUtils.getQualifiedMethodName(method, targetClass)
                : null;
    }

    private static boolean isSeparate(int propagation) {
        return propagation == TransactionDefinition.PROPAGATION_REQUIRES_NEW
                || propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
    }
}
