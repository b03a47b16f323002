/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import java.lang.reflect.Method;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.interceptor.TransactionAttribute;

/** Determines which methods take no part in the transaction of their caller: they have one of their own, or none. */
public final class OwnTransaction {

    private OwnTransaction() {}

    /**
     * Whether the lock of this method takes no part in the transaction of the caller. If the lock is inside of the
     * transaction of a method with REQUIRES_NEW, the calling thread is in that transaction, which keeps the lock. The
     * caller of this method keeps the result: the annotations are read each time.
     *
     * @param lockIsInside whether the lock is acquired inside of the transaction of a method that has both
     */
    public static boolean isSeparate(Method method, Class<?> targetClass, BooleanSupplier lockIsInside) {
        TransactionAttribute attribute = TransactionAttributes.of(method, targetClass);
        if (attribute == null) {
            return false;
        }
        return switch (attribute.getPropagationBehavior()) {
            case TransactionDefinition.PROPAGATION_NOT_SUPPORTED -> true;
            case TransactionDefinition.PROPAGATION_REQUIRES_NEW -> !lockIsInside.getAsBoolean();
            default -> false;
        };
    }

    /**
     * Whether the advice of transactions is outside of advice of that order. Of equal order, that of transactions is
     * registered first. Transactions that are woven into the methods are inside.
     */
    public static boolean isOutside(BeanFactory beans, int order) {
        return beans instanceof ListableBeanFactory context
                && BeanFactoryUtils.beansOfTypeIncludingAncestors(
                                context, BeanFactoryTransactionAttributeSourceAdvisor.class, false, false)
                        .values()
                        .stream()
                        .anyMatch(advisor -> order >= advisor.getOrder());
    }
}
