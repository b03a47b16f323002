/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One lock in {@link SharedLeases}: the hash that the scripts write, field by field. */
final class LeaseEntry {

    /** @param alone whether it must be the only hold of its explicit owner */
    record Queued(String id, long leaseMillis, @Nullable String owner, boolean alone) {

        boolean entersWith(Queued head) {
            return head.owner() != null && head.owner().equals(owner) && !alone;
        }

        boolean isReader() {
            return LeaseStore.READERS.equals(owner);
        }
    }

    /** An acquisition id, or "=" and the explicit owner. */
    String holder;

    long token;

    /** Who waits, in order. */
    final List<Queued> line = new ArrayList<>();

    /** Who was passed over in line, as its instance did not listen. */
    final List<String> passedOver = new ArrayList<>();

    /** Who of those has asked again since, or asked as the first in line and does not listen. */
    final List<String> askAgain = new ArrayList<>();

    /** The first in line whose requests show readers that it lives, if nothing else does. */
    private @Nullable String watched;

    /** Since when it has sent no request, or readers have not known one. */
    private long watchedSince;

    /** The acquisition ids of an explicit owner's holds. */
    List<String> holds = new ArrayList<>();

    /** How many of those were given back by name. */
    int given;

    /** When the leases of an explicit owner's holds end; nothing for readers. */
    final Map<String, Long> ends = new HashMap<>();

    private long expiresAt;

    /** The longest lease that the owner was given and may count on. */
    private long leaseMillis;

    LeaseEntry(String id, @Nullable String owner) {
        this.holder = owner == null ? id : "=" + owner;
        if (owner != null) {
            holds.add(id);
        }
    }

    boolean isOwnedBy(@Nullable String owner) {
        return owner != null && holder.equals("=" + owner);
    }

    /** The latest eight are remembered. */
    void passOver(String id) {
        passedOver.add(id);
        if (passedOver.size() + askAgain.size() > 8) {
            passedOver.remove(0);
        }
    }

    /** The next release reserves the lock for it, although it does not listen. */
    void reserveFor(String id) {
        if (!askAgain.contains(id)) {
            if (passedOver.size() + askAgain.size() >= 8) {
                (passedOver.isEmpty() ? askAgain : passedOver).remove(0);
            }
            askAgain.add(id);
        }
    }

    boolean isOwnedByReaders() {
        return isOwnedBy(LeaseStore.READERS);
    }

    boolean isFirstAReader() {
        return !line.isEmpty() && line.get(0).isReader();
    }

    /** Whether it was passed over, asked again or not. */
    boolean forget(String id) {
        return askAgain.remove(id) | passedOver.remove(id);
    }

    /** Whether it has sent no request for long. The time counts from the first of these calls. */
    boolean isSilent(String id, long millis) {
        if (!id.equals(watched) || millis - watchedSince < 0) {
            watched = id;
            watchedSince = millis;
        }
        return millis - watchedSince > 3_000;
    }

    void sentRequest(String id, long millis) {
        watchedSince = id.equals(watched) ? millis : watchedSince;
    }

    boolean hasExplicitOwner() {
        return holder.startsWith("=");
    }

    /** Who is notified that a caller waits. */
    @Nullable
    String toRecall() {
        return !hasExplicitOwner() ? holder : holds.isEmpty() ? null : holds.get(0);
    }

    @Nullable
    Queued inLine(String id) {
        int place = placeOf(id);
        return place < 0 ? null : line.get(place);
    }

    /** How many are before it in line, or -1. */
    int placeOf(String id) {
        for (int i = 0; i < line.size(); i++) {
            if (line.get(i).id().equals(id)) {
                return i;
            }
        }
        return -1;
    }

    /** Who stands near the head of the line. */
    List<Queued> near() {
        return List.copyOf(line.subList(0, Math.min(RequestPace.NEAR, line.size())));
    }

    boolean hasMoreHolds() {
        return holds.size() > given;
    }

    private boolean hasOwnLeases() {
        return hasExplicitOwner() && !isOwnedByReaders();
    }

    void setEnd(String id, long millis, long now, boolean later) {
        long end = now + millis * 1_000_000;
        if (hasOwnLeases()) {
            ends.merge(id, end, (known, next) -> later ? later(known, next) : next);
        }
    }

    private long lastEnd() {
        return ends.values().stream().reduce(LeaseEntry::later).orElseThrow();
    }

    /** The clock may overflow. */
    private static long later(long one, long other) {
        return one - other > 0 ? one : other;
    }

    void forgetHold(String id) {
        holds.remove(id);
        ends.remove(id);
    }

    /** The entry lasts as long as the last of the other holds. */
    void removeEnded(long now) {
        if (!hasOwnLeases() || holds.isEmpty()) {
            return;
        }
        for (String id : List.copyOf(holds)) {
            if (ends.get(id) - now <= 0) {
                forgetHold(id);
                given = Math.max(0, given - 1);
            }
        }
        if (hasMoreHolds()) {
            long last = lastEnd();
            expiresAt = expiresAt - last < 0 ? expiresAt : last;
        }
    }

    /** Shorter if the other holds of an explicit owner allow it; never for readers. */
    void shorten(String id, long millis, long now) {
        if (!hasExplicitOwner() || holds.equals(List.of(id)) && hasOwnLeases()) {
            expireAfter(millis, now);
        } else if (hasOwnLeases()) {
            leaseMillis = Math.max(leaseMillis, millis);
            expiresAt = lastEnd();
        }
    }

    void expireAfter(long millis, long now) {
        leaseMillis = millis;
        expiresAt = now + millis * 1_000_000;
    }

    /** Never shorter. A lease is never longer than the one that was given, so this keeps that true. */
    void lengthen(long millis, long now) {
        if (remainingMillis(now) < millis) {
            expiresAt = now + millis * 1_000_000;
            leaseMillis = Math.max(leaseMillis, millis);
        }
    }

    long leaseMillis() {
        return leaseMillis;
    }

    /** The one who stood first in line, or its explicit owner, has the lock now. */
    void handTo(Queued next, List<Queued> heirs, long now) {
        boolean shared = next.owner() != null;
        holder = shared ? "=" + next.owner() : next.id();
        holds = shared ? new ArrayList<>(heirs.stream().map(Queued::id).toList()) : new ArrayList<>();
        given = 0;
        watched = null;
        ends.clear();
        heirs.forEach(heir -> setEnd(heir.id(), heir.leaseMillis(), now, false));
        long longest = heirs.stream().mapToLong(Queued::leaseMillis).max().orElse(0);
        expireAfter(Math.max(longest, next.leaseMillis()), now);
    }

    long remainingMillis(long now) {
        return (expiresAt - now) / 1_000_000;
    }

    boolean isExpired(long now) {
        return expiresAt - now <= 0;
    }
}
