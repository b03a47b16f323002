/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.ReflectionUtils;
import reactor.core.publisher.Mono;

class TransactionAttributesTests {

    private final Method method = Objects.requireNonNull(ReflectionUtils.findMethod(Service.class, "transaction"));

    /** The class may outlive the application, as with the developer tools. */
    @Test
    void keepNoMethod() {
        assertThat(TransactionAttributes.of(method, Service.class)).isNotNull();
        assertThat(new ReactiveCommitGuard().matches(method, Service.class)).isTrue();
        Object source = ReflectionTestUtils.getField(TransactionAttributes.class, "SOURCE");
        assertThat(source)
                .extracting(attributes -> ReflectionTestUtils.getField(attributes, "attributeCache"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .isEmpty();
    }

    /** Spring resolves these when it begins the transaction. */
    @Test
    void mayHavePlaceholders() {
        assertThat(new ReactiveCommitGuard().matches(method, Service.class)).isTrue();
    }

    static class Service {

        @Transactional(timeoutString = "${missing}", label = "${missing}", transactionManager = "${missing}")
        Mono<String> transaction() {
            return Mono.empty();
        }
    }
}
