/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

/** A request for one of several locks, which reports why it ends. Others are only cancelled. */
public interface PartOfAcquisition {

    /** Ends the request like a cancellation, since another one of the locks was lost. */
    void endAfterLoss(Throwable loss);
}
