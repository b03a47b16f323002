/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener;
import io.distributedlock.LockListener.Answer;
import io.distributedlock.LockListener.Command;
import io.distributedlock.LockListener.Renewal;
import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** A store whose commands are measured. */
final class MeasuredLeaseStore implements LeaseStore {

    private static final Log log = LogFactory.getLog(LockEngine.class);

    private final LeaseStore store;

    private final LockListener listener;

    private final NanoClock clock;

    private MeasuredLeaseStore(LeaseStore store, LockListener listener, NanoClock clock) {
        this.store = store;
        this.listener = listener;
        this.clock = clock;
    }

    /** The store itself if nobody listens. */
    static LeaseStore of(LeaseStore store, @Nullable LockListener listener, NanoClock clock) {
        return listener == null ? store : new MeasuredLeaseStore(store, listener, clock);
    }

    @Override
    public Sent acquire(AcquireCommand command, Reply<AcquireReply> to) {
        return store.acquire(command, measured(Command.ACQUIRE, to));
    }

    @Override
    public Sent release(ReleaseCommand command, Reply<ReleaseReply> to) {
        return store.release(command, measured(Command.RELEASE, to));
    }

    private <T> Reply<T> measured(Command command, Reply<T> to) {
        long sentAt = clock.nanos();
        return (reply, failure) -> {
            answered(command, failure, sentAt);
            to.answered(reply, failure);
        };
    }

    private void answered(Command command, @Nullable Throwable failure, long sentAt) {
        try {
            listener.answered(command, answer(failure), Math.max(0, clock.nanos() - sentAt));
        } catch (RuntimeException | Error ex) {
            log.debug("A listener of distributed locks has failed", ex);
        }
    }

    private static Answer answer(@Nullable Throwable failure) {
        if (failure == null) {
            return Answer.OK;
        }
        if (StoreFailures.isRefused(failure)) {
            return Answer.REFUSED;
        }
        return StoreFailures.isNotExecuted(failure) ? Answer.NOT_SENT : Answer.UNKNOWN;
    }

    /** The caller's future is that of the store, so that cancelling it does what it did without measuring. */
    private <T> CompletableFuture<T> measured(Command command, CompletableFuture<T> sent, long sentAt) {
        sent.whenComplete((reply, failure) -> answered(command, failure, sentAt));
        return sent;
    }

    @Override
    public CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands) {
        long sentAt = clock.nanos();
        CompletableFuture<List<RenewReply>> sent = store.renew(commands);
        sent.whenComplete((replies, failure) -> {
            for (int i = 0; i < commands.size(); i++) {
                listener.renewed(replies == null ? Renewal.FAILED : result(replies.get(i)));
            }
        });
        return measured(Command.RENEW, sent, sentAt);
    }

    private static Renewal result(RenewReply reply) {
        return reply.renewed() ? Renewal.RENEWED : Renewal.LOST;
    }

    @Override
    public CompletableFuture<Optional<LockState>> inspect(String name) {
        long sentAt = clock.nanos();
        return measured(Command.INSPECT, store.inspect(name), sentAt);
    }

    @Override
    public CompletableFuture<ReleaseResult> releaseOwner(String name, String owner, long floor) {
        long sentAt = clock.nanos();
        return measured(Command.RELEASE_OWNER, store.releaseOwner(name, owner, floor), sentAt);
    }

    @Override
    public CompletableFuture<Boolean> forceRelease(String name, long floor) {
        long sentAt = clock.nanos();
        return measured(Command.FORCE_RELEASE, store.forceRelease(name, floor), sentAt);
    }

    @Override
    public CompletableFuture<Void> ready() {
        return store.ready();
    }

    @Override
    public @Nullable Throwable lastFailure() {
        return store.lastFailure();
    }

    @Override
    public void listen(Listener told) {
        store.listen(told);
    }
}
