/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The explicit owners of this instance that stand in line in the store. Each of them is an acquisition of its own
 * there, so a thousand that wait for one lock would be a thousand places and requests. Only {@value #IN_LINE} of them
 * stand in the line of each lock; the others wait here in the order of their arrival, and send requests rarely, since
 * their owner may have acquired the lock elsewhere. Thread-safe; calls nothing.
 */
final class QueuedOwners {

    static final int IN_LINE = 4;

    private record Line(Set<NamedLock> standing, LinkedHashSet<NamedLock> parked) {

        boolean stand(NamedLock lock) {
            return standing.contains(lock) || (standing.size() < IN_LINE && standing.add(lock));
        }

        void fill(List<NamedLock> next) {
            while (standing.size() < IN_LINE && !parked.isEmpty()) {
                NamedLock first = parked.iterator().next();
                parked.remove(first);
                standing.add(first);
                next.add(first);
            }
        }

        boolean isEmpty() {
            return standing.isEmpty() && parked.isEmpty();
        }
    }

    private final ConcurrentHashMap<String, Line> lines = new ConcurrentHashMap<>();

    /** @return whether it may stand in line in the store; otherwise {@link #left} returns it later */
    boolean enter(NamedLock lock) {
        boolean[] stands = new boolean[1];
        lines.compute(lock.name, (name, known) -> {
            Line line = known == null ? new Line(new LinkedHashSet<>(), new LinkedHashSet<>()) : known;
            stands[0] = line.stand(lock);
            if (!stands[0]) {
                line.parked.add(lock);
            }
            return line;
        });
        return stands[0];
    }

    /** The number of owners that wait for their turn. */
    int parked(String name) {
        int[] count = new int[1];
        lines.computeIfPresent(name, (n, line) -> {
            count[0] = line.parked.size();
            return line;
        });
        return count[0];
    }

    /**
     * It no longer waits.
     *
     * @param granted whether its owner holds the lock now, and the others of that owner may enter
     * @return the locks that have to send a request now
     */
    List<NamedLock> left(NamedLock lock, boolean granted) {
        List<NamedLock> next = new ArrayList<>();
        lines.computeIfPresent(lock.name, (name, line) -> {
            line.standing.remove(lock);
            line.parked.remove(lock);
            line.fill(next);
            if (granted) {
                line.parked.stream().filter(other -> other.isOf(lock.owner)).forEach(next::add);
            }
            return line.isEmpty() ? null : line;
        });
        return next;
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }
}
