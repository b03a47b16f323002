/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the store may still have of this instance although no {@link NamedLock} has it: the releases under way, and the
 * minimums of closed holds. Thread-safe. What a transition calls under the monitor of its lock ({@link #begun},
 * {@link #keepMinimum}, {@link #isReleasingSince}) calls neither a lock nor the store.
 *
 * <h2>States</h2>
 *
 * A release is here from its registration to its end, which is a reply, a refusal, or the end of the longest lease. A
 * minimum is here from the close of its hold until it is over, or until a later hold of the same name leaves one. So
 * memory does not grow with the number of names ever used.
 *
 * <h2>Races and their outcomes</h2>
 *
 * <ul>
 *   <li><b>A grant message arrives while its acquisition is given up.</b> The release is registered under the monitor
 *       of the lock, and before the lock leaves the {@link LockRegistry}. So a message for a number that no lock knows
 *       finds the release, as long as it is under way, and starts no second one.
 *   <li><b>A grant message arrives after the release has ended.</b> The acquisition is released once more. If its hold
 *       has left a minimum that is not over, the lease is shortened to the rest of it instead.
 *   <li><b>A minimum is replaced while it ends.</b> Its timer ends only the entry that is still here. An entry is here
 *       before its timer is armed, and the timer of the one before is disarmed after that.
 *   <li><b>The store can be reached again while a release begins.</b> One that was found pauses and is retried, or it
 *       is about to be sent. One that is registered later is sent without that.
 *   <li><b>The last release ends while the closing engine waits for it.</b> It is removed here first. Then
 *       {@link LockRegistry#releaseEnded} wakes the closing thread, which looks here again.
 * </ul>
 */
final class PendingReleases {

    private final EngineContext engine;

    private final SetsByName<PendingRelease> underWay = new SetsByName<>();

    private final ConcurrentHashMap<String, KeptMinimum> minimums = new ConcurrentHashMap<>();

    PendingReleases(EngineContext engine) {
        this.engine = engine;
    }

    void begun(PendingRelease release) {
        underWay.add(release.name, release);
    }

    void ended(PendingRelease release) {
        underWay.remove(release.name, release);
    }

    /** Whether a release of that name is under way that had begun by that time. */
    boolean isReleasingSince(String name, long time) {
        return underWay.of(name).stream().anyMatch(release -> release.hasBegunBy(time));
    }

    boolean isEmpty() {
        return underWay.isEmpty();
    }

    /** The store can be reached again: those of these names that pause are retried, each after a delay of its own. */
    void retryAll(Predicate<String> names, LongSupplier delay) {
        underWay.forEach(release -> {
            if (names.test(release.name)) {
                release.retry(delay.getAsLong());
            }
        });
    }

    /** The engine has closed, and no longer waits for replies. */
    void endUnanswered() {
        underWay.forEach(PendingRelease::endUnanswered);
    }

    // ---- grants that no lock knows

    /**
     * A message has granted an acquisition that no lock of this instance knows. No caller waits for it any more, and
     * the cancellation did not arrive in time. Or the hold is over, since the reply to another request came before the
     * message: then its minimum stays, even if a confirmation of the message has lengthened the lease.
     */
    void granted(String name, long number, long token, long leaseNanos) {
        if (underWay.of(name).stream().anyMatch(release -> release.isFor(number))) {
            return;
        }
        PendingRelease back = PendingRelease.ofNoLock(engine, name, number, leaseNanos);
        KeptMinimum kept = kept(name, number);
        if (kept != null) {
            back.keeping(kept.terms.until(), Math.max(kept.terms.token(), token), true);
        }
        back.register();
        back.start();
    }

    // ---- minimums

    /** The store keeps the lock of a closed hold until that time. */
    void keepMinimum(String name, long number, KeptMinimum.Terms terms) {
        KeptMinimum kept = new KeptMinimum(this, name, number, terms);
        // First the entry, then the timer that removes it.
        KeptMinimum before = minimums.put(name, kept);
        engine.arm(kept, terms.until());
        if (before != null) {
            engine.disarm(before);
        }
    }

    void minimumEnded(KeptMinimum kept) {
        if (minimums.remove(kept.name, kept) && kept.terms.mayBeLengthened()) {
            PendingRelease end = PendingRelease.ofNoLock(engine, kept.name, kept.number, kept.terms.leaseNanos());
            end.register();
            end.start();
        }
    }

    private @Nullable KeptMinimum kept(String name, long number) {
        KeptMinimum kept = minimums.get(name);
        return kept != null && kept.number == number ? kept : null;
    }
}
