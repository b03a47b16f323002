/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One hold of a lock that its owner knew of, re-entries included. */
final class Grant {

    /** One way into the hold, and out of it. */
    private static final class Entry {

        final Call acquire;

        final Event granted;

        private @Nullable Call release;

        /** The last one that was heard of. */
        private long deadline;

        private long lostAt = Long.MAX_VALUE;

        Entry(Call acquire) {
            this.acquire = acquire;
            this.granted = Objects.requireNonNull(acquire.replied());
            this.deadline = granted.deadline();
        }

        void receivesMessages(Event event) {
            if (event.operation() == Operation.LOST) {
                lostAt = Math.min(lostAt, event.nanos());
            } else if (event.deadline() != Event.NONE && !isReleased(event)) {
                deadline = event.deadline();
            }
        }

        private static boolean isReleased(Event event) {
            return event.operation() == Operation.RELEASE && event.phase() != Phase.INVOKE;
        }

        /** A release says until when the hold would have lasted; if it does not, the hold was over before. */
        long certainUntil() {
            long end = Math.min(deadline, lostAt);
            return release == null ? end : Math.min(end, release.begin());
        }

        /** Of several locks that were acquired together, the others are renewed until the release. */
        long heldAtMostUntil() {
            long released = release == null ? Long.MAX_VALUE : release.end();
            return isTogether() ? released : Math.min(lostAt, released);
        }

        /** Until the minimum of a hold is over, an unconfirmed release shortens the lease, which is a renewal. */
        long renewedAtMostUntil() {
            Event replied = release == null || release.outcome() == Phase.OK ? null : release.replied();
            return replied == null ? heldAtMostUntil() : Math.max(heldAtMostUntil(), replied.deadline());
        }

        boolean isTogether() {
            return acquire.operation() == Operation.ACQUIRE_TOGETHER;
        }

        /** The last that was heard of it. The dead renew no lease. */
        long lastSign(Map<String, Long> killed) {
            long sign = Math.max(granted.nanos(), certainUntil());
            if (release != null && release.replied() != null) {
                sign = Math.max(sign, release.end());
            }
            return Math.min(sign, killed.getOrDefault(granted.jvm(), Long.MAX_VALUE));
        }

        /**
         * A release that is under way may arrive in Redis after a re-entry of the same owner in another JVM. One that
         * was not confirmed may never arrive, and then an explicit owner has the lock in Redis all the time; a thread
         * or a future has it under another id the next time.
         */
        boolean isOpenAt(long time) {
            return release == null
                    || release.end() > time
                    || release.outcome() != Phase.OK && granted.hasExplicitOwner();
        }
    }

    /** Redis counts milliseconds. */
    private static final long PRECISION = 2_000_000;

    private final List<Entry> entries = new ArrayList<>();

    private Grant(Entry first) {
        entries.add(first);
    }

    /** All holds of one lock, in the order in which they were granted. */
    static List<Grant> of(List<Event> events, List<Call> calls) {
        Map<String, Entry> entries = new HashMap<>();
        List<Entry> granted = new ArrayList<>();
        for (Call call : calls) {
            if (call.operation().isAcquisition() && call.isOk()) {
                Entry entry = new Entry(call);
                entries.put(id(call.asked()), entry);
                granted.add(entry);
            }
        }
        for (Call call : calls) {
            if (call.operation() == Operation.RELEASE && entries.containsKey(id(call.asked()))) {
                entries.get(id(call.asked())).release = call;
            }
        }
        for (Event event : events) {
            Entry entry = entries.get(id(event));
            if (entry != null && !event.operation().isAcquisition()) {
                entry.receivesMessages(event);
            }
        }
        return merge(granted);
    }

    private static String id(Event event) {
        return event.jvm() + ' ' + event.acquisition();
    }

    /** Who acquires what it holds, and gets the same token, has entered the same hold again. */
    private static List<Grant> merge(List<Entry> entries) {
        entries.sort(Comparator.comparingLong(entry -> entry.granted.nanos()));
        List<Grant> grants = new ArrayList<>();
        Map<String, Grant> latest = new HashMap<>();
        for (Entry entry : entries) {
            Grant before = latest.get(entry.granted.owner());
            if (before != null && before.isEnteredAgainBy(entry)) {
                before.entries.add(entry);
            } else {
                Grant grant = new Grant(entry);
                grants.add(grant);
                latest.put(entry.granted.owner(), grant);
            }
        }
        return grants;
    }

    private boolean isEnteredAgainBy(Entry entry) {
        return token() == entry.granted.token()
                && entries.stream().anyMatch(each -> each.isOpenAt(entry.acquire.begin()));
    }

    String jvm() {
        return first().granted.jvm();
    }

    /** Whether it was had beside others who shared it. */
    boolean isShared() {
        return first().granted.shared();
    }

    /** Whether its owner had entered it in several JVMs. */
    boolean isHadTogether() {
        return entries.stream().map(entry -> entry.granted.jvm()).distinct().count() > 1;
    }

    /** Whether other callers may enter it, as its owner. */
    boolean hasExplicitOwner() {
        return first().granted.hasExplicitOwner();
    }

    String owner() {
        return first().granted.owner();
    }

    long token() {
        return first().granted.token();
    }

    long requestedAt() {
        return first().acquire.begin();
    }

    long grantedAt() {
        return first().granted.nanos();
    }

    /** Of several locks that are acquired together, one may be had long before the last is granted. */
    long mayBeHadFrom() {
        return first().isTogether() ? requestedAt() : grantedAt();
    }

    /** From when it was granted until then, its owner could rely on it. */
    long certainUntil() {
        return entries.stream().mapToLong(Entry::certainUntil).max().orElseThrow();
    }

    /** When the release that ended it began and was confirmed, or null. */
    @Nullable
    Call confirmedRelease() {
        Call last = null;
        for (Entry entry : entries) {
            if (entry.release == null || entry.release.outcome() != Phase.OK) {
                return null;
            }
            last = last == null || entry.release.begin() > last.begin() ? entry.release : last;
        }
        return last;
    }

    /**
     * Until when no other caller may have the lock although it was released, at the earliest; or {@link Event#NONE}.
     * The minimum counts from the grant, which may have been as early as the request.
     */
    long staysUntil() {
        Call release = confirmedRelease();
        long until = release == null ? Event.NONE : release.replied().deadline();
        return until == Event.NONE ? Event.NONE : until - (grantedAt() - requestedAt()) - PRECISION;
    }

    /** Until when its owner may have had it: to the answer to its release, or to the news of its loss. */
    long heldAtMostUntil() {
        return entries.stream().mapToLong(Entry::heldAtMostUntil).max().orElseThrow();
    }

    /**
     * When the lock was free for others again, at the latest. One of several who died stays until the lease of the
     * others has ended.
     *
     * @param killed when each JVM that was killed was dead
     */
    long freeAt(long lease, Map<String, Long> killed) {
        Call release = confirmedRelease();
        if (release != null) {
            return Math.max(release.end(), release.replied().deadline());
        }
        return lease
                + entries.stream()
                        .mapToLong(entry -> entry.lastSign(killed))
                        .max()
                        .orElseThrow();
    }

    /** The time from when it was asked for until the last renewal for its owner. */
    record Span(long begin, long end) {}

    /** Those of its entries in that JVM. */
    List<Span> spansIn(String jvm) {
        return entries.stream()
                .filter(entry -> entry.granted.jvm().equals(jvm))
                .map(entry -> new Span(entry.acquire.begin(), entry.renewedAtMostUntil()))
                .toList();
    }

    private Entry first() {
        return entries.get(0);
    }

    @Override
    public String toString() {
        return "token " + token() + " of " + owner() + " (" + jvm() + ' '
                + first().granted.acquisition() + "), granted " + grantedAt() + ", certain until " + certainUntil();
    }
}
