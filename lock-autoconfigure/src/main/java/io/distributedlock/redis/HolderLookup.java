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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds out who holds a busy lock, when the wait of a caller is over: Redis says which instance, and that instance says
 * since when. Callers whose waits end together share one question. What has no answer in {@value #MILLIS} ms is left
 * out, since the caller waits for it.
 */
final class HolderLookup implements HolderNames {

    private static final long MILLIS = 100;

    private static final int AT_ONCE = 64;

    private final LeaseStore store;

    private final InstanceMessenger messenger;

    private final InstanceQueries queries;

    private final InstanceLabels labels;

    private final Function<String, @Nullable HoldReport> own;

    private final Map<String, CompletableFuture<@Nullable String>> open = new ConcurrentHashMap<>();

    private volatile boolean closed;

    /** @param own what this instance says of a lock, null if no caller of it holds it; does not block */
    HolderLookup(
            LeaseStore store,
            InstanceMessenger messenger,
            InstanceQueries queries,
            InstanceLabels labels,
            Function<String, @Nullable HoldReport> own) {
        this.own = own;
        this.messenger = messenger;
        this.store = store;
        this.queries = queries;
        this.labels = labels;
    }

    @Override
    public CompletableFuture<@Nullable String> of(String lockName, boolean mayAsk) {
        HoldReport here = own.apply(lockName);
        if (here != null || !mayAsk) {
            return CompletableFuture.completedFuture(here == null ? null : text(here));
        }
        CompletableFuture<@Nullable String> asked = open.get(lockName);
        if (asked != null) {
            return asked;
        }
        return !closed && open.size() < AT_ONCE ? ask(lockName) : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<@Nullable String> ask(String lockName) {
        CompletableFuture<@Nullable String> answer = new CompletableFuture<>();
        CompletableFuture<@Nullable String> other = open.putIfAbsent(lockName, answer);
        if (other != null) {
            return other;
        }
        answer.whenComplete((text, failure) -> open.remove(lockName, answer));
        messenger.later(MILLIS, () -> answer.complete(null));
        store.inspect(lockName)
                .thenCompose(state -> describe(lockName, state))
                .whenComplete((text, failure) -> answer.complete(text));
        if (closed) {
            answer.complete(null);
        }
        return answer;
    }

    private CompletableFuture<@Nullable String> describe(String lockName, Optional<LockState> state) {
        if (state.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        // Of several readers, the first is named.
        String[] owners = state.get().owner().split(", ");
        String others = owners.length == 1 ? "" : " and " + (owners.length - 1) + " more";
        return queries.ask(owners[0], lockName, MILLIS)
                .thenApply(report -> report.map(HolderLookup::text).orElseGet(() -> labels.shown(owners[0])) + others);
    }

    /** Nothing is asked any more, and nobody has to wait for an answer that may not come. */
    void close() {
        closed = true;
        open.values().forEach(answer -> answer.complete(null));
    }

    private static String text(HoldReport report) {
        return LockNames.show(report.label()) + " for " + age(report.heldFor()) + " ('"
                + LockNames.show(report.caller()) + "')";
    }

    private static String age(Duration heldFor) {
        return heldFor.toSeconds() > 0 ? heldFor.toSeconds() + " s" : heldFor.toMillis() + " ms";
    }
}
