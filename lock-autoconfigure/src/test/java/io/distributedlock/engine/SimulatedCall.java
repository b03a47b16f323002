/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStore.StoreCall;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A command on its way to the store and its answer on the way back. The network decides what becomes of both. */
final class SimulatedCall<T> implements StoreCall {

    final Object command;

    final CompletableFuture<T> answer = new CompletableFuture<>();

    private final Supplier<T> execution;

    private @Nullable T reply;

    SimulatedCall(Object command, Supplier<T> execution) {
        this.command = command;
        this.execution = execution;
    }

    /** Tells the answer, now or when it comes. */
    SimulatedCall<T> tell(Reply<T> to) {
        answer.whenComplete(to::replied);
        return this;
    }

    @Override
    public void cancel() {
        answer.cancel(false);
    }

    /** The command arrives at the store; more than once if a copy of it lay in another connection. */
    SimulatedCall<T> execute() {
        reply = execution.get();
        return this;
    }

    /** The answer arrives. */
    void answer() {
        answer.complete(reply);
    }

    void run() {
        execute().answer();
    }

    void fail(Effect effect) {
        answer.completeExceptionally(new LeaseStoreException(effect, "the test says " + effect, null));
    }

    @Override
    public String toString() {
        return command.toString();
    }
}
