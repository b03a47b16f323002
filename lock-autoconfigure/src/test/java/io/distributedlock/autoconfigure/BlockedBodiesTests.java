/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** Locked futures and publishers whose bodies all block on other locked methods at the same time. */
class BlockedBodiesTests {

    /** As many as there are threads for bodies. */
    private static final int MANY = 256;

    /** So many locked methods are around the bodies that all threads for nested work are shared. */
    private static final int DEPTH = 7;

    private static LockedApplication application;

    private final Outer outer = application.bean(Outer.class);

    private final Inner inner = application.bean(Inner.class);

    @BeforeAll
    static void start() {
        application = new LockedApplication(Configured.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @AfterEach
    void leavesNothing() {
        application.awaitNoKeys();
    }

    /** Each body goes on when all of them run, so that no thread is free. */
    private void runAtOnce(Function<Integer, Integer> body) {
        CountDownLatch running = new CountDownLatch(MANY);
        Thread caller = Thread.currentThread();
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            all.add(outer.future(i, each -> {
                running.countDown();
                // A lock that was granted before the call returns has its body run by the caller.
                if (Thread.currentThread() != caller) {
                    await(running);
                }
                return body.apply(each);
            }));
        }
        for (int i = 0; i < MANY; i++) {
            assertThat(all.get(i)).succeedsWithin(LockedApplication.LONG).isEqualTo(i);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void mayWaitForPublishers() {
        runAtOnce(i -> inner.mono(i).map(each -> each).block(LockedApplication.LONG));
    }

    @Test
    void mayWaitForSeveralLocksAndTheirFutures() {
        runAtOnce(i -> inner.several(i, MANY + i).thenApply(each -> each).join());
    }

    @Test
    void mayReleaseTheLocksOfSeveralAnnotationsInContinuationsOfReleases() {
        runInContinuationsOfReleases(inner::annotatedTwice);
    }

    @Test
    void mayEndTransactionsWithSeveralLocksInContinuationsOfReleases() {
        runInContinuationsOfReleases(inner::inTransaction);
    }

    /** A request for several names, and the locks of several annotations, are one hold of the transaction each. */
    @Test
    void mayEndTransactionsWithJointLocksInContinuationsOfReleases() {
        runInContinuationsOfReleases(inner::inTransactionWithJointLocks);
    }

    /** The threads that complete releases are all busy with application code. */
    private void runInContinuationsOfReleases(UnaryOperator<Integer> body) {
        CountDownLatch running = new CountDownLatch(MANY);
        Thread caller = Thread.currentThread();
        LockOperations locks = application.bean(LockOperations.class);
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        // Those that have ended before the continuation is added run on the calling thread, and do not count.
        for (int i = 0; running.getCount() > 0 && i < 40 * MANY; i++) {
            int number = i;
            CompletionStage<Void> released =
                    locks.acquire(LockRequest.of("before-" + i)).closeAsync();
            all.add(released.thenApply(done -> {
                        if (Thread.currentThread() != caller) {
                            running.countDown();
                            await(running);
                        }
                        return body.apply(number);
                    })
                    .toCompletableFuture());
        }
        assertThat(running.getCount()).isZero();
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i)).succeedsWithin(LockedApplication.LONG).isEqualTo(i);
        }
    }

    enum Wait {
        JOIN,
        JOIN_OF_DEPENDENT,
        GET
    }

    /** Nested work has threads of its own, but below some depth it shares them with the work around it. */
    @ParameterizedTest
    @EnumSource
    void mayWaitForFuturesHoweverDeepTheyAreNested(Wait how) {
        CountDownLatch running = new CountDownLatch(MANY);
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            all.add(nested(DEPTH, i, running, how));
        }
        for (int i = 0; i < MANY; i++) {
            assertThat(all.get(i)).succeedsWithin(LockedApplication.LONG).isEqualTo(i);
        }
    }

    private CompletableFuture<Integer> nested(int depth, int i, CountDownLatch running, Wait how) {
        return outer.nested(depth, i, () -> {
            if (depth > 0) {
                return nested(depth - 1, i, running, how);
            }
            running.countDown();
            await(running);
            CompletableFuture<Integer> other = inner.future(i);
            return CompletableFuture.completedFuture(
                    switch (how) {
                        case JOIN -> other.join();
                        case JOIN_OF_DEPENDENT -> other.thenApply(each -> each).join();
                        case GET -> got(other);
                    });
        });
    }

    private static int got(CompletableFuture<Integer> future) {
        try {
            return future.get();
        } catch (InterruptedException | ExecutionException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Configured {

        @Bean
        Outer outer() {
            return new Outer();
        }

        @Bean
        Inner inner(LockOperations locks) {
            return new Inner(locks);
        }
    }

    static class Outer {

        @DistributedLocked(name = "outer", key = "#i", waitUpTo = "60s")
        public CompletableFuture<Integer> future(int i, Function<Integer, Integer> body) {
            return CompletableFuture.completedFuture(body.apply(i));
        }

        @DistributedLocked(name = "nested", key = "#depth + '-' + #i", waitUpTo = "60s")
        public CompletableFuture<Integer> nested(int depth, int i, Supplier<CompletableFuture<Integer>> body) {
            return body.get();
        }
    }

    static class Inner {

        private final TransactionTemplate transaction = new TransactionTemplate(new EmptyTransactions());

        private final LockOperations locks;

        Inner(LockOperations locks) {
            this.locks = locks;
        }

        int inTransaction(int i) {
            return transaction.execute(status -> {
                locks.execute(LockRequest.of("kept-" + i), handle -> i);
                return locks.execute(LockRequest.of("another-" + i), handle -> i);
            });
        }

        int inTransactionWithJointLocks(int i) {
            return transaction.execute(status -> {
                locks.execute(LockRequest.ofAll(List.of("kept-" + i, "another-" + i)), handle -> i);
                return locks.execute(LockRequest.ofAll(List.of("third-" + i, "fourth-" + i)), handle -> i);
            });
        }

        @DistributedLocked(name = "inner", key = "#i", waitUpTo = "60s")
        public Mono<Integer> mono(int i) {
            return Mono.just(i);
        }

        @DistributedLocked(name = "inner", key = "#i", waitUpTo = "60s")
        public CompletableFuture<Integer> future(int i) {
            return CompletableFuture.completedFuture(i);
        }

        @DistributedLocked(name = "inner", key = "#i", waitUpTo = "60s")
        @DistributedLocked(name = "beside", key = "#i", waitUpTo = "60s")
        public int annotatedTwice(int i) {
            return i;
        }

        @DistributedLocked(name = "inner", key = "{#i, #j}", waitUpTo = "60s")
        public CompletableFuture<Integer> several(int i, int j) {
            return CompletableFuture.completedFuture(i);
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
