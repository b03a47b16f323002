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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** A cancellation completes a transaction on another thread, also while something is registered with it. */
class TransactionRegistrationTests {

    private final AtomicInteger ends = new AtomicInteger();

    private final TransactionSynchronizationManager manager = mock(TransactionSynchronizationManager.class);

    private final TransactionRegistration registration = new Registration(null);

    private final class Registration extends TransactionRegistration {

        Registration(@Nullable TransactionBoundary boundary) {
            super(boundary);
        }

        @Override
        Mono<Void> completed() {
            return Mono.fromRunnable(ends::incrementAndGet);
        }
    }

    @Test
    void oneThatTheTransactionKnowsEndsOnceWithIt() {
        given(manager.isSynchronizationActive()).willReturn(true);
        given(manager.getSynchronizations()).willReturn(List.of(registration));

        assertThat(registration.registerWith(manager)).isTrue();
        assertThat(ends).hasValue(0);

        registration
                .afterCompletion(TransactionSynchronization.STATUS_COMMITTED)
                .block();
        registration.end().block();
        assertThat(ends).hasValue(1);
    }

    /** The caller ends what has begun, since no transaction will. */
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
            registration
                    .afterCompletion(TransactionSynchronization.STATUS_ROLLED_BACK)
                    .block();
            return false;
        });

        assertThat(registration.registerWith(manager)).isTrue();
        assertThat(ends).hasValue(1);
    }

    /** As after a callback of the application that fails after the commit: Spring calls no other one then. */
    @Test
    void oneThatSpringDoesNotCallEndsWithThePublisherOfItsTransaction() {
        assertThat(TransactionBoundary.around(registersAndEndsWith(Mono.just("done")))
                        .block())
                .isEqualTo("done");
        assertThat(ends).hasValue(1);

        Mono<Object> failing = TransactionBoundary.around(
                registersAndEndsWith(Mono.error(new IllegalStateException("after the commit"))));
        assertThatIllegalStateException().isThrownBy(failing::block);
        assertThat(ends).hasValue(2);
    }

    /** The outer transaction has taken the registration of the inner one for its own, and leaves its own uncalled. */
    @Test
    void oneThatIsCalledByTheTransactionAroundEndsThoseOfThatOneToo() {
        Mono<Object> both = TransactionBoundary.around(Mono.<Object>deferContextual(outer -> {
            register(outer);
            return TransactionBoundary.around(Mono.<Object>deferContextual(inner -> register(inner)
                    .afterCompletion(TransactionSynchronization.STATUS_ROLLED_BACK)
                    .contextWrite(outer)
                    .then(Mono.fromCallable(ends::get))));
        }));
        assertThat(both.block()).as("ends before the publishers have ended").isEqualTo(2);
    }

    private Mono<Object> registersAndEndsWith(Mono<Object> end) {
        return Mono.deferContextual(context -> {
            register(context);
            return end;
        });
    }

    private TransactionRegistration register(ContextView context) {
        TransactionRegistration inside = new Registration(TransactionBoundary.of(context));
        given(manager.isSynchronizationActive()).willReturn(true);
        given(manager.getSynchronizations()).willReturn(List.of(inside));
        assertThat(inside.registerWith(manager)).isTrue();
        return inside;
    }

    private void assertThatNothingElseEndsIt() {
        registration.end().block();
        assertThat(ends).hasValue(0);
    }
}
