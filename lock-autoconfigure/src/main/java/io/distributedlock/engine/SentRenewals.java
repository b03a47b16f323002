/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockListener;
import io.distributedlock.engine.LeaseRenewal.Due;
import io.distributedlock.engine.LeaseStore.RenewReply;
import io.distributedlock.engine.RenewedLease.Renewal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The renewals of one command, as the listener is notified of them. A renewal that the engine gives up has failed,
 * whatever its reply says later: Redis may be frozen for longer than a lease while its connection is open. With the
 * first such renewal, the command has ended without a reply.
 */
final class SentRenewals {

    private final ListenerCalls listening;

    private final List<Due> renewals;

    private final MeasuredCommand command;

    @GuardedBy("this")
    private boolean ended;

    @GuardedBy("this")
    private final Set<Renewal> givenUp = new HashSet<>();

    /** They are about to be sent. */
    SentRenewals(ListenerCalls listening, List<Due> renewals) {
        this.listening = listening;
        this.renewals = renewals;
        this.command = new MeasuredCommand(listening, LockListener.Command.RENEW);
        command.begin();
        renewals.forEach(due -> due.renewal().sentWith(this));
    }

    /** The reply to the command, or its failure. */
    void ended(@Nullable List<RenewReply> replies, @Nullable Throwable failure) {
        List<LockListener.Renewal> results = new ArrayList<>(renewals.size());
        synchronized (this) {
            ended = true;
            for (int i = 0; i < renewals.size(); i++) {
                if (!givenUp.contains(renewals.get(i).renewal())) {
                    results.add(result(replies == null ? null : replies.get(i)));
                }
            }
        }
        command.ended(failure);
        results.forEach(listening::renewed);
    }

    private static LockListener.Renewal result(@Nullable RenewReply reply) {
        if (reply == null) {
            return LockListener.Renewal.FAILED;
        }
        return reply.renewed() ? LockListener.Renewal.RENEWED : LockListener.Renewal.LOST;
    }

    void giveUp(Renewal renewal) {
        synchronized (this) {
            if (ended || !givenUp.add(renewal)) {
                return;
            }
        }
        command.giveUp();
        listening.renewed(LockListener.Renewal.FAILED);
    }
}
