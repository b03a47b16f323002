/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One lock in {@link SharedLeases}: the hash that the scripts write, field by field. */
final class LeaseEntry {

    record Queued(String id, long leaseMillis, @Nullable String owner) {

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

    /** The acquisition ids of an explicit owner's holds. */
    List<String> holds = new ArrayList<>();

    /** How many of those were given back by name. */
    int given;

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

    boolean hasExplicitOwner() {
        return holder.startsWith("=");
    }

    /** Whom to tell that somebody waits. */
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
        return List.copyOf(line.subList(0, Math.min(AskingPace.NEAR, line.size())));
    }

    boolean hasMoreHolds() {
        return holds.size() > given;
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
