/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.LockLostException;
import io.distributedlock.LockScope;
import io.distributedlock.composite.StageFailures;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The check of the locks around a reactive transaction before its commit, which Spring begins after failures too. */
final class ReactiveCommitCheck {

    private volatile boolean enabled;

    /** Of the outermost method in the transaction, which ends last. */
    private volatile @Nullable Throwable failure;

    void enable() {
        enabled = true;
    }

    /** A method in the transaction has ended. */
    void ended(@Nullable Throwable with) {
        failure = with;
    }

    /** The loss takes the place of the failure of the work, so it keeps that one. */
    void throwIfLost(List<LockScope> around) {
        if (!enabled) {
            return;
        }
        try {
            around.forEach(LockScope::throwIfAnyLost);
        } catch (LockLostException loss) {
            Throwable replaced = failure;
            if (replaced != null && !StageFailures.isSameLoss(replaced, loss)) {
                loss.addSuppressed(replaced);
            }
            throw loss;
        }
    }
}
