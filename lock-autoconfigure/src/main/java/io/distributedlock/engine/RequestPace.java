/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStore.AcquireReply.Busy;

/**
 * How often an acquisition repeats its request while it waits. Messages advance a line; repeated requests only find
 * what messages have missed, and all waiters of one lock share a budget for them, however many they are.
 *
 * <ul>
 *   <li><b>Near the head</b>, with fewer than {@value #NEAR} before it, an acquisition repeats its request when the
 *       holder's lease ends, at the latest after a second or half of its own lease. So a grant whose message was lost
 *       is found within a second and while it lasts. An acquisition whose messages do not arrive at present sends
 *       requests as often.
 *   <li><b>Further back</b> all acquisitions together send twenty requests a second. The period of each is a twentieth
 *       of a second for each waiter, varied from half to one and a half of it, so that they do not stay in step after
 *       simultaneous requests. The period depends on the length of the line and not on the place, since the sum over
 *       all places would otherwise grow without bound.
 *   <li><b>Parked</b> acquisitions of explicit owners ({@link QueuedOwners}) send ten requests a second all together.
 * </ul>
 *
 * <p>After the message that it has come near, an acquisition sends requests like those at the head. It sends one at
 * once only if its last reply is so old that a grant would need confirmation; otherwise each hand-over of a long line
 * would cost one more request.
 *
 * <p>The cost of a loss further back:
 *
 * <ul>
 *   <li>The message that it has come near is lost: the grant still arrives, and a request confirms it if the last reply
 *       is old. If the grant is lost too, although the connection is open, the lock is idle until the next request of
 *       that acquisition at its own period, or until the granted lease ends. A broken connection does not have this
 *       effect: the instance sends requests when it is restored, and each second until then.
 *   <li>The whole line is lost, with its dead holder, or because no instance near the head was alive: the acquisitions
 *       near the head form a new line when the lease has ended. If there are none, or after these have had their turn,
 *       the lock is free until the next request of the others. That takes a twentieth of a second on average while the
 *       line is about as long as at their last requests; the last few may take their whole period.
 * </ul>
 */
final class RequestPace {

    /**
     * The store notifies an acquisition with fewer before it, which then sends frequent requests. The same number is in
     * include/constants.lua.
     */
    static final int NEAR = 12;

    /** The longest pause near the head, and the interval at which the others check whether messages arrive. */
    static final long LONGEST_NEAR_NANOS = 1_000_000_000;

    private static final long EACH_FAR_NANOS = 50_000_000;

    private static final long EACH_PARKED_NANOS = 100_000_000;

    private RequestPace() {}

    static boolean isNear(Busy reply) {
        return reply.ahead() < NEAR;
    }

    /** The pause of an acquisition that is near, or whose messages do not arrive. */
    static long near(long ttlMillis, long lease, EngineContext engine) {
        long jitter = 1_000_000 + engine.random(19_000_000);
        // Another client may have set it to centuries.
        long ttl = Math.min(Math.max(ttlMillis, 0), LONGEST_NEAR_NANOS / 1_000_000) * 1_000_000;
        long longest = longestNear(lease);
        return Math.min(ttl + jitter, longest - engine.random(longest / 16));
    }

    static long longestNear(long lease) {
        return Math.min(LONGEST_NEAR_NANOS, lease / 2);
    }

    static long far(int waiting, EngineContext engine) {
        return spread(Math.max(LONGEST_NEAR_NANOS, waiting * EACH_FAR_NANOS), engine);
    }

    /**
     * The addition for an acquisition that does not stand in line; other instances may have as many of them as this
     * one.
     */
    static long parked(int parkedHere, int waiting, EngineContext engine) {
        long period = parkedHere * EACH_PARKED_NANOS * Math.max(1, waiting / QueuedOwners.IN_LINE);
        return spread(period, engine);
    }

    private static long spread(long period, EngineContext engine) {
        return period / 2 + engine.random(Math.max(1, period));
    }
}
