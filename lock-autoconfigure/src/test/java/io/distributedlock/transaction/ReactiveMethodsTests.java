/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import kotlinx.coroutines.CompletableDeferredKt;
import kotlinx.coroutines.Deferred;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.transaction.annotation.Transactional;

class ReactiveMethodsTests {

    private final Service service = guarded();

    private static Service guarded() {
        ProxyFactory factory = new ProxyFactory(new Service());
        factory.setProxyTargetClass(true);
        factory.addAdvisors(
                ReactiveTransactions.subscriberScope(), new ReactiveCommitGuard(), new EnclosingLocksAdvisor());
        return (Service) factory.getProxy();
    }

    /** A copy would complete when it is cancelled, before the work has ended. */
    @Test
    void aFutureRemainsThatOfTheMethod() {
        CompletableFuture<String> future = new CompletableFuture<>();
        assertThat(service.stage(future)).isSameAs(future);
        assertThat(service.future(future)).isSameAs(future);
    }

    @Test
    void aDeferredRemainsThatOfTheMethod() {
        Deferred<String> deferred = CompletableDeferredKt.CompletableDeferred(null);
        assertThat(service.deferred(deferred)).isSameAs(deferred);
    }

    static class Service {

        @Transactional
        public CompletionStage<String> stage(CompletionStage<String> work) {
            return work;
        }

        @Transactional
        public CompletableFuture<String> future(CompletableFuture<String> work) {
            return work;
        }

        @Transactional
        public Deferred<String> deferred(Deferred<String> work) {
            return work;
        }
    }
}
