/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

/** The application's Redis is of a kind that locks do not support. */
public final class UnsupportedTopologyException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    UnsupportedTopologyException(String topology) {
        super("Distributed locks need a single Redis server, but the application is configured for " + topology
                + ". Give them one of their own: a LockOperations bean made from a LettuceConnectionFactory for a"
                + " single server.");
    }
}
