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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases, and says that they are renewed only when enough replicas have them. All that comes while one group is
 * under way makes the next group: one call of the script and one WAIT for as many leases as there are.
 */
final class AcknowledgedRenewal {

    /** More than a healthy instance ever has under way. */
    private static final int MAX_WAITING = 100_000;

    /** So that the script does not keep Redis busy for long. */
    private static final int MAX_COMMANDS = 200;

    private final Function<List<RenewCommand>, CompletableFuture<List<RenewReply>>> renewal;

    private final Function<Integer, CompletableFuture<Long>> acknowledgement;

    private final int replicas;

    private final Queue<Renewal> waiting = new LinkedBlockingQueue<>(MAX_WAITING);

    private final AtomicBoolean busy = new AtomicBoolean();

    private record Renewal(List<RenewCommand> commands, CompletableFuture<List<RenewReply>> answer) {}

    /** Too few replicas have confirmed. */
    static final class ShortfallException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        ShortfallException(long confirmed, int wanted) {
            super("only " + confirmed + " of the " + wanted + " replicas that distributed-lock.replicas.acknowledge"
                    + " asks for have confirmed it within distributed-lock.replicas.timeout");
        }
    }

    /**
     * @param renewal renews leases, on a connection of its own
     * @param acknowledgement how many replicas have what was written on that connection; asked for that many
     */
    AcknowledgedRenewal(
            Function<List<RenewCommand>, CompletableFuture<List<RenewReply>>> renewal,
            Function<Integer, CompletableFuture<Long>> acknowledgement,
            int replicas) {
        this.renewal = renewal;
        this.acknowledgement = acknowledgement;
        this.replicas = replicas;
    }

    /** Fails with {@link ShortfallException} if too few replicas have confirmed; then nothing counts as renewed. */
    CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands) {
        Renewal added = new Renewal(commands, new CompletableFuture<>());
        if (!waiting.offer(added)) {
            return CompletableFuture.failedFuture(
                    new LeaseStoreException(Effect.NOT_EXECUTED, "too many leases wait for their replicas", null));
        }
        next();
        return added.answer;
    }

    private void next() {
        while (!waiting.isEmpty() && busy.compareAndSet(false, true)) {
            List<Renewal> group = take();
            if (!group.isEmpty()) {
                run(group);
                return;
            }
            busy.set(false);
        }
    }

    private List<Renewal> take() {
        List<Renewal> group = new ArrayList<>();
        int commands = 0;
        while (commands < MAX_COMMANDS) {
            Renewal taken = waiting.poll();
            if (taken == null) {
                break;
            }
            group.add(taken);
            commands += taken.commands.size();
        }
        return group;
    }

    private void run(List<Renewal> group) {
        List<RenewCommand> commands =
                group.stream().flatMap(each -> each.commands.stream()).toList();
        CompletableFuture<List<RenewReply>> renewed = renewal.apply(commands);
        renewed.thenCompose(replies -> acknowledgement.apply(replicas))
                .whenComplete((confirmed, failure) -> ended(group, renewed, confirmed, failure));
    }

    private void ended(
            List<Renewal> group,
            CompletableFuture<List<RenewReply>> renewed,
            @Nullable Long confirmed,
            @Nullable Throwable failure) {
        busy.set(false);
        next();
        if (confirmed == null) {
            Throwable cause = failure == null ? new IllegalStateException("no answer") : failure;
            group.forEach(each -> each.answer.completeExceptionally(LettuceFailures.translate(cause)));
        } else if (confirmed < replicas) {
            ShortfallException shortfall = new ShortfallException(confirmed, replicas);
            group.forEach(each -> each.answer.completeExceptionally(shortfall));
        } else {
            List<RenewReply> replies = renewed.join();
            int from = 0;
            for (Renewal each : group) {
                int to = from + each.commands.size();
                each.answer.complete(replies.subList(from, to));
                from = to;
            }
        }
    }
}
