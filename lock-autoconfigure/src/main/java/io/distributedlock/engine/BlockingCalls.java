/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockListener.End;
import io.distributedlock.LockListener.Loss;
import io.distributedlock.LockLostException;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.LeaseStore.ReleaseReply.Outcome;
import io.distributedlock.logging.SafeLog;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/** Commands to the store with a caller that waits for the reply, each for at most the time that the settings allow. */
final class BlockingCalls {

    private static final Log log = SafeLog.of(BlockingCalls.class);

    private static final long HOLDER_MILLIS = 200;

    private final EngineContext engine;

    BlockingCalls(EngineContext engine) {
        this.engine = engine;
    }

    /** Sends a command, as soon as there is a connection. */
    <T> T await(String name, Supplier<CompletableFuture<T>> command) {
        return await(name, engine.timeout(ResolvedRequest.FOREVER), command);
    }

    private <T> T await(String name, long timeout, Supplier<CompletableFuture<T>> command) {
        long end = engine.now() + timeout;
        CompletableFuture<Void> ready = engine.store().ready();
        CompletableFuture<T> reply = ready.thenCompose(connected -> command.get());
        try {
            return get(reply, end);
        } catch (InterruptedException ex) {
            reply.cancel(false);
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(name, "Lock '" + name + "': interrupted while waiting for a reply", ex);
        } catch (TimeoutException ex) {
            // A command that was not sent by now must not be sent when its caller no longer waits.
            reply.cancel(false);
            Throwable trouble = ready.isDone() ? null : engine.store().lastFailure();
            throw unavailable(name, trouble == null ? StoreFailures.noReply(timeout) : trouble);
        } catch (ExecutionException ex) {
            throw unavailable(name, StoreFailures.unwrap(ex));
        }
    }

    /** Describes the holder of a busy lock, which may take a tenth of a second; a single try sends no request. */
    DistributedLockException failure(Waiter waiter, AcquireResult result) {
        Duration waited = waiter.waited();
        String holder = null;
        try {
            holder = holderOf(waiter, result).get(HOLDER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException ex) {
            log.debug("The holder of a busy lock is not known", ex);
        }
        return result.toException(waiter.request.name(), waited, holder);
    }

    /** The same without blocking, for an asynchronous caller. */
    CompletableFuture<DistributedLockException> failureAsync(Waiter waiter, AcquireResult result) {
        Duration waited = waiter.waited();
        return holderOf(waiter, result).thenApply(holder -> result.toException(waiter.request.name(), waited, holder));
    }

    private CompletableFuture<@Nullable String> holderOf(Waiter waiter, AcquireResult result) {
        return result instanceof AcquireResult.Busy
                ? engine.holders().of(waiter.request.name(), !waiter.request.triesOnce())
                : CompletableFuture.completedFuture(null);
    }

    /** See {@link io.distributedlock.LockHandle#extend}. */
    void extend(Hold hold, long length) {
        String name = hold.name();
        LeaseRenewal.Due due = hold.lock.extend(hold, length);
        DistributedLockException failure = due == null ? null : sendExtension(name, length, due);
        LockLostException loss = lossOf(hold);
        if (loss != null) {
            if (failure != null) {
                loss.addSuppressed(failure);
            }
            throw loss;
        }
        if (failure != null) {
            throw failure;
        }
        if (due == null) {
            throw new LockLostException(name, "Lock '" + name + "': the handle is already closed", Duration.ZERO);
        }
    }

    private @Nullable LockLostException lossOf(Hold hold) {
        if (hold.isExpired(engine.now())) {
            hold.lock.checkDeadline();
        }
        return hold.loss();
    }

    /** @return why it does not count, or null; the loss of the hold may be the reason for that */
    private @Nullable DistributedLockException sendExtension(String name, long length, LeaseRenewal.Due due) {
        boolean counts;
        try {
            counts = await(name, engine.timeout(length), () -> engine.renewal().sendNow(due));
        } catch (LockInterruptedException ex) {
            engine.renewal().abandon(due);
            return ex;
        } catch (DistributedLockException ex) {
            engine.renewal().giveUp(due);
            return ex;
        } catch (RuntimeException | Error ex) {
            engine.renewal().giveUp(due);
            throw ex;
        }
        return counts ? null : unavailable(name, StoreFailures.overtaken());
    }

    /** The wait for the reply to a release, or null if the settings have no such wait. */
    @Nullable
    Runnable releasing(Hold hold, PendingRelease release) {
        if (engine.settings().release() == EngineSettings.Release.AWAIT) {
            long end = engine.now() + engine.timeout(hold.lease);
            return () -> awaitRelease(hold, release, end);
        }
        watchRelease(hold, release);
        return null;
    }

    /** The same through a stage. */
    CompletionStage<Void> releasedAsync(Hold hold, PendingRelease release) {
        if (engine.settings().release() == EngineSettings.Release.AWAIT) {
            return new ReleaseTimeout(engine, this, hold, release).start();
        }
        watchRelease(hold, release);
        return CompletableFuture.completedFuture(null);
    }

    /** Waits for a release until that time. Not interruptible; keeps the flag. */
    private void awaitRelease(Hold hold, PendingRelease release, long end) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    check(hold, get(release.outcome, end));
                    return;
                } catch (InterruptedException ex) {
                    interrupted = true;
                }
            }
        } catch (TimeoutException ex) {
            throw unconfirmed(hold, release, release.lastFailure());
        } catch (ExecutionException ex) {
            throw unconfirmed(hold, release, StoreFailures.unwrap(ex));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private <T> T get(CompletableFuture<T> reply, long end)
            throws InterruptedException, ExecutionException, TimeoutException {
        return reply.get(Math.max(0, end - engine.now()), TimeUnit.NANOSECONDS);
    }

    /** Does not wait for a release. Only a listener and the log report that the hold was lost by then. */
    private void watchRelease(Hold hold, PendingRelease release) {
        engine.listening().ended(hold, End.RELEASED);
        release.outcome.whenComplete((outcome, failure) -> {
            LockLostException loss = outcome == null ? null : lossFoundBy(hold, outcome);
            if (loss != null) {
                engine.callbacks().event(() -> engine.listening().lost(hold, Loss.GONE));
                engine.events().reportLoss(hold, loss);
            } else if (StoreFailures.isRefused(failure)) {
                log.warn(
                        unreleased(hold, release, StoreFailures.unwrap(failure)).getMessage());
            } else if (outcome == null) {
                log.debug(
                        unreleased(hold, release, StoreFailures.unwrap(failure)).getMessage());
            }
        });
    }

    void check(Hold hold, Outcome outcome) {
        LockLostException loss = lossFoundBy(hold, outcome);
        if (loss != null) {
            engine.listening().lost(hold, Loss.GONE);
            engine.events().reportLoss(hold, loss);
            throw loss;
        }
        engine.listening().ended(hold, End.RELEASED);
    }

    private @Nullable LockLostException lossFoundBy(Hold hold, Outcome outcome) {
        if (!outcome.isLoss()) {
            return null;
        }
        String why = outcome == Outcome.NOT_HELD ? "it no longer existed" : "another caller already had it";
        Duration heldFor = Duration.ofNanos(engine.now() - hold.grantedAt);
        return new LockLostException(
                hold.name(),
                "Lock '" + hold.name() + "' was lost before its release, after " + heldFor.toMillis() + " ms: " + why,
                heldFor);
    }

    private static LockUnavailableException unavailable(String name, Throwable cause) {
        return new LockUnavailableException(
                name, "Lock '" + name + "' is unavailable: " + StoreFailures.message(cause), cause);
    }

    LockReleaseUnconfirmedException unconfirmed(Hold hold, PendingRelease release, @Nullable Throwable cause) {
        engine.listening().ended(hold, End.UNCONFIRMED);
        return unreleased(hold, release, cause);
    }

    private static LockReleaseUnconfirmedException unreleased(
            Hold hold, PendingRelease release, @Nullable Throwable cause) {
        String name = hold.name();
        String end = release.keepsMinimum() ? "its lease and its minHold have ended" : "its lease ends";
        return new LockReleaseUnconfirmedException(
                name,
                "Lock '" + name + "' was held until its release, but the release is not confirmed. It is free when "
                        + end + " at the latest"
                        + (cause == null ? "" : ": " + StoreFailures.message(cause)),
                cause);
    }
}
