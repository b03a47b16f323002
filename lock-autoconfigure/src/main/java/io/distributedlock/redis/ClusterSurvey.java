/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.logging.SafeLog;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Determines which master of a cluster has which slots, twice a second and after redirections, and keeps the
 * {@link ShardMailboxes} and {@link ClusterClocks} up to date. The masters are requested for their clocks once a
 * second.
 */
final class ClusterSurvey {

    private static final Log log = SafeLog.of(ClusterSurvey.class);

    private static final long PERIOD_MILLIS = 500;

    /** The clocks are requested by each second survey. */
    private static final int CLOCK_EVERY = 2;

    private static final long REFRESH_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** What depends on the masters of slots. */
    interface Listener {

        /** Before a survey. */
        void surveying();

        /** These slots have another master than at the last survey. */
        void moved(IntPredicate slots);
    }

    private final OpenCluster cluster;

    private final LockClientFactory source;

    private final ClusterClocks clocks;

    private final BooleanSupplier closed;

    private final Listener listener;

    private final SerialTask running = new SerialTask(this::runNow);

    private final AtomicBoolean planned = new AtomicBoolean();

    private final AtomicBoolean refreshPlanned = new AtomicBoolean();

    private volatile long refreshedAt;

    private volatile long repliedAt;

    private volatile CompletableFuture<?> replies = CompletableFuture.completedFuture(null);

    private volatile @Nullable Future<?> repetition;

    private int surveys;

    ClusterSurvey(
            OpenCluster cluster,
            LockClientFactory source,
            ClusterClocks clocks,
            BooleanSupplier closed,
            Listener listener) {
        this.cluster = cluster;
        this.source = source;
        this.clocks = clocks;
        this.closed = closed;
        this.listener = listener;
        this.repliedAt = clocks.nanos();
        this.refreshedAt = clocks.nanos() - REFRESH_PAUSE_NANOS;
    }

    /** On one thread at a time: two would open the same subscriptions. */
    void run() {
        running.run();
    }

    /** Until {@link #close()}. */
    void repeat() {
        Future<?> repeated = source.resources()
                .eventExecutorGroup()
                .scheduleAtFixedRate(this::run, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        repetition = repeated;
        // Then close() may have read the field before.
        if (closed.getAsBoolean()) {
            repeated.cancel(false);
        }
    }

    void close() {
        Future<?> repeated = repetition;
        if (repeated != null) {
            repeated.cancel(false);
        }
    }

    /** Waits until the clocks are known and the channels subscribed, unless a server is slow. */
    void awaitReplies(Duration limit) {
        try {
            replies.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException ex) {
            log.debug("Not all masters have replied yet", ex);
        }
    }

    /** When a master has replied to a request for its clock, or else when the cluster was reached. */
    long repliedAt() {
        return repliedAt;
    }

    /** Never fails, not even for lack of memory: the executor would not repeat it. */
    private void runNow() {
        if (closed.getAsBoolean()) {
            return;
        }
        planned.set(false);
        try {
            listener.surveying();
            List<RedisClusterNode> masters = cluster.view().masters();
            CompletableFuture<?> subscriptions = cluster.mailboxes().update(masters);
            if (surveys++ % CLOCK_EVERY == 0) {
                replies = CompletableFuture.allOf(subscriptions, requestClocks(masters));
            }
            BitSet changed = cluster.view().changes(clocks.nanos());
            if (!changed.isEmpty()) {
                listener.moved(changed::get);
            }
        } catch (RuntimeException | Error ex) {
            log.debug("The topology of the cluster could not be read", ex);
        }
    }

    private CompletableFuture<?> requestClocks(List<RedisClusterNode> masters) {
        clocks.retain(masters.stream().map(RedisClusterNode::getNodeId).collect(Collectors.toSet()));
        CompletableFuture<?>[] times = masters.stream().map(this::requestClock).toArray(CompletableFuture<?>[]::new);
        CompletableFuture<Void> all = CompletableFuture.allOf(times);
        return times.length == 0 ? all : all.thenRun(source::succeeded);
    }

    private CompletableFuture<?> requestClock(RedisClusterNode master) {
        return cluster.connectionTo(master).thenCompose(node -> {
            long sentAt = clocks.nanos();
            return node.async().time().whenComplete(this::noteReply).thenAccept(time -> {
                clocks.replied(master.getNodeId(), ClockSurvey.micros(time), sentAt);
            });
        });
    }

    /** A refusal is a reply too. */
    private void noteReply(@Nullable List<String> time, @Nullable Throwable failure) {
        if (time != null || failure instanceof RedisCommandExecutionException) {
            repliedAt = clocks.nanos();
        }
    }

    /**
     * Makes Lettuce refresh its view of the cluster, at most a few times a second, and surveys it then. Not earlier:
     * with the same view, a request that was redirected would be redirected again.
     */
    void refresh() {
        if (closed.getAsBoolean() || !refreshPlanned.compareAndSet(false, true)) {
            return;
        }
        long pause = refreshedAt + REFRESH_PAUSE_NANOS - clocks.nanos();
        try {
            source.resources()
                    .eventExecutorGroup()
                    .schedule(this::refreshNow, Math.max(0, pause), TimeUnit.NANOSECONDS);
        } catch (RuntimeException | Error ex) {
            refreshPlanned.set(false);
            throw ex;
        }
    }

    private void refreshNow() {
        refreshedAt = clocks.nanos();
        refreshPlanned.set(false);
        if (!closed.getAsBoolean()) {
            cluster.client().refreshPartitionsAsync().whenComplete((done, failure) -> runSoon());
        }
    }

    private void runSoon() {
        if (!closed.getAsBoolean() && planned.compareAndSet(false, true)) {
            source.resources().eventExecutorGroup().execute(this::run);
        }
    }
}
