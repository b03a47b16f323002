/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.distributedlock.LockActivity.Held;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The long holds that were reported and still last. The holds of an explicit owner, and of readers, have one name and
 * one token, so they differ by their start only. The start of a hold is known to lie between two times, since the clock
 * is read before and after the age of the hold: those of one hold always overlap.
 */
final class ReportedHolds {

    private record Key(String name, long token) {}

    private record Start(long earliest, long latest) {

        boolean overlaps(Start other) {
            return earliest - other.latest <= 0 && other.earliest - latest <= 0;
        }
    }

    private Map<Key, List<Start>> reported = new HashMap<>();

    /**
     * The holds that were not reported yet. All of these holds count as reported from now on, and no other one.
     *
     * @param before the time just before the ages of the holds were determined
     * @param after the time just after that
     */
    List<Held> fresh(List<Held> holds, long before, long after) {
        List<Held> fresh = new ArrayList<>();
        Map<Key, List<Start>> current = new HashMap<>();
        for (Held held : holds) {
            Key key = new Key(held.name(), held.fencingToken());
            long age = held.heldFor().toNanos();
            Start start = new Start(before - age, after - age);
            if (reported.getOrDefault(key, List.of()).stream().noneMatch(start::overlaps)) {
                fresh.add(held);
            }
            current.computeIfAbsent(key, none -> new ArrayList<>(1)).add(start);
        }
        reported = current;
        return fresh;
    }
}
