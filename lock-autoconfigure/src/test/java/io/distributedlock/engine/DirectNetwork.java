/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;

/** A network without delays and faults, for threads. */
final class DirectNetwork implements Network {

    @Override
    public void send(SimulatedCall<?> call) {
        call.run();
    }

    @Override
    public void deliver(StoreMessage message, Runnable arrival) {
        arrival.run();
    }

    @Override
    public boolean isSubscribed() {
        return true;
    }

    @Override
    public CompletableFuture<Void> ready() {
        return CompletableFuture.completedFuture(null);
    }
}
