/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.composite.StageFailures;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Connections to single servers of a cluster. Lettuce throws at once if a server has left the cluster since its id was
 * looked up; here each failure comes through the future.
 */
final class ClusterNodes {

    private ClusterNodes() {}

    /** Fails with {@link Effect#NOT_EXECUTED}: nothing was sent to the server. */
    static <C> CompletableFuture<C> connection(Supplier<CompletableFuture<C>> opening) {
        try {
            return opening.get().exceptionallyCompose(failure -> CompletableFuture.failedFuture(notExecuted(failure)));
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(notExecuted(ex));
        }
    }

    private static LeaseStoreException notExecuted(Throwable failure) {
        Throwable cause = StageFailures.bare(failure);
        return new LeaseStoreException(Effect.NOT_EXECUTED, LettuceFailures.text(cause), cause);
    }
}
