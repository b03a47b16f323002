/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.composite.CompositeLockHandle;
import io.distributedlock.composite.LossReaction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The holds of several annotations, as one. The annotation of each decides what its loss means; a loss that is ignored
 * is not reported, unless that is so for all.
 */
final class MultiLockHandle extends CompositeLockHandle {

    /** @param policy of the annotation */
    record Part(LockHandle handle, CallPolicy policy) {}

    /** In global order. */
    private final List<Part> parts;

    private final boolean lossMatters;

    MultiLockHandle(List<Part> parts) {
        super(parts.stream().map(Part::handle).toList());
        this.parts = List.copyOf(parts);
        this.lossMatters = parts.stream().anyMatch(part -> part.policy().lossMatters());
    }

    /** The reaction to a loss that interrupts the call. */
    static void onInterruptingLoss(LockHandle handle, LossReaction reaction) {
        if (handle instanceof MultiLockHandle several) {
            several.onLost(reaction, part -> several.parts.get(part).policy().whenLost() == WhenLost.INTERRUPT);
        } else {
            handle.onLost(reaction);
        }
    }

    /** The reaction to the first loss that the handle reports. One that is ignored may come before it. */
    static void onReportedLoss(LockHandle handle, LossReaction reaction) {
        if (handle instanceof MultiLockHandle several) {
            several.onLost(reaction, several::reportsLossOf);
        } else {
            handle.onLost(reaction);
        }
    }

    @Override
    protected boolean reportsLossOf(int part) {
        return parts.get(part).policy().lossMatters() || !lossMatters;
    }

    @Override
    protected @Nullable Throwable failureOf(int part, @Nullable Throwable outcome) {
        return parts.get(part).policy().afterSuccess(outcome);
    }
}
