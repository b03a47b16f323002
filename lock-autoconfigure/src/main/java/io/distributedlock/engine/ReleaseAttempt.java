/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener.Command;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStore.ReleaseReply;
import io.distributedlock.engine.LeaseStore.ReleaseReply.Outcome;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStore.Sent;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One sending of the command of a {@link PendingRelease}, whose monitor guards the fields that are not final. */
final class ReleaseAttempt implements Reply<ReleaseReply> {

    private final PendingRelease release;

    private final EngineContext engine;

    private final PendingRelease.@Nullable Minimum minimum;

    final long sentAt;

    private @Nullable Sent sent;

    /** Whether its reply has arrived, or its failure. */
    boolean ended;

    private boolean givenUp;

    ReleaseAttempt(PendingRelease release, EngineContext engine, PendingRelease.@Nullable Minimum minimum) {
        this.release = release;
        this.engine = engine;
        this.minimum = minimum;
        this.sentAt = engine.now();
    }

    void send(ReleaseCommand command) {
        synchronized (release) {
            if (givenUp) {
                return;
            }
        }
        long left = minimum == null ? 0 : minimum.until() - engine.now();
        Sent under = minimum != null && left > 0
                ? keep(command, left, minimum.token())
                : engine.store().release(command, this);
        if (!attach(under)) {
            under.cancel();
        }
    }

    private Sent keep(ReleaseCommand command, long left, long token) {
        long millis = (left + 999_999) / 1_000_000;
        CompletableFuture<?> sending = engine.store()
                .keep(new RenewCommand(command.name(), command.number(), millis, token, true))
                .whenComplete((reply, failure) -> replied(asRelease(reply), failure));
        return () -> sending.cancel(false);
    }

    private static @Nullable ReleaseReply asRelease(@Nullable RenewReply reply) {
        if (reply == null) {
            return null;
        }
        return new ReleaseReply(reply.renewed() ? Outcome.RELEASED : Outcome.NOT_HELD, reply.token(), null);
    }

    private boolean attach(Sent under) {
        synchronized (release) {
            sent = under;
            return !givenUp;
        }
    }

    void giveUp() {
        Sent under;
        boolean unanswered;
        synchronized (release) {
            givenUp = true;
            unanswered = !ended;
            under = sent;
        }
        if (unanswered) {
            engine.listening().replied(Command.RELEASE, StoreFailures.unwrap(null), sentAt);
        }
        if (under != null) {
            under.cancel();
        }
    }

    @Override
    public void replied(@Nullable ReleaseReply reply, @Nullable Throwable failure) {
        release.replied(this, reply, failure);
    }
}
