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
 * their owner may have acquired the lock elsewhere. Both kinds count towards the maximum of waiters; one more has no
 * place, and does not wait behind them. Thread-safe; calls nothing.
 */
final class QueuedOwners {

    static final int IN_LINE = 4;

    enum Place {
        /** It may stand in line in the store. */
        IN_LINE,
        /** It waits here; {@link #left} returns it later. */
        PARKED,
        /** As many as allowed wait already. */
        NONE
    }

    private record Line(Set<NamedLock> standing, LinkedHashSet<NamedLock> parked) {

        Place place(NamedLock lock, int limit) {
            if (standing.contains(lock)) {
                return Place.IN_LINE;
            }
            if (!parked.contains(lock) && standing.size() + parked.size() >= limit) {
                return Place.NONE;
            }
            if (standing.size() < IN_LINE) {
                parked.remove(lock);
                standing.add(lock);
                return Place.IN_LINE;
            }
            parked.add(lock);
            return Place.PARKED;
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

    /** It begins to wait, or continues to, unless as many others do as the limit allows. */
    Place enter(NamedLock lock, int limit) {
        Place[] place = new Place[1];
        lines.compute(lock.name, (name, known) -> {
            Line line = known == null ? new Line(new LinkedHashSet<>(), new LinkedHashSet<>()) : known;
            place[0] = line.place(lock, limit);
            return line;
        });
        return place[0];
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
     * @param granted whether its owner holds the lock now, so that the others of that owner enter or are refused
     * @return the locks that have to send a request now
     */
    List<NamedLock> left(NamedLock lock, boolean granted) {
        List<NamedLock> next = new ArrayList<>();
        lines.computeIfPresent(lock.name, (name, line) -> {
            line.standing.remove(lock);
            line.parked.remove(lock);
            if (granted && !LeaseStore.READERS.equals(lock.owner)) {
                // These enter with it, or are refused since they must be the only hold of their owner.
                line.standing.stream().filter(other -> other.isOf(lock.owner)).forEach(next::add);
            }
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
