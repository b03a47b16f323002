/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Replies to one request when the test triggers the reply, and confirms each release. */
final class OneReplyStore implements LeaseStore {

    final CompletableFuture<AcquireReply> answer = new CompletableFuture<>();

    final List<Long> released = new CopyOnWriteArrayList<>();

    volatile long acquisition;

    @Override
    public StoreCall acquire(AcquireCommand command, Reply<AcquireReply> to) {
        acquisition = command.number();
        answer.whenComplete(to::replied);
        return () -> {};
    }

    @Override
    public StoreCall release(ReleaseCommand command, Reply<ReleaseReply> to) {
        released.add(command.number());
        to.replied(new ReleaseReply(ReleaseReply.Outcome.RELEASED, 7, null), null);
        return () -> {};
    }

    @Override
    public CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Optional<LockState>> inspect(String name) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<ReleaseReply> releaseOwner(String name, String owner, long floor) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<ReleaseReply> forceRelease(String name, long floor) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Void> ready() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void listen(Listener listener) {}
}
