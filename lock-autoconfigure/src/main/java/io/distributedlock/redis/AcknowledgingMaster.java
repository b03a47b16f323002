/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Renews leases at a master through one connection, and counts the replicas that have these writes. */
final class AcknowledgingMaster implements AcknowledgedRenewal.Master {

    /** After so many no more requests join a script, so that it does not keep Redis busy for long. */
    private static final int MAX_LEASES = 200;

    /** The transit time of the reply on an ordinary network. */
    private static final long GRACE_MILLIS = 10;

    private final AcknowledgementConnection connection;

    private final LeaseStore renewing;

    private final long timeoutMillis;

    /** @param renewing renews leases on that connection */
    AcknowledgingMaster(AcknowledgementConnection connection, LeaseStore renewing, long timeoutMillis) {
        this.connection = connection;
        this.renewing = renewing;
        this.timeoutMillis = timeoutMillis;
    }

    /** By few commands if the store allows it. */
    @Override
    public List<CompletableFuture<List<RenewReply>>> renew(List<List<RenewCommand>> requests) {
        return renewing.maxRenewals() == 1
                ? requests.stream().map(renewing::renew).toList()
                : together(requests);
    }

    private List<CompletableFuture<List<RenewReply>>> together(List<List<RenewCommand>> requests) {
        List<CompletableFuture<List<RenewReply>>> replies = new ArrayList<>();
        int from = 0;
        while (from < requests.size()) {
            int to = from;
            for (int leases = 0; to < requests.size() && leases < MAX_LEASES; to++) {
                leases += requests.get(to).size();
            }
            replies.addAll(byOneCommand(requests.subList(from, to)));
            from = to;
        }
        return replies;
    }

    private List<CompletableFuture<List<RenewReply>>> byOneCommand(List<List<RenewCommand>> requests) {
        List<RenewCommand> all = requests.stream().flatMap(List::stream).toList();
        CompletableFuture<List<RenewReply>> renewed = renewing.renew(all);
        List<CompletableFuture<List<RenewReply>>> parts = new ArrayList<>();
        int from = 0;
        for (List<RenewCommand> request : requests) {
            int start = from;
            int end = from + request.size();
            parts.add(renewed.thenApply(replies -> replies.subList(start, end)));
            from = end;
        }
        return parts;
    }

    /** The time is also taken here, since Redis may notice the end of the time-out a tenth of a second later. */
    @Override
    public CompletableFuture<Long> await(int replicas) {
        return connection
                .await(replicas, timeoutMillis)
                .copy()
                .completeOnTimeout(
                        AcknowledgedRenewal.ShortfallException.UNCOUNTED,
                        timeoutMillis + GRACE_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public int changes() {
        return connection.changes();
    }
}
