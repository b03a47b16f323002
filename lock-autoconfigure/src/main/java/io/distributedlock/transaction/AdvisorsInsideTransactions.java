/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;

/**
 * Moves the advice of this library that has to be inside of reactive transactions behind the advice of the
 * transactions. Both have the lowest precedence, and among equals, advisors of a context come before those that it
 * inherits. So in a child context with the transactions of its parent, they would be outside. One of each kind is
 * sufficient.
 *
 * <p>It has no order, so it runs after the creator of the proxies.
 */
final class AdvisorsInsideTransactions implements BeanPostProcessor {

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof Advised advised && !advised.isFrozen()) {
            move(advised);
        }
        return bean;
    }

    private static void move(Advised advised) {
        List<Advisor> outside = new ArrayList<>();
        for (int i = lastTransactions(advised.getAdvisors()) - 1; i >= 0; i--) {
            Advisor advisor = advised.getAdvisors()[i];
            if (advisor instanceof ReactiveCommitGuard || advisor instanceof EnclosingLocksAdvisor) {
                outside.add(advisor);
                advised.removeAdvisor(i);
            }
        }
        for (Advisor advisor : outside) {
            if (Arrays.stream(advised.getAdvisors()).noneMatch(advisor.getClass()::isInstance)) {
                advised.addAdvisor(lastTransactions(advised.getAdvisors()) + 1, advisor);
            }
        }
    }

    /** The index of the innermost advice of transactions; -1 if there is none. */
    private static int lastTransactions(Advisor[] all) {
        int last = all.length - 1;
        while (last >= 0 && !(all[last] instanceof BeanFactoryTransactionAttributeSourceAdvisor)) {
            last--;
        }
        return last;
    }
}
