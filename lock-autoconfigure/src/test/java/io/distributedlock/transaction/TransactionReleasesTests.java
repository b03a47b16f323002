/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import io.distributedlock.LockHandle;
import io.distributedlock.LockScope;
import io.distributedlock.LockUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Mono;

/** A transaction that keeps several locks. */
class TransactionReleasesTests {

    private final TransactionalOperator transaction = TransactionalOperator.create(new Transactions());

    private final List<String> closed = new ArrayList<>();

    private final List<CompletableFuture<Void>> releases = new ArrayList<>();

    /** If Redis does not reply, the caller waits for one command time-out, not for one each. */
    @Test
    void allReleasesAreSentBeforeTheReplyToTheFirst() {
        CompletableFuture<String> result = transaction
                .transactional(keep("a").then(keep("b")).then(keep("c")).thenReturn("done"))
                .toFuture();
        assertThat(closed).containsExactly("a", "b", "c");

        releases.get(0).complete(null);
        releases.get(2).complete(null);
        assertThat(result).as("result before the reply to each release").isNotDone();

        releases.get(1).complete(null);
        assertThat(result).isCompletedWithValue("done");
    }

    @Test
    void aReleaseThatFailsLeavesTheOthersAndTheResult() {
        CompletableFuture<String> result = transaction
                .transactional(keep("a").then(keep("b")).thenReturn("done"))
                .toFuture();
        releases.get(0).completeExceptionally(new LockUnavailableException("a", "no reply", null));
        assertThat(result).isNotDone();

        releases.get(1).complete(null);
        assertThat(result).isCompletedWithValue("done");
    }

    /** Such as that of a response that is written later. */
    @Test
    void theLastLockMayHaveWorkThatIsNotAwaited() {
        List<WorkInTransaction> works = new ArrayList<>();
        CompletableFuture<String> result = transaction
                .transactional(keep("a").then(keep("b", works)).thenReturn("done"))
                .toFuture();
        assertThat(closed).containsExactly("a");
        assertThat(result).isNotDone();
        releases.get(0).complete(null);
        assertThat(result).isCompletedWithValue("done");

        works.get(0).end();
        assertThat(closed).containsExactly("a", "b");
    }

    private Mono<Void> keep(String name) {
        List<WorkInTransaction> works = new ArrayList<>();
        return keep(name, works).then(Mono.fromRunnable(() -> works.forEach(WorkInTransaction::end)));
    }

    private Mono<Void> keep(String name, List<WorkInTransaction> works) {
        return Mono.deferContextual(context -> {
            try (LockScope scope = LockScope.open(handle(name))) {
                works.add(ReactiveTransactions.keep(scope, true, () -> false, context));
            }
            return Mono.empty();
        });
    }

    private LockHandle handle(String name) {
        LockHandle handle = mock(LockHandle.class);
        given(handle.name()).willReturn(name);
        given(handle.fencingTokens()).willReturn(Map.of(name, 1L));
        given(handle.closeAsync()).willAnswer(call -> {
            closed.add(name);
            CompletableFuture<Void> release = new CompletableFuture<>();
            releases.add(release);
            return release;
        });
        return handle;
    }

    private static final class Transactions extends AbstractReactiveTransactionManager {

        @Override
        protected Object doGetTransaction(TransactionSynchronizationManager manager) {
            return new Object();
        }

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager manager, Object transaction, TransactionDefinition definition) {
            return Mono.empty();
        }

        @Override
        protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Mono.empty();
        }

        @Override
        protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Mono.empty();
        }
    }
}
