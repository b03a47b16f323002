/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Sets of objects, one for each name that has any. Thread-safe. */
final class SetsByName<T> {

    private final ConcurrentHashMap<String, Set<T>> sets = new ConcurrentHashMap<>();

    void add(String name, T added) {
        sets.compute(name, (n, known) -> {
            Set<T> all = known == null ? ConcurrentHashMap.newKeySet() : known;
            all.add(added);
            return all;
        });
    }

    void remove(String name, T removed) {
        sets.computeIfPresent(name, (n, all) -> {
            all.remove(removed);
            return all.isEmpty() ? null : all;
        });
    }

    /** Those of that name; the set changes with later calls. */
    Set<T> of(String name) {
        return sets.getOrDefault(name, Set.of());
    }

    boolean isEmpty() {
        return sets.isEmpty();
    }

    int size() {
        return sets.values().stream().mapToInt(Set::size).sum();
    }

    /** The names that have any. */
    Set<String> names() {
        return sets.keySet();
    }

    void forEach(Consumer<? super T> action) {
        sets.values().forEach(all -> all.forEach(action));
    }
}
