/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;

/** What lies between one instance and the store: a connection for commands and one for messages. */
interface Network {

    void send(SimulatedCall<?> call);

    /** Tells the instance, when and as often as the network likes. */
    void deliver(StoreMessage message, Runnable arrival);

    /** Whether the store finds a receiver of its messages. */
    boolean isSubscribed();

    /** Whether locks have moved to another part of the store since the acquisition with this number got it. */
    default boolean hasMoved(long number) {
        return false;
    }

    CompletableFuture<Void> ready();
}
