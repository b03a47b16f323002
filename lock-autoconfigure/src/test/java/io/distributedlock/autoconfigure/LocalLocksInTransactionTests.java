/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** With locks switched off, a lock in a transaction has one token until its end, as one that the transaction keeps. */
class LocalLocksInTransactionTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.enabled=false")
            .withBean(Account.class);

    private final TransactionTemplate transaction = new TransactionTemplate(new EmptyTransactions());

    /** A table that checks tokens would refuse what the transaction writes with the first one after the second call. */
    @Test
    void allEntriesInATransactionHaveTheSameToken() {
        runner.run(context -> {
            Account account = context.getBean(Account.class);
            LockOperations locks = context.getBean(LockOperations.class);
            long token = transaction.execute(status -> {
                long first = account.book("a");
                assertThat(account.book("a")).isEqualTo(first);
                assertThat(account.later("a").join()).isEqualTo(first);
                assertThat(execute(locks, "a")).isEqualTo(first);
                assertThat(account.book("b")).isNotEqualTo(first);
                return first;
            });
            assertThat(account.book("a")).isGreaterThan(token);
            assertThat(transaction.<Long>execute(status -> account.book("a"))).isGreaterThan(token);
        });
    }

    @Test
    void aLockOfExecuteIsKeptToo() {
        runner.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            Account account = context.getBean(Account.class);
            transaction.executeWithoutResult(status -> {
                long both = locks.execute(
                        LockRequest.ofAll(List.of("a", "b")),
                        handle -> handle.fencingTokens().get("a"));
                assertThat(account.book("a")).isEqualTo(both);
            });
            assertThat(execute(locks, "a")).isNotEqualTo(execute(locks, "a"));
        });
    }

    @Test
    void eachEntryHasATokenOfItsOwnIfTransactionsKeepNoLocks() {
        runner.withPropertyValues("distributed-lock.keep-until-completion=false")
                .run(context -> transaction.executeWithoutResult(status -> {
                    Account account = context.getBean(Account.class);
                    LockOperations locks = context.getBean(LockOperations.class);
                    long first = account.book("a");
                    assertThat(account.book("a")).isGreaterThan(first);
                    assertThat(execute(locks, "a")).isNotEqualTo(execute(locks, "a"));
                }));
    }

    private static long execute(LockOperations locks, String name) {
        return locks.<Long, RuntimeException>execute(LockRequest.of(name), LockHandle::fencingToken);
    }

    public static class Account {

        @DistributedLocked("#id")
        public long book(String id) {
            return LockHandle.current().orElseThrow().fencingToken();
        }

        @DistributedLocked("#id")
        public CompletableFuture<Long> later(String id) {
            return CompletableFuture.completedFuture(book(id));
        }
    }

    /** Transactions without any data. */
    private static final class EmptyTransactions extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
