/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.ReflectionUtils;

class OwnTransactionTests {

    private static @Nullable String nameOf(String method) {
        return OwnTransaction.nameOf(
                Objects.requireNonNull(ReflectionUtils.findMethod(Service.class, method)), Service.class);
    }

    @Test
    void aMethodThatJoinsTheTransactionOfItsCallerHasNone() {
        assertThat(nameOf("joins")).isNull();
        assertThat(nameOf("without")).isNull();
    }

    @Test
    void theNameIsThatOfTheMethod() {
        assertThat(nameOf("begins")).isEqualTo(Service.class.getName() + ".begins");
        assertThat(nameOf("suspends")).isEqualTo(Service.class.getName() + ".suspends");
    }

    /** Spring resolves these when it begins the transaction. */
    @Test
    void otherAttributesMayHavePlaceholders() {
        assertThat(nameOf("joinsWithPlaceholders")).isNull();
        assertThat(nameOf("beginsWithPlaceholders")).isEqualTo(Service.class.getName() + ".beginsWithPlaceholders");
    }

    /** The class may outlive the application, as with the developer tools. */
    @Test
    void keepsNoMethod() {
        assertThat(nameOf("begins")).isNotNull();
        Object attributes = ReflectionTestUtils.getField(OwnTransaction.class, "ATTRIBUTES");
        assertThat(attributes)
                .extracting(source -> ReflectionTestUtils.getField(source, "attributeCache"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .isEmpty();
    }

    static class Service {

        void without() {}

        @Transactional
        void joins() {}

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        void begins() {}

        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        void suspends() {}

        @Transactional(timeoutString = "${missing}", label = "${missing}", transactionManager = "${missing}")
        void joinsWithPlaceholders() {}

        @Transactional(
                propagation = Propagation.REQUIRES_NEW,
                timeoutString = "${missing}",
                label = "${missing}",
                transactionManager = "${missing}")
        void beginsWithPlaceholders() {}
    }
}
