/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Holds of explicit owners that Redis has restored. A replica that is promoted without the latest writes may have the
 * hold of an owner that has released it meanwhile, until the lease ends that the replica knows. If the owner acquires
 * the lock by then, Redis cannot tell that from a re-entry: the hold goes on with its token, which may be lower than
 * that of a hold that the replica does not know. The stores refuse what is written under it. It goes on until the owner
 * has not used the lock for a lease.
 */
final class RestoredHolds {

    private record Hold(String owner, long token) {}

    private RestoredHolds() {}

    /** Those that one lock had while Redis may have restored them. */
    static Set<Grant> among(List<Grant> grants, Losses losses, Duration lease) {
        Set<Hold> known = new HashSet<>();
        Map<Hold, Long> restoredUntil = new HashMap<>();
        Set<Grant> restored = new HashSet<>();
        for (Grant grant : grants.stream()
                .sorted(Comparator.comparingLong(Grant::grantedAt))
                .toList()) {
            Hold hold = new Hold(grant.owner(), grant.token());
            boolean again = !known.add(hold);
            boolean inTime = grant.requestedAt() <= restoredUntil.getOrDefault(hold, Long.MIN_VALUE)
                    || losses.mayHaveRestored(grant.requestedAt(), grant.grantedAt());
            if (again && grant.hasExplicitOwner() && inTime) {
                restored.add(grant);
                restoredUntil.put(hold, grant.freeAt(lease.toNanos(), Map.of()) + lease.toNanos());
            }
        }
        return restored;
    }
}
