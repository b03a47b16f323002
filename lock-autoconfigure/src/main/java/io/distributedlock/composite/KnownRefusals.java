/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;

/** Locks that know, without a request to Redis, whether a caller would wait for a hold of its own. */
public interface KnownRefusals {

    /**
     * To be called before the first of several locks is requested: a wait for the others would be in vain.
     *
     * @param request for one or several names
     * @param async whether its owner is only the one that the request names, and not the calling thread
     * @throws LockNotAcquiredException if the caller holds one of these names in a way that refuses the request: a
     *     request that is not re-entrant, or an exclusive one of a reader
     */
    void requireNotRefused(LockRequest request, boolean async);
}
