/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.transaction.ReactiveCommitGuard;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ReactiveTransactionManager;
import reactor.core.publisher.Flux;

/** Prevents the commit of reactive transactions under a lock that was lost. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ReactiveTransactionManager.class, Flux.class})
@ConditionalOnSwitch({"enabled", "transaction.guard"})
class ReactiveCommitGuardConfiguration {

    /** Also in a child context: a creator of proxies without AspectJ does not use the advisors of its parent. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static ReactiveCommitGuard reactiveCommitGuard() {
        return new ReactiveCommitGuard();
    }
}
