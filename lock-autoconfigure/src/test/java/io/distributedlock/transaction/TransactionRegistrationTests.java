/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/** A cancellation completes a transaction on another thread, also while something is registered with it. */
class TransactionRegistrationTests {

    private final AtomicInteger ends = new AtomicInteger();

    private final TransactionSynchronizationManager manager = mock(TransactionSynchronizationManager.class);

    private final TransactionRegistration registration = new TransactionRegistration(null) {

        @Override
        Mono<Void> completed() {
            return Mono.fromRunnable(ends::incrementAndGet);
        }
    };

    @Test
    void oneThatTheTransactionKnowsEndsOnceWithIt() {
        given(manager.isSynchronizationActive()).willReturn(true);
        given(manager.getSynchronizations()).willReturn(List.of(registration));

        assertThat(registration.registerWith(manager)).isTrue();
        assertThat(ends).hasValue(0);

        registration.afterCompletion(TransactionSynchronization.STATUS_COMMITTED).block();
        registration.end().block();
        assertThat(ends).hasValue(1);
    }

    /** The caller ends what has begun, since nobody else will. */
    @Test
    void oneThatCameAfterTheCompletionIsLeftToItsCaller() {
        given(manager.isSynchronizationActive()).willReturn(false);

        assertThat(registration.registerWith(manager)).isFalse();

        assertThatNothingElseEndsIt();
    }

    @Test
    void oneThatTheNextTransactionDoesNotKnowIsLeftToItsCaller() {
        given(manager.isSynchronizationActive()).willReturn(true);
        given(manager.getSynchronizations()).willReturn(List.of());

        assertThat(registration.registerWith(manager)).isFalse();

        assertThatNothingElseEndsIt();
    }

    @Test
    void oneThatIsRefusedIsLeftToItsCaller() {
        willThrow(new IllegalStateException("not active")).given(manager).registerSynchronization(any());

        assertThatIllegalStateException().isThrownBy(() -> registration.registerWith(manager));

        assertThatNothingElseEndsIt();
    }

    /** The completion has begun before the check: the call that it makes ends it, and the caller does not. */
    @Test
    void oneThatIsCalledDuringItsRegistrationCountsAsRegistered() {
        given(manager.isSynchronizationActive()).willAnswer(call -> {
            registration.afterCompletion(TransactionSynchronization.STATUS_ROLLED_BACK).block();
            return false;
        });

        assertThat(registration.registerWith(manager)).isTrue();
        assertThat(ends).hasValue(1);
    }

    private void assertThatNothingElseEndsIt() {
        registration.end().block();
        assertThat(ends).hasValue(0);
    }
}
