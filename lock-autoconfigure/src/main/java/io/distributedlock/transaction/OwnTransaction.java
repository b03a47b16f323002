/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.DefaultTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/** Determines which methods take no part in the transaction of their caller: they have one of their own, or none. */
public final class OwnTransaction {

    private static final TransactionAttributeSource ATTRIBUTES = attributes();

    private OwnTransaction() {}

    /** Only the propagation is of interest. Other attributes may have placeholders, which are not resolved here. */
    private static TransactionAttributeSource attributes() {
        AnnotationTransactionAttributeSource source = new AnnotationTransactionAttributeSource(false);
        source.setEmbeddedValueResolver(text -> null);
        return source;
    }

    /**
     * The name that Spring gives to a transaction of the method; null if the method joins the transaction of its
     * caller.
     */
    public static @Nullable String nameOf(Method method, Class<?> targetClass) {
        return ATTRIBUTES.getTransactionAttribute(method, targetClass) instanceof DefaultTransactionAttribute attribute
                        && isSeparate(attribute.getPropagationBehavior())
                ? attribute.getDescriptor()
                : null;
    }

    private static boolean isSeparate(int propagation) {
        return propagation == TransactionDefinition.PROPAGATION_REQUIRES_NEW
                || propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
    }
}
