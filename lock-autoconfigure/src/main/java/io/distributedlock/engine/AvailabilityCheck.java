/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockAvailability;
import io.distributedlock.LockAvailability.Failure;
import io.distributedlock.LockNames;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStore.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether locks can be acquired: acquires a lock of its own in each part of the store, and releases it. The
 * outcomes of callers' commands would not show it: an instance may have no callers, a refusal may concern a single
 * lock, and a server without memory still accepts releases. Between two checks, it sends nothing.
 */
final class AvailabilityCheck {

    private static final String NAME = "health:";

    /** Names to try until one belongs to the wanted part of the store. */
    private static final int NAMES = 50_000;

    private static final long SHORTEST_LEASE_MILLIS = 1_000;

    private final EngineContext engine;

    private final Map<Object, Subject> subjects = new ConcurrentHashMap<>();

    private final Map<Object, Long> failingSince = new ConcurrentHashMap<>();

    private final AtomicReference<@Nullable CompletableFuture<LockAvailability>> underWay = new AtomicReference<>();

    /**
     * The lock of one part. Its number is always the same, so that a late command of an earlier check changes nothing.
     */
    private record Subject(String name, long number) {}

    AvailabilityCheck(EngineContext engine) {
        this.engine = engine;
    }

    /**
     * Waits for the replies, one command time-out at most. A caller that arrives during a check gets the result of it.
     *
     * @param instance makes the names of the locks different from those of other instances
     */
    LockAvailability run(String instance) {
        CompletableFuture<LockAvailability> result = new CompletableFuture<>();
        CompletableFuture<LockAvailability> other = underWay.compareAndExchange(null, result);
        if (other != null) {
            return other.join();
        }
        try {
            result.complete(check(instance));
        } catch (RuntimeException | Error ex) {
            result.completeExceptionally(ex);
            throw ex;
        } finally {
            underWay.set(null);
        }
        return result.join();
    }

    private LockAvailability check(String instance) {
        Map<Object, String> servers = engine.store().shards();
        Map<Object, CompletableFuture<?>> replies = new LinkedHashMap<>();
        for (Object shard : servers.keySet()) {
            Subject subject = subject(shard, instance);
            if (subject != null) {
                replies.put(shard, acquireAndRelease(subject));
            }
        }
        await(replies.values().toArray(CompletableFuture<?>[]::new));
        subjects.keySet().retainAll(replies.keySet());
        failingSince.keySet().retainAll(replies.keySet());
        List<Failure> failures = new ArrayList<>();
        replies.forEach((shard, reply) -> {
            String error = error(reply);
            if (error == null) {
                failingSince.remove(shard);
            } else {
                failures.add(new Failure(servers.getOrDefault(shard, ""), LockNames.show(error), lasting(shard)));
            }
        });
        return new LockAvailability(failures);
    }

    private Duration lasting(Object shard) {
        long now = engine.now();
        Long before = failingSince.putIfAbsent(shard, now);
        return Duration.ofNanos(before == null ? 0 : now - before);
    }

    private @Nullable Subject subject(Object shard, String instance) {
        Subject known = subjects.get(shard);
        if (known != null && shard.equals(engine.store().shard(known.name()))) {
            return known;
        }
        for (int i = 0; i < NAMES; i++) {
            String name = NAME + instance + (i == 0 ? "" : ":" + i);
            if (shard.equals(engine.store().shard(name))) {
                Subject found = new Subject(name, engine.nextNumber(name));
                subjects.put(shard, found);
                return found;
            }
        }
        return null;
    }

    /** A grant that comes too late is released as well. */
    private CompletableFuture<?> acquireAndRelease(Subject subject) {
        // Of this length, a reply and its confirmations by replicas have the whole command time-out.
        long lease = Math.max(
                SHORTEST_LEASE_MILLIS, 3 * engine.settings().commandTimeout().toMillis());
        PendingReply<AcquireReply> acquired = new PendingReply<>();
        engine.store()
                .acquire(
                        new AcquireCommand(
                                subject.name(), subject.number(), lease, engine.floor(), false, null, false, 0),
                        acquired);
        acquired.exceptionally(failure -> {
            if (StoreFailures.isUnconfirmed(failure)) {
                release(subject);
            }
            return null;
        });
        return acquired.thenCompose(reply -> {
            if (!(reply instanceof AcquireReply.Granted granted)) {
                return CompletableFuture.completedFuture(null);
            }
            engine.tokenSeen(granted.token());
            return release(subject);
        });
    }

    private CompletableFuture<?> release(Subject subject) {
        PendingReply<LeaseStore.ReleaseReply> released = new PendingReply<>();
        engine.store()
                .release(
                        new ReleaseCommand(subject.name(), subject.number(), engine.floor(), null, 0, false), released);
        return released;
    }

    /** Not interruptible, since callers that share the result wait as well; keeps the flag. */
    private void await(CompletableFuture<?>[] replies) {
        CompletableFuture<Void> all = CompletableFuture.allOf(replies);
        long end = NanoClock.SYSTEM.nanos() + engine.settings().commandTimeout().toNanos();
        boolean interrupted = false;
        while (true) {
            try {
                all.get(Math.max(0, end - NanoClock.SYSTEM.nanos()), TimeUnit.NANOSECONDS);
                break;
            } catch (InterruptedException ex) {
                interrupted = true;
            } catch (ExecutionException | TimeoutException ex) {
                // Each reply is read by itself.
                break;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable String error(CompletableFuture<?> reply) {
        if (!reply.isDone()) {
            return StoreFailures.noReply(engine.settings().commandTimeout().toNanos())
                    .getMessage();
        }
        Throwable failure = reply.handle((done, thrown) -> thrown).join();
        return failure == null ? null : StoreFailures.message(StoreFailures.unwrap(failure));
    }

    /** A reply as a future. */
    private static final class PendingReply<T> extends CompletableFuture<T> implements Reply<T> {

        @Override
        public void replied(@Nullable T reply, @Nullable Throwable failure) {
            if (failure != null) {
                completeExceptionally(failure);
            } else {
                complete(reply);
            }
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }
}
