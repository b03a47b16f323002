/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * When Redis forgot what it had confirmed, or a lock was taken away by force. Who held a lock then can go on for as
 * long as the lease lasts that Redis has forgotten, since no renewal can make it longer; the lock is another caller's
 * meanwhile. Of one lock.
 */
final class Losses {

    /** A command of which nothing was heard may be done later than that, by as many leases. */
    private static final int LATE_LEASES = 2;

    private record Window(long begin, long end) {

        boolean explains(long granted, long over) {
            return begin <= granted && over <= end;
        }

        boolean touches(long from, long to) {
            return begin <= to && from <= end;
        }
    }

    private final List<Window> forgotten = new ArrayList<>();

    private final List<Window> taken = new ArrayList<>();

    Losses(List<Call> faults, String lock, Model model, Duration lease) {
        for (Call fault : faults) {
            if (Fault.takesLock(fault)) {
                if (fault.asked().owner().equals(lock) && fault.outcome() != Event.Phase.FAIL) {
                    boolean late = fault.outcome() == Event.Phase.UNKNOWN;
                    taken.add(window(fault, late ? lease.multipliedBy(1 + LATE_LEASES) : lease));
                }
            } else if (Fault.losesData(fault) && model != Model.NO_LOSS) {
                forgotten.add(window(fault, lease));
            }
        }
    }

    private static Window window(Call fault, Duration felt) {
        return new Window(fault.begin(), fault.replied() == null ? Long.MAX_VALUE : fault.end() + felt.toNanos());
    }

    /**
     * Whether Redis had forgotten the first of two holds before the second was granted, and the lease that it has
     * forgotten had not ended before both went on.
     */
    boolean explainOverlap(long granted, long end) {
        return forgotten.stream().anyMatch(each -> each.explains(granted, end));
    }

    /** The same of a lock that was taken away: who had it hears so a moment later, or at its next renewal. */
    boolean wasTaken(long granted, long end) {
        return taken.stream().anyMatch(each -> each.explains(granted, end));
    }

    /** Whether Redis had forgotten something then, and a lease that it has restored instead may not have ended. */
    boolean mayHaveRestored(long from, long to) {
        return forgotten.stream().anyMatch(each -> each.touches(from, to));
    }

    /** Whether there may have been a holder then who did not know that its lock was forgotten or taken. */
    boolean areFelt(long from, long to) {
        return forgotten.stream().anyMatch(each -> each.touches(from, to))
                || taken.stream().anyMatch(each -> each.touches(from, to));
    }
}
