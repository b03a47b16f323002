/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases, and completes only when enough replicas have them. Renewals that arrive while one group is under way
 * form the next group: one WAIT for all leases of the group, after calls of the script with some hundred leases each,
 * or one call for each lease in a cluster. A confirmation counts only on the connection that has sent the renewals.
 */
final class AcknowledgedRenewal implements ConfirmedRenewals {

    /** More than a healthy instance has under way at any time. */
    private static final int MAX_WAITING = 100_000;

    private final Master master;

    private final int replicas;

    private final Queue<Renewal> waiting = new LinkedBlockingQueue<>(MAX_WAITING);

    private final AtomicBoolean busy = new AtomicBoolean();

    private record Renewal(List<RenewCommand> commands, boolean confirmed, CompletableFuture<List<RenewReply>> reply) {}

    /** A master, through one connection. */
    interface Master {

        /** Renews the leases of each request; the futures are in the same order. */
        List<CompletableFuture<List<RenewReply>>> renew(List<List<RenewCommand>> requests);

        /**
         * How many replicas have the earlier writes of the connection; waits for the given number.
         * {@link ShortfallException#UNCOUNTED} if it is only known that they are fewer.
         */
        CompletableFuture<Long> await(int replicas);

        /**
         * How often the connection was opened or broke. A confirmation does not cover writes of an earlier connection.
         */
        int changes();
    }

    /** Too few replicas have confirmed. */
    static final class ShortfallException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        /** Fewer replicas than wanted have confirmed, and it is not known how many. */
        static final long UNCOUNTED = -1;

        ShortfallException(long confirmed, int wanted) {
            this(confirmed, wanted, "within distributed-lock.replicas.timeout");
        }

        /** @param within the time in which they have not, for the message */
        ShortfallException(long confirmed, int wanted, String within) {
            super(count(confirmed, wanted) + " that distributed-lock.replicas.acknowledge requires have confirmed it "
                    + within);
        }

        private static String count(long confirmed, int wanted) {
            boolean uncounted = confirmed == UNCOUNTED && wanted > 1;
            return uncounted
                    ? "fewer than the " + wanted + " replicas"
                    : "only " + Math.max(0, confirmed) + " of the " + wanted + " replicas";
        }
    }

    AcknowledgedRenewal(Master master, int replicas) {
        this.master = master;
        this.replicas = replicas;
    }

    /** Fails with {@link ShortfallException} if too few replicas have confirmed; then nothing counts as renewed. */
    @Override
    public CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands) {
        return add(new Renewal(commands, true, new CompletableFuture<>()));
    }

    /** On the same connection as the others, so that it follows those that are under way. */
    @Override
    public CompletableFuture<List<RenewReply>> renewUnconfirmed(RenewCommand command) {
        return add(new Renewal(List.of(command), false, new CompletableFuture<>()));
    }

    private CompletableFuture<List<RenewReply>> add(Renewal added) {
        if (!waiting.offer(added)) {
            return CompletableFuture.failedFuture(
                    new LeaseStoreException(Effect.NOT_EXECUTED, "too many leases wait for their replicas", null));
        }
        next();
        return added.reply;
    }

    private void next() {
        while (!waiting.isEmpty() && busy.compareAndSet(false, true)) {
            boolean underWay = false;
            try {
                underWay = send(take());
            } finally {
                // A failure to send one group, for lack of memory or stack, must not block all later ones.
                if (!underWay) {
                    busy.set(false);
                }
            }
            if (underWay) {
                return;
            }
        }
    }

    /** Returns whether a group is under way; its end begins the next one. */
    private boolean send(List<Renewal> group) {
        if (group.isEmpty()) {
            return false;
        }
        try {
            run(group);
            return true;
        } catch (RuntimeException | Error ex) {
            LeaseStoreException failure =
                    new LeaseStoreException(Effect.UNKNOWN, "the renewal could not be sent to the master", ex);
            group.forEach(each -> each.reply.completeExceptionally(failure));
            return false;
        }
    }

    private List<Renewal> take() {
        List<Renewal> group = new ArrayList<>();
        // All of them: while no replica confirms, each group lasts a whole time-out.
        for (Renewal taken = waiting.poll(); taken != null; taken = waiting.poll()) {
            group.add(taken);
        }
        return group;
    }

    private void run(List<Renewal> group) {
        int changes = master.changes();
        List<CompletableFuture<List<RenewReply>>> renewed =
                master.renew(group.stream().map(Renewal::commands).toList());
        List<CompletableFuture<List<RenewReply>>> toConfirm = new ArrayList<>();
        for (int i = 0; i < group.size(); i++) {
            if (group.get(i).confirmed()) {
                toConfirm.add(renewed.get(i));
            } else {
                replied(group.get(i).reply(), renewed.get(i));
            }
        }
        CompletableFuture.allOf(renewed.toArray(CompletableFuture<?>[]::new))
                .exceptionally(failure -> null)
                .thenCompose(done -> confirmation(toConfirm))
                .thenApply(confirmed -> onTheSameConnection(confirmed, changes))
                .whenComplete((confirmed, failure) -> ended(group, renewed, confirmed, failure));
    }

    private static void replied(
            CompletableFuture<List<RenewReply>> reply, CompletableFuture<List<RenewReply>> renewed) {
        renewed.whenComplete((replies, refusal) -> {
            if (refusal == null) {
                reply.complete(replies);
            } else {
                reply.completeExceptionally(LettuceFailures.translate(refusal));
            }
        });
    }

    private CompletableFuture<Long> confirmation(List<CompletableFuture<List<RenewReply>>> renewed) {
        return renewed.stream().allMatch(CompletableFuture::isCompletedExceptionally)
                ? CompletableFuture.completedFuture(0L)
                : master.await(replicas);
    }

    /** On a connection that has written nothing, WAIT returns the number of all replicas at once. */
    private Long onTheSameConnection(Long confirmed, int changes) {
        if (master.changes() != changes) {
            throw new LeaseStoreException(
                    Effect.UNKNOWN, "the connection broke before the replicas had confirmed the write", null);
        }
        return confirmed;
    }

    private void ended(
            List<Renewal> group,
            List<CompletableFuture<List<RenewReply>>> renewed,
            @Nullable Long confirmed,
            @Nullable Throwable failure) {
        busy.set(false);
        next();
        for (int i = 0; i < group.size(); i++) {
            if (!group.get(i).confirmed()) {
                continue;
            }
            CompletableFuture<List<RenewReply>> reply = group.get(i).reply;
            renewed.get(i).whenComplete((replies, refusal) -> {
                if (refusal != null) {
                    reply.completeExceptionally(LettuceFailures.translate(refusal));
                } else if (confirmed == null) {
                    reply.completeExceptionally(
                            unconfirmed(failure == null ? new IllegalStateException("no reply") : failure));
                } else if (confirmed < replicas) {
                    reply.completeExceptionally(new ShortfallException(confirmed, replicas));
                } else {
                    reply.complete(replies);
                }
            });
        }
    }

    /** The master has renewed the leases, whatever has become of the command to confirm that. */
    private static LeaseStoreException unconfirmed(Throwable failure) {
        LeaseStoreException known = LettuceFailures.translate(failure);
        boolean refused = known.effect() == Effect.REFUSED || known.effect() == Effect.PARTIAL;
        return new LeaseStoreException(
                refused ? Effect.UNCONFIRMED : Effect.UNKNOWN, String.valueOf(known.getMessage()), known);
    }
}
