/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockState;
import io.distributedlock.engine.NanoClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the labels of instances: among the labels received before, in the key that an instance with long holds has
 * written, and by a message to the others. An instance that has not replied gets no further message for a while.
 */
final class InstanceLabelLookup {

    /** How long a caller of {@code inspect} waits for the label at most, in two steps. */
    private static final long LIMIT_MILLIS = 100;

    private static final long FORGET_SILENCE_NANOS = 5_000_000_000L;

    /** The maximum number of messages without a reply: an operator's request about many locks has to end. */
    private static final int SILENT = 4;

    /** The maximum number of instances of readers that are named. */
    private static final int SHOWN = 8;

    private final InstanceLabels labels;

    private final InstanceLabelKey keys;

    private final FleetQueries fleet;

    @GuardedBy("silent")
    private final Map<String, Long> silent = new HashMap<>();

    /** When a server did not reply in time for the last time; then no keys are read for a while. */
    private volatile @Nullable Long hungAt;

    InstanceLabelLookup(InstanceLabels labels, InstanceLabelKey keys, FleetQueries fleet) {
        this.labels = labels;
        this.keys = keys;
        this.fleet = fleet;
    }

    /** See {@link io.distributedlock.LockMonitor#labels}. */
    Map<String, String> of(Collection<String> instances) {
        readKeys(unknown(instances));
        return fleet.labels(instances);
    }

    /** The same with the label of its instances. */
    LockState labelled(LockState state) {
        List<String> shown = state.instances().stream()
                .filter(InstanceMessage::isInstance)
                .limit(SHOWN)
                .toList();
        readKeys(unknown(shown));
        List<String> missing =
                unknown(shown).stream().filter(this::mayReceiveRequest).toList();
        List<String> requested = shown.stream()
                .filter(id -> missing.contains(id) || labels.of(id) != null || fleet.isSelf(id))
                .toList();
        Map<String, String> found = new HashMap<>(fleet.labels(requested, LIMIT_MILLIS));
        missing.stream().filter(id -> !found.containsKey(id)).forEach(this::markSilent);
        return found.isEmpty()
                ? state
                : state.withLabel(
                        shown.stream().map(id -> found.getOrDefault(id, id)).collect(Collectors.joining(", ")));
    }

    private List<String> unknown(Collection<String> instances) {
        return instances.stream()
                .filter(id -> InstanceMessage.isInstance(id) && !fleet.isSelf(id) && labels.of(id) == null)
                .distinct()
                .toList();
    }

    private void readKeys(List<String> instances) {
        Long before = hungAt;
        if (instances.isEmpty() || (before != null && NanoClock.SYSTEM.nanos() - before < FORGET_SILENCE_NANOS)) {
            return;
        }
        List<CompletableFuture<?>> reads = new ArrayList<>();
        instances.forEach(id -> reads.add(keys.of(id).thenAccept(label -> learn(id, label))));
        try {
            CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new)).get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException ex) {
            // A message requests the labels that have not been read by then.
            hungAt = NanoClock.SYSTEM.nanos();
        } catch (ExecutionException ex) {
            // As above; a read does not fail.
        }
    }

    private void learn(String instance, @Nullable String label) {
        if (label != null) {
            labels.learn(instance, label);
        }
    }

    private boolean mayReceiveRequest(String instance) {
        synchronized (silent) {
            long now = NanoClock.SYSTEM.nanos();
            silent.values().removeIf(since -> now - since >= FORGET_SILENCE_NANOS);
            return !silent.containsKey(instance) && silent.size() < SILENT;
        }
    }

    private void markSilent(String instance) {
        synchronized (silent) {
            silent.put(instance, NanoClock.SYSTEM.nanos());
        }
    }
}
