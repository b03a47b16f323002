/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.InstanceReport;
import io.distributedlock.LockActivity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One page of the holds and waits of an instance, in the order of names, so that pages of several instances can be
 * merged although locks change between them. A page ends between two names.
 */
final class ActivityPage {

    /** The maximum number of holds of one name on a page; several callers may share a lock. */
    private static final int HOLDS_OF_A_NAME = 8;

    private final NavigableMap<String, OfName> names = new TreeMap<>();

    private static final class OfName {

        private final List<LockActivity.Held> held = new ArrayList<>();

        private final List<LockActivity.Waiting> waiting = new ArrayList<>();
    }

    private ActivityPage() {}

    static InstanceReport of(LockActivity activity, String label, String after, int atMost) {
        ActivityPage page = new ActivityPage();
        activity.held()
                .forEach(held -> page.names
                        .computeIfAbsent(held.name(), name -> new OfName())
                        .held
                        .add(held));
        activity.waiting()
                .forEach(waiting -> page.names
                        .computeIfAbsent(waiting.name(), name -> new OfName())
                        .waiting
                        .add(waiting));
        NavigableMap<String, OfName> behind = after.isEmpty() ? page.names : page.names.tailMap(after, false);
        List<LockActivity.Held> held = new ArrayList<>();
        List<InstanceReport.Wait> waiting = new ArrayList<>();
        String last = null;
        int left = atMost;
        for (var entry : behind.entrySet()) {
            if (left-- <= 0) {
                return report(activity, label, held, waiting, last);
            }
            last = entry.getKey();
            entry.getValue().held.stream().limit(HOLDS_OF_A_NAME).forEach(held::add);
            addWait(entry.getValue().waiting, waiting);
        }
        return report(activity, label, held, waiting, null);
    }

    private static void addWait(List<LockActivity.Waiting> all, List<InstanceReport.Wait> waiting) {
        all.stream()
                .max(Comparator.comparing(LockActivity.Waiting::waitedFor))
                .ifPresent(longest -> waiting.add(new InstanceReport.Wait(longest, all.size())));
    }

    private static InstanceReport report(
            LockActivity activity,
            String label,
            List<LockActivity.Held> held,
            List<InstanceReport.Wait> waiting,
            @Nullable String cutAfter) {
        return new InstanceReport(
                activity.instance(),
                label,
                true,
                activity.connected(),
                activity.subscribed(),
                activity.held().size(),
                activity.waiting().size(),
                held,
                waiting,
                cutAfter);
    }
}
