/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStore.AcquireReply.Busy;

/**
 * How often an acquisition asks while it waits. Messages move a line on; questions only find what messages have missed,
 * and all who wait for one lock share a budget for them, however many they are.
 *
 * <ul>
 *   <li><b>Near the head</b>, with fewer than {@value #NEAR} before it, an acquisition asks when the holder's lease
 *       ends, at the latest after a second or half of its own lease. So a grant whose message was lost is found within
 *       a second and while it lasts. One whose messages do not arrive at this moment asks as often.
 *   <li><b>Further back</b> they ask twenty times a second all together: each at a period of a twentieth of a second
 *       for each that waits, and from half to one and a half of it, so that they do not stay in step after they have
 *       asked at once. The period follows the length of the line and not the place, since the sum over all places would
 *       grow without bound otherwise.
 *   <li><b>Parked</b> acquisitions of explicit owners ({@link QueuedOwners}) ask ten times a second all together.
 * </ul>
 *
 * <p>The message that an acquisition has come near makes it ask like those at the head. It asks at once only if its
 * last answer is so old that a grant would not be believed; otherwise each hand-over of a long line would cost one
 * question more.
 *
 * <p>What a loss costs further back:
 *
 * <ul>
 *   <li>The message that it has come near is lost: the grant still arrives, and is confirmed by a question if the last
 *       answer is old. If the grant is lost too, although the connection stands, the lock is idle until that
 *       acquisition asks at its own period, or until the lease that it was granted ends. A connection that broke does
 *       not come to that: it makes the instance ask when it is back, and meanwhile each second.
 *   <li>The whole line is lost, with its dead holder, or since nobody near the head was alive: those near the head make
 *       a new one when the lease has ended. If there are none, or when these have had their turn, the lock is free
 *       until the next of the others asks, which is a twentieth of a second on average as long as the line is about as
 *       long as when they asked; the last few may ask only after their whole period.
 * </ul>
 */
final class AskingPace {

    /** Who has fewer before it is told so by the store, and asks often. The same number is in release.lua. */
    static final int NEAR = 12;

    /** The longest pause near the head, and how often the others look whether messages arrive. */
    static final long LONGEST_NEAR = 1_000_000_000;

    private static final long EACH_FAR = 50_000_000;

    private static final long EACH_PARKED = 100_000_000;

    private AskingPace() {}

    static boolean isNear(Busy reply) {
        return reply.ahead() < NEAR;
    }

    /** The pause of one that is near, or whose messages do not arrive. */
    static long near(long ttlMillis, long lease, EngineContext engine) {
        long jitter = 1_000_000 + engine.random(19_000_000);
        // It may be a foreign one of centuries.
        long ttl = Math.min(Math.max(ttlMillis, 0), LONGEST_NEAR / 1_000_000) * 1_000_000;
        long longest = longestNear(lease);
        return Math.min(ttl + jitter, longest - engine.random(longest / 16));
    }

    static long longestNear(long lease) {
        return Math.min(LONGEST_NEAR, lease / 2);
    }

    static long far(int waiting, EngineContext engine) {
        return spread(Math.max(LONGEST_NEAR, waiting * EACH_FAR), engine);
    }

    /** What is added for one that does not stand in line; other instances may have as many of them as this one. */
    static long parked(int parkedHere, int waiting, EngineContext engine) {
        long period = parkedHere * EACH_PARKED * Math.max(1, waiting / QueuedOwners.IN_LINE);
        return spread(period, engine);
    }

    private static long spread(long period, EngineContext engine) {
        return period / 2 + engine.random(Math.max(1, period));
    }
}
