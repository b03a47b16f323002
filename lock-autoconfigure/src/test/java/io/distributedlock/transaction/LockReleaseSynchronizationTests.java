/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.composite.CompositeLockHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What a transaction does with the locks that it keeps. */
class LockReleaseSynchronizationTests {

    private final List<String> closed = new ArrayList<>();

    @BeforeEach
    void beginTransaction() {
        TransactionSynchronizationManager.setActualTransactionActive(true);
        TransactionSynchronizationManager.initSynchronization();
    }

    @AfterEach
    void endTransaction() {
        TransactionSynchronizationManager.clear();
    }

    private LockHandle handle(String name) {
        return handle(name, 1);
    }

    private LockHandle handle(String name, long token) {
        LockHandle handle = mock();
        when(handle.fencingTokens()).thenReturn(Map.of(name, token));
        doAnswer(call -> closed.add(name)).when(handle).close();
        when(handle.closeAsync()).thenAnswer(call -> {
            closed.add(name + " without waiting");
            return CompletableFuture.completedFuture(null);
        });
        return handle;
    }

    private LockHandle lostHandle(String name) {
        LockHandle handle = handle(name);
        doThrow(loss(name)).when(handle).throwIfLost();
        return handle;
    }

    private static LockLostException loss(String name) {
        return new LockLostException(name, "lost", Duration.ZERO);
    }

    private static boolean keep(LockHandle handle, boolean lossMatters) {
        return LockReleaseSynchronization.deferRelease(handle, lossMatters);
    }

    private static void beforeCommit() {
        TransactionSynchronizationManager.getSynchronizations().forEach(each -> each.beforeCommit(false));
    }

    private static void complete() {
        TransactionSynchronizationManager.getSynchronizations()
                .forEach(each -> each.afterCompletion(TransactionSynchronization.STATUS_COMMITTED));
    }

    @Test
    void aLossThatIsIgnoredDoesNotStopTheCommit() {
        keep(lostHandle("work"), false);

        assertThatNoException().isThrownBy(LockReleaseSynchronizationTests::beforeCommit);
    }

    /** The second entry is the work whose loss matters. */
    @Test
    void anEntryWhoseLossIsIgnoredDoesNotStandForOneWhoseLossMatters() {
        assertThat(keep(handle("work"), false)).isTrue();
        assertThat(keep(lostHandle("work"), true)).isTrue();

        assertThatExceptionOfType(LockLostException.class).isThrownBy(LockReleaseSynchronizationTests::beforeCommit);
    }

    @Test
    void anotherEntryOfTheSameHoldEndsByItself() {
        assertThat(keep(handle("work"), true)).isTrue();
        assertThat(keep(handle("work"), true)).isFalse();
        assertThat(keep(handle("work"), false)).isFalse();
    }

    /** The higher token of both is that of the hold that is kept already. */
    @Test
    void aHoldOfTheSameNameInAnotherServerIsKeptToo() {
        LockHandle second = handle("work", 2);
        LockHandle both = new CompositeLockHandle(List.of(handle("work", 1), second));
        assertThat(keep(second, false)).isTrue();
        assertThat(keep(both, false)).isTrue();
        assertThat(keep(both, false)).isFalse();
    }

    /** The caller waits for one reply, not for one of each lock. */
    @Test
    void allReleasesBeginBeforeTheFirstIsWaitedForAndTheLatestLockIsFirst() {
        keep(handle("a"), true);
        keep(handle("b"), true);
        keep(handle("c"), true);
        complete();

        assertThat(closed).containsExactly("c without waiting", "b without waiting", "a without waiting");
    }

    /** Nothing else would end it. */
    @Test
    void aHoldThatTheTransactionCannotTakeOverForAnErrorEnds() {
        keep(handle("a"), true);
        LockHandle second = handle("b");
        doThrow(new StackOverflowError()).when(second).fencingTokens();

        assertThatExceptionOfType(StackOverflowError.class)
                .isThrownBy(() -> TransactionalHold.run(second, held -> "not run"));
        assertThat(closed).containsExactly("b");
    }

    /** They may send what the next holder has to see. */
    @Test
    void callbacksOfTheApplicationComeBeforeTheRelease() {
        keep(handle("work"), true);
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public int getOrder() {
                return 0;
            }

            @Override
            public void afterCompletion(int status) {
                closed.add("callback");
            }
        });
        complete();

        assertThat(closed).containsExactly("callback", "work");
    }

    /** The transaction is over, so no caller could do anything about it. */
    @Test
    void aFailureOfAReleaseKeepsNoOtherLockAndIsNotThrown() {
        LockHandle first = handle("a");
        doThrow(new StackOverflowError()).when(first).closeAsync();
        LockHandle second = handle("b");
        doReturn(CompletableFuture.failedFuture(loss("b"))).when(second).closeAsync();
        keep(first, true);
        keep(second, true);
        keep(handle("c"), true);

        assertThatNoException().isThrownBy(LockReleaseSynchronizationTests::complete);
        assertThat(closed).containsExactly("c without waiting");
    }
}
