/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Which threads may run the body of another locked method while they wait for it. */
class LibraryThreadMarkerTests {

    @AfterEach
    void endTransaction() {
        TransactionSynchronizationManager.clear();
    }

    @Test
    void aThreadMayOnlyDuringABody() throws Throwable {
        assertThat(LibraryThreadMarker.mayRunAnother()).isFalse();
        assertThat(LibraryThreadMarker.run(LibraryThreadMarker::mayRunAnother)).isEqualTo(true);
        assertThat(LibraryThreadMarker.mayRunAnother()).isFalse();
    }

    @Test
    void aThreadStillMayAfterABodyInsideItsOwn() throws Throwable {
        Object after = LibraryThreadMarker.run(() -> {
            LibraryThreadMarker.run(() -> null);
            return LibraryThreadMarker.mayRunAnother();
        });

        assertThat(after).isEqualTo(true);
    }

    /** The other body would run in a transaction that is not its own. */
    @Test
    void aThreadMayNotInATransaction() throws Throwable {
        TransactionSynchronizationManager.setActualTransactionActive(true);
        assertThat(LibraryThreadMarker.run(LibraryThreadMarker::mayRunAnother)).isEqualTo(false);

        TransactionSynchronizationManager.setActualTransactionActive(false);
        TransactionSynchronizationManager.initSynchronization();
        assertThat(LibraryThreadMarker.run(LibraryThreadMarker::mayRunAnother)).isEqualTo(false);
    }
}
