/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.LockState;
import io.distributedlock.composite.StageFailures;
import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A lease store whose grants and renewals count only when enough replicas have them. Otherwise, a grant is unconfirmed,
 * so that it is released, and a renewal is unknown, so that it moves no deadline. Releases are not confirmed: a lost
 * release leaves a lock until its lease ends, which is safe.
 */
final class AcknowledgedLeaseStore implements LeaseStore {

    /**
     * The pause before the request for an acquisition that the release has granted again, since that reply is not
     * confirmed.
     */
    private static final long SOON_MILLIS = 1;

    private static final Set<Effect> FINAL = EnumSet.of(Effect.REFUSED, Effect.PARTIAL, Effect.UNCONFIRMED);

    private final LeaseStore store;

    private final ConfirmationTimeout timeout;

    private final ConfirmedRenewals renewal;

    /** The confirmations of hand-overs that are under way, by the number of the acquisition. */
    private final Map<Long, CompletableFuture<Void>> handOvers = new ConcurrentHashMap<>();

    AcknowledgedLeaseStore(LeaseStore store, ConfirmationTimeout timeout, ConfirmedRenewals renewal) {
        this.store = store;
        this.timeout = timeout;
        this.renewal = renewal;
    }

    @Override
    public StoreCall acquire(AcquireCommand command, Reply<AcquireReply> to) {
        long sentAt = timeout.now();
        return store.acquire(command, (reply, failure) -> {
            if (reply instanceof AcquireReply.Granted granted) {
                CompletableFuture<Void> confirmation =
                        confirm(command.name(), command.number(), command.leaseMillis(), granted.token(), sentAt);
                failWithHandOver(command.number(), confirmation);
                confirmation.whenComplete((confirmed, shortfall) -> acquired(granted, shortfall, to));
            } else {
                to.replied(reply, failure);
            }
        });
    }

    /**
     * The engine releases what was not confirmed, since only the engine knows whether it has repeated the request in
     * the meantime, under the same id, and with another outcome.
     */
    private static void acquired(AcquireReply.Granted granted, @Nullable Throwable failure, Reply<AcquireReply> to) {
        Throwable cause = StageFailures.unwrap(failure);
        if (cause == null) {
            to.replied(granted, null);
            return;
        }
        Effect effect = isFinal(cause) ? Effect.UNCONFIRMED : Effect.UNKNOWN;
        to.replied(null, new LeaseStoreException(effect, LettuceFailures.text(cause), cause));
    }

    /** Whether another attempt would fail as well: too few replicas, or Redis refuses a command of the confirmation. */
    private static boolean isFinal(Throwable cause) {
        return cause instanceof AcknowledgedRenewal.ShortfallException
                || (cause instanceof LeaseStoreException known && FINAL.contains(known.effect()));
    }

    /**
     * A waiter that repeats its request while its hand-over is being confirmed is granted the same lock. What one of
     * the two confirmations lacks, the other one lacks too, but the success of one does not imply the later lease of
     * the other.
     */
    private void failWithHandOver(long number, CompletableFuture<Void> confirmation) {
        CompletableFuture<Void> earlier = handOvers.get(number);
        if (earlier != null) {
            earlier.whenComplete((confirmed, failure) -> {
                Throwable cause = StageFailures.unwrap(failure);
                if (cause != null && isFinal(cause)) {
                    confirmation.completeExceptionally(cause);
                }
            });
        }
    }

    /**
     * Also fails if the lease is not renewed. Never shortens the lease: the message or reply may be late.
     *
     * @param sentAt when the request was sent, or the message arrived
     */
    private CompletableFuture<Void> confirm(String name, long number, long leaseMillis, long token, long sentAt) {
        return timeout.limit(
                        renewal.renew(List.of(new RenewCommand(name, number, leaseMillis, token, false))),
                        leaseMillis,
                        sentAt)
                .thenAccept(replies -> {
                    if (!replies.get(0).renewed()) {
                        throw new CompletionException(new LeaseStoreException(
                                Effect.UNKNOWN, "the grant was gone before its replicas have confirmed it", null));
                    }
                });
    }

    /** An acquisition that is granted again in the same step is requested, and confirmed then. */
    @Override
    public StoreCall release(ReleaseCommand command, Reply<ReleaseReply> to) {
        return store.release(command, (reply, failure) -> {
            boolean granted = reply != null && reply.requeued() instanceof AcquireReply.Granted;
            to.replied(granted && reply != null ? unconfirmed(reply) : reply, failure);
        });
    }

    private static ReleaseReply unconfirmed(ReleaseReply reply) {
        return new ReleaseReply(
                reply.outcome(), reply.token(), new AcquireReply.Busy(SOON_MILLIS, true, reply.token(), 0, 1));
    }

    @Override
    public CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands) {
        return renewal.renew(commands)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(unknown(failure)));
    }

    /**
     * On the connection of the renewals, so that it follows one that is under way. The reply of the master is enough.
     */
    @Override
    public CompletableFuture<RenewReply> keep(RenewCommand command) {
        return renewal.renewUnconfirmed(command)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(unknown(failure)))
                .thenApply(replies -> replies.get(0));
    }

    private static LeaseStoreException unknown(Throwable failure) {
        Throwable cause = StageFailures.bare(failure);
        return cause instanceof LeaseStoreException known
                ? known
                : new LeaseStoreException(Effect.UNKNOWN, String.valueOf(failure.getMessage()), cause);
    }

    @Override
    public int maxRenewals() {
        return store.maxRenewals();
    }

    @Override
    public CompletableFuture<Optional<LockState>> inspect(String name) {
        return store.inspect(name);
    }

    @Override
    public CompletableFuture<ReleaseReply> releaseOwner(String name, String owner, long floor) {
        return store.releaseOwner(name, owner, floor);
    }

    @Override
    public CompletableFuture<ReleaseReply> forceRelease(String name, long floor) {
        return store.forceRelease(name, floor);
    }

    @Override
    public CompletableFuture<Void> ready() {
        return store.ready();
    }

    @Override
    public long number(String name, long counter) {
        return store.number(name, counter);
    }

    @Override
    public boolean isOutOfReach(String name, long number) {
        return store.isOutOfReach(name, number);
    }

    @Override
    public boolean receivesMessages(String name) {
        return store.receivesMessages(name);
    }

    @Override
    public boolean isBelowFloor(long token, long floor) {
        return store.isBelowFloor(token, floor);
    }

    @Override
    public Object shard(String name) {
        return store.shard(name);
    }

    @Override
    public long latestClock(String name) {
        return store.latestClock(name);
    }

    @Override
    public Map<Object, String> shards() {
        return store.shards();
    }

    @Override
    public @Nullable Throwable lastFailure() {
        return store.lastFailure();
    }

    @Override
    public void listen(Listener listener) {
        store.listen(new Confirming(listener));
    }

    /** Passes a grant on when it is confirmed. Otherwise the request is repeated, and refused then. */
    private final class Confirming implements Listener {

        private final Listener engine;

        Confirming(Listener engine) {
            this.engine = engine;
        }

        @Override
        public void granted(String name, long number, long token, long leaseMillis, int waiting) {
            CompletableFuture<Void> confirmation = confirm(name, number, leaseMillis, token, timeout.now());
            handOvers.put(number, confirmation);
            confirmation.whenComplete((confirmed, failure) -> {
                handOvers.remove(number, confirmation);
                if (failure == null) {
                    engine.granted(name, number, token, leaseMillis, waiting);
                } else if (isFinal(StageFailures.bare(failure))) {
                    // At once: by itself, the waiter would repeat its request up to a second later.
                    engine.requestAgain(name, number);
                }
            });
        }

        @Override
        public void near(String name, long number) {
            engine.near(name, number);
        }

        @Override
        public void recalled(String name, long number) {
            engine.recalled(name, number);
        }

        @Override
        public void revoked(String name, long number) {
            engine.revoked(name, number);
        }

        @Override
        public void serverClockSetBack(String name, Duration by) {
            engine.serverClockSetBack(name, by);
        }

        @Override
        public void connected() {
            engine.connected();
        }

        @Override
        public void connected(Predicate<String> names) {
            engine.connected(names);
        }

        @Override
        public Iterable<String> names() {
            return engine.names();
        }
    }
}
