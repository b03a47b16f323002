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
import io.distributedlock.engine.LeaseStore.StoreCall;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One sending of the command of a {@link PendingRelease}, which receives the reply. */
final class ReleaseAttempt extends InFlightCommand<ReleaseReply> {

    private final PendingRelease release;

    private final PendingRelease.@Nullable Minimum minimum;

    /**
     * Ends the other holds of its explicit owner in this instance. Set before the command is sent; null if it is none.
     */
    private @Nullable Runnable revocation;

    ReleaseAttempt(PendingRelease release, EngineContext engine, PendingRelease.@Nullable Minimum minimum) {
        super(engine, Command.RELEASE, engine.now());
        this.release = release;
        this.minimum = minimum;
    }

    void send(ReleaseCommand command) {
        if (!begin()) {
            return;
        }
        long left = minimum == null ? 0 : minimum.until() - engine.now();
        if (minimum != null && left > 0) {
            attach(keep(command, left, minimum.token()));
            return;
        }
        String owner = release.owner;
        revocation = owner == null ? null : engine.locks().revocation(command.name(), owner);
        attach(engine.store().release(command, this));
    }

    /**
     * The store has ended all holds that its owner had: those of this instance from before the command need not wait
     * for the message about it.
     */
    void revokeOthers() {
        Runnable others = revocation;
        if (others != null) {
            others.run();
        }
    }

    private StoreCall keep(ReleaseCommand command, long left, long token) {
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

    @Override
    void ended(@Nullable ReleaseReply reply, @Nullable Throwable failure) {
        release.replied(this, reply, failure);
    }
}
