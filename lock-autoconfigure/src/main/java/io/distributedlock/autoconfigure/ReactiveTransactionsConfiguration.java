/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.transaction.ReactiveTransactions;
import org.springframework.aop.Advisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ReactiveTransactionManager;
import reactor.core.publisher.Flux;

/** Keeps locks around reactive transactions until those have completed, also after a cancellation. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ReactiveTransactionManager.class, Flux.class})
@ConditionalOnSwitch("enabled")
class ReactiveTransactionsConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor reactiveTransactionSubscriberScope() {
        return ReactiveTransactions.subscriberScope();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanPostProcessor reactiveTransactionAdvisorsInside() {
        return ReactiveTransactions.advisorsInside();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor reactiveTransactionEnclosingLocks() {
        return ReactiveTransactions.enclosingLocks();
    }
}
