/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The watchdog. The timer collects the renewals of every lock that is due; those of one tick are sent in batches. A
 * batch has four outcomes per lock: renewed, no longer owned, refused and unknown; the last two change nothing, since
 * the deadline decides.
 */
final class LeaseRenewal {

    /** Enough to make the cost of a command small, and few enough not to delay other clients of the store. */
    private static final int BATCH = 100;

    private final LeaseStore store;

    @GuardedBy("this")
    private final List<Due> due = new ArrayList<>();

    private final ListenerCalls listening;

    LeaseRenewal(LeaseStore store, ListenerCalls listening) {
        this.store = store;
        this.listening = listening;
    }

    /** A renewal that is due, and the lock that waits for its reply. */
    record Due(NamedLock lock, RenewedLease.Renewal renewal, RenewCommand command) {}

    /**
     * @param reply null if there is none
     * @param notExecuted whether there is none since the store has certainly not executed the command
     */
    record Outcome(@Nullable RenewReply reply, boolean notExecuted) {

        private static final Outcome UNKNOWN = new Outcome(null, false);

        private static Outcome failed(Throwable failure) {
            return new Outcome(null, StoreFailures.hasNoEffect(failure));
        }
    }

    synchronized void add(Due renewal) {
        due.add(renewal);
    }

    /** Sends the collected renewals. */
    void flush() {
        List<Due> all = drain();
        int batch = Math.min(BATCH, store.maxRenewals());
        for (int from = 0; from < all.size(); from += batch) {
            send(all.subList(from, Math.min(all.size(), from + batch)));
        }
    }

    private synchronized List<Due> drain() {
        if (due.isEmpty()) {
            return List.of();
        }
        List<Due> all = List.copyOf(due);
        due.clear();
        return all;
    }

    private void send(List<Due> batch) {
        renew(batch).whenComplete((replies, failure) -> deliver(batch, replies));
    }

    /** Sends one renewal by itself; false if the lease was shortened since for another reason than an extension. */
    CompletableFuture<Boolean> sendNow(Due renewal) {
        return renew(List.of(renewal))
                .whenComplete((replies, failure) -> {
                    if (failure != null) {
                        deliver(renewal, Outcome.failed(failure));
                    }
                })
                .thenApply(replies -> deliver(renewal, new Outcome(replies.get(0), false)));
    }

    /** The reply to an extension is overdue, or there will be none. */
    void giveUp(Due extension) {
        extension.renewal().giveUp();
        abandon(extension);
    }

    /** The caller no longer waits for the reply to an extension, which still counts for the listener. */
    void abandon(Due extension) {
        deliver(extension, Outcome.UNKNOWN);
    }

    private CompletableFuture<List<RenewReply>> renew(List<Due> batch) {
        List<RenewCommand> commands = batch.stream().map(Due::command).toList();
        if (!listening.isOn()) {
            return store.renew(commands);
        }
        SentRenewals sent = new SentRenewals(listening, batch);
        return store.renew(commands).whenComplete(sent::ended);
    }

    private static void deliver(List<Due> batch, @Nullable List<RenewReply> replies) {
        for (int i = 0; i < batch.size(); i++) {
            Due renewal = batch.get(i);
            deliver(renewal, replies == null ? Outcome.UNKNOWN : new Outcome(replies.get(i), false));
        }
    }

    private static boolean deliver(Due renewal, Outcome outcome) {
        NamedLock lock = renewal.lock();
        RenewReply reply = outcome.reply();
        if (reply != null) {
            lock.engine.retries().succeeded(lock.name);
            lock.engine.tokenSeen(reply.token());
        }
        return lock.renewed(renewal, outcome);
    }
}
