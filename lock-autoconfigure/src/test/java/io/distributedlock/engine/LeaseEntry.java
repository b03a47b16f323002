package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One lock in {@link SharedLeases}: the hash that the scripts write, field by field. */
final class LeaseEntry {

    record Queued(String id, long leaseMillis, @Nullable String owner) {}

    /** An acquisition id, or "=" and the explicit owner. */
    String holder;

    long token;

    /** Who waits, in order. */
    final List<Queued> line = new ArrayList<>();

    /** The acquisition ids of an explicit owner's holds. */
    List<String> holds = new ArrayList<>();

    /** How many of those were given back by name. */
    int given;

    private long expiresAt;

    LeaseEntry(String id, @Nullable String owner) {
        this.holder = owner == null ? id : "=" + owner;
        if (owner != null) {
            holds.add(id);
        }
    }

    boolean isOwnedBy(@Nullable String owner) {
        return owner != null && holder.equals("=" + owner);
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
        return line.stream()
                .filter(queued -> queued.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    boolean hasMoreHolds() {
        return holds.size() > given;
    }

    void expireAfter(long leaseMillis, long now) {
        expiresAt = now + leaseMillis * 1_000_000;
    }

    long remainingMillis(long now) {
        return (expiresAt - now) / 1_000_000;
    }

    boolean isExpired(long now) {
        return expiresAt - now <= 0;
    }
}
