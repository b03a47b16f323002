/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.HoldReport;
import io.distributedlock.LockNames;
import io.distributedlock.LockState;
import io.distributedlock.engine.HolderNames;
import io.distributedlock.engine.LeaseStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the holder of a busy lock when the wait of a caller is over: Redis returns the instance, and that instance the
 * time of the grant. Callers whose waits end together share one request. Details without a reply in
 * {@value #LIMIT_MILLIS} ms are omitted, since the caller waits for them.
 */
final class HolderLookup implements HolderNames {

    private static final long LIMIT_MILLIS = 100;

    /** Leaves time to name at least the instance. */
    private static final long REPLY_MILLIS = 60;

    private static final int AT_ONCE = 64;

    /** Requests per second because of long waits. */
    private static final int LONG_WAITS = 10;

    /** The maximum number of instances of readers that receive a request because of one long wait. */
    private static final int READERS = 4;

    private static final long LONG_WAIT_MILLIS = 500;

    private final LeaseStore store;

    private final InstanceMessenger messenger;

    private final InstanceQueries queries;

    private final InstanceLabels labels;

    private final Function<String, CompletableFuture<@Nullable String>> written;

    private final Function<String, @Nullable HoldReport> own;

    private final Map<String, CompletableFuture<@Nullable String>> open = new ConcurrentHashMap<>();

    private final PerSecondLimiter longWaits = new PerSecondLimiter(LONG_WAITS);

    private volatile boolean closed;

    /**
     * @param written reads the label that an instance has written to Redis for the case that it does not reply; never
     *     fails
     * @param own the report of this instance about a lock, null if no caller of it holds it; does not block
     */
    HolderLookup(
            LeaseStore store,
            InstanceMessenger messenger,
            InstanceQueries queries,
            InstanceLabels labels,
            Function<String, CompletableFuture<@Nullable String>> written,
            Function<String, @Nullable HoldReport> own) {
        this.written = written;
        this.own = own;
        this.messenger = messenger;
        this.store = store;
        this.queries = queries;
        this.labels = labels;
    }

    @Override
    public CompletableFuture<@Nullable String> of(String lockName, boolean mayRequest) {
        HoldReport here = own.apply(lockName);
        if (here != null || !mayRequest) {
            return CompletableFuture.completedFuture(here == null ? null : text(here));
        }
        CompletableFuture<@Nullable String> known = open.get(lockName);
        if (known != null) {
            return known;
        }
        return !closed && open.size() < AT_ONCE ? request(lockName) : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<@Nullable String> request(String lockName) {
        CompletableFuture<@Nullable String> result = new CompletableFuture<>();
        CompletableFuture<@Nullable String> other = open.putIfAbsent(lockName, result);
        if (other != null) {
            return other;
        }
        result.whenComplete((text, failure) -> open.remove(lockName, result));
        messenger.later(LIMIT_MILLIS, () -> result.complete(null));
        store.inspect(lockName)
                .thenCompose(state -> describe(lockName, state))
                .whenComplete((text, failure) -> result.complete(text));
        if (closed) {
            result.complete(null);
        }
        return result;
    }

    private CompletableFuture<@Nullable String> describe(String lockName, Optional<LockState> state) {
        if (state.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<String> instances = state.get().instances();
        String owner = state.get().explicitOwner() ? LockNames.show(state.get().owner()) : "";
        if (instances.isEmpty()) {
            return CompletableFuture.completedFuture(owner);
        }
        // Of several instances, the first is named.
        String first = instances.get(0);
        String others = instances.size() == 1 ? "" : " and " + (instances.size() - 1) + " more";
        CompletableFuture<?> label = labelOf(first);
        return queries.query(first, lockName, REPLY_MILLIS)
                .thenCompose(report -> report.isPresent()
                        ? CompletableFuture.completedFuture(text(report.get()))
                        : label.thenApply(done -> labels.shown(first)))
                .thenApply(text -> (owner.isEmpty() ? text : owner + ", in " + text) + others);
    }

    /** Requests the labels that are still unknown. */
    @Override
    public void keptWaiting(String lockName) {
        if (!closed && longWaits.allows()) {
            store.inspect(lockName)
                    .thenAccept(state -> state.stream()
                            .flatMap(found -> found.instances().stream())
                            .filter(id -> labels.of(id) == null && !id.equals(messenger.self()))
                            .limit(READERS)
                            .forEach(id -> queries.query(id, lockName, LONG_WAIT_MILLIS)));
        }
    }

    /** Ends in time for the id, since a server that hangs does not reply. */
    private CompletableFuture<?> labelOf(String instance) {
        if (labels.of(instance) != null || !InstanceMessage.isInstance(instance)) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> learnt = written.apply(instance).thenAccept(label -> {
            if (label != null) {
                labels.learn(instance, label);
            }
        });
        messenger.later(REPLY_MILLIS, () -> learnt.complete(null));
        return learnt;
    }

    /** Sends no further requests, and ends the waits for replies that may not arrive. */
    void close() {
        closed = true;
        open.values().forEach(result -> result.complete(null));
    }

    private static String text(HoldReport report) {
        return LockNames.show(report.label()) + " for " + age(report.heldFor()) + " ('"
                + LockNames.show(report.caller()) + "')";
    }

    private static String age(Duration heldFor) {
        return heldFor.toSeconds() > 0 ? heldFor.toSeconds() + " s" : heldFor.toMillis() + " ms";
    }
}
