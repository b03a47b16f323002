/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which reply of the Sentinels counts: that with the highest configuration epoch. The epoch never decreases,
 * since a Sentinel that was cut off may still name the old master; an older epoch counts only if most Sentinels name
 * it, for example after they were set up again. If no Sentinel replies, the master is unchanged.
 */
final class SentinelDecision {

    private final int sentinels;

    /** The reply that counted. */
    @GuardedBy("this")
    private @Nullable SentinelReply latest;

    SentinelDecision(int sentinels) {
        this.sentinels = sentinels;
    }

    /** Null if no reply names a master. */
    synchronized @Nullable InetSocketAddress of(List<SentinelReply> replies) {
        SentinelReply best = replies.stream()
                .filter(reply -> reply.address() != null)
                .max(Comparator.comparingLong(SentinelReply::epoch))
                .orElse(null);
        if (best == null) {
            return replies.isEmpty() && latest != null ? latest.address() : null;
        }
        if (latest == null || !isStale(best, latest, replies)) {
            latest = best;
        }
        return latest.address();
    }

    /** Collects the replies to one request of all Sentinels, for as long as they can change the decision. */
    ReplyCollector<SentinelReply> collect(EventExecutorGroup executors, long limitMillis) {
        return ReplyCollector.start(
                executors, sentinels, limitMillis, reply -> reply.address() != null, this::showsFailover);
    }

    /**
     * Whether that reply counts whatever the others are: it shows a failover. Another one could only show a later one,
     * which is announced as well.
     */
    private synchronized boolean showsFailover(SentinelReply reply) {
        return latest != null && reply.address() != null && reply.epoch() > latest.epoch();
    }

    private boolean isStale(SentinelReply reply, SentinelReply known, List<SentinelReply> replies) {
        long same = replies.stream().filter(reply::equals).count();
        return reply.epoch() < known.epoch() && 2 * same <= sentinels;
    }
}
