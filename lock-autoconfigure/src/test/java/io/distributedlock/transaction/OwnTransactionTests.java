/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.ReflectionUtils;

class OwnTransactionTests {

    private static boolean isSeparate(String method, boolean lockIsInside) {
        return OwnTransaction.isSeparate(
                Objects.requireNonNull(ReflectionUtils.findMethod(Service.class, method)),
                Service.class,
                () -> lockIsInside);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMethodThatJoinsTheTransactionOfItsCallerHasNone(boolean lockIsInside) {
        assertThat(isSeparate("joins", lockIsInside)).isFalse();
        assertThat(isSeparate("joinsWithPlaceholders", lockIsInside)).isFalse();
        assertThat(isSeparate("without", lockIsInside)).isFalse();
    }

    @Test
    void aLockOutsideOfATransactionOfItsOwnIsSeparate() {
        assertThat(isSeparate("begins", false)).isTrue();
        assertThat(isSeparate("beginsWithPlaceholders", false)).isTrue();
        assertThat(isSeparate("begins", true)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLockOfAMethodWithoutATransactionIsSeparate(boolean lockIsInside) {
        assertThat(isSeparate("suspends", lockIsInside)).isTrue();
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
