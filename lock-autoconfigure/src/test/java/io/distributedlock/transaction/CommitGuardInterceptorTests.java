/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.CallbackPreferringPlatformTransactionManager;
import org.springframework.transaction.support.SimpleTransactionStatus;
import org.springframework.transaction.support.TransactionCallback;

/** Commits under a lost lock by a manager that accepts no listeners. */
class CommitGuardInterceptorTests {

    private final Manager manager = new Manager();

    private final PlatformTransactionManager guarded = (PlatformTransactionManager)
            new CommitGuardInstaller().postProcessAfterInitialization(manager, "transactionManager");

    private final LockLostException loss = new LockLostException("work", "lost", Duration.ZERO);

    private LockScope lost;

    @BeforeEach
    void enterALockThatIsLost() {
        LockHandle handle = mock();
        doThrow(loss).when(handle).throwIfLost();
        lost = LockScope.open(handle);
    }

    @AfterEach
    void leaveTheLock() {
        lost.close();
    }

    @Test
    void theCommitIsARollback() {
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> guarded.commit(new SimpleTransactionStatus(true)));

        assertThat(manager.calls).containsExactly("rollback");
    }

    /** The work around it may still succeed without this part; its own commit is guarded. */
    @Test
    void theEndOfAPartOfATransactionIsNoCommit() {
        assertThatNoException().isThrownBy(() -> guarded.commit(new SimpleTransactionStatus(false)));

        assertThat(manager.calls).containsExactly("commit");
    }

    /** The manager reports why. */
    @Test
    void aTransactionThatIsToBeRolledBackIsLeftToItsManager() {
        SimpleTransactionStatus status = new SimpleTransactionStatus(true);
        status.setRollbackOnly();
        assertThatNoException().isThrownBy(() -> guarded.commit(status));

        assertThat(manager.calls).containsExactly("commit");
    }

    @Test
    void aFailureOfTheRollbackIsAddedToTheLoss() {
        manager.failure = new TransactionSystemException("no connection");

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> guarded.commit(new SimpleTransactionStatus(true)))
                .satisfies(ex -> assertThat(ex.getSuppressed()).containsExactly(manager.failure));
    }

    @Test
    void anErrorOfTheRollbackIsAddedToTheLoss() {
        manager.error = new AssertionError("for the test");

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> guarded.commit(new SimpleTransactionStatus(true)))
                .satisfies(ex -> assertThat(ex.getSuppressed()).containsExactly(manager.error));
    }

    /** It commits inside its own method, where a proxy does not see it. */
    @Test
    void aManagerThatCommitsByItselfIsNotProxied() {
        PlatformTransactionManager own = new CallbackManager();

        assertThat(new CommitGuardInstaller().postProcessAfterInitialization(own, "transactionManager"))
                .isSameAs(own);
    }

    /** As a nested class in an application: its implicit constructor is private too. */
    @Test
    void aManagerThatCannotBeExtendedIsNotProxied() {
        for (PlatformTransactionManager own : List.of(new PrivateManager(), new SealedManager(), new Partial())) {
            assertThat(new CommitGuardInstaller().postProcessAfterInitialization(own, "transactionManager"))
                    .isSameAs(own);
        }
    }

    private static class PrivateManager extends Manager {}

    static sealed class SealedManager extends Manager permits Partial {}

    static final class Partial extends SealedManager {}

    static class Manager implements PlatformTransactionManager {

        final List<String> calls = new ArrayList<>();

        RuntimeException failure;

        Error error;

        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            return new SimpleTransactionStatus(true);
        }

        @Override
        public void commit(TransactionStatus status) {
            calls.add("commit");
        }

        @Override
        public void rollback(TransactionStatus status) {
            calls.add("rollback");
            if (failure != null) {
                throw failure;
            }
            if (error != null) {
                throw error;
            }
        }
    }

    static class CallbackManager extends Manager implements CallbackPreferringPlatformTransactionManager {

        @Override
        public <T> T execute(TransactionDefinition definition, TransactionCallback<T> callback) {
            return callback.doInTransaction(getTransaction(definition));
        }
    }
}
