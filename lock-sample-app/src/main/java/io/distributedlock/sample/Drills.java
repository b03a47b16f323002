/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockDeadlockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.task.SimpleAsyncTaskExecutorBuilder;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/** Deliberate faults in the use of locks: a holder that hangs, and two callers that wait for each other. */
@Component
class Drills implements SmartLifecycle {

    /** The channel for announcements of drills. Every instance takes part. */
    static final String CHANNEL = "shop:drills";

    static final String HUNG = "drill:hung";

    private static final List<String> PAIR = List.of("drill:left", "drill:right");

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The time until both callers of a ring have their first lock. */
    private static final long HEAD_START_MILLIS = 500;

    private final LockOperations locks;

    private final StringRedisTemplate redis;

    private final DeathWatch deaths;

    private final Instances instances;

    private final News news;

    private final Executor threads;

    private volatile CountDownLatch stopped = new CountDownLatch(1);

    private volatile boolean running;

    Drills(
            LockOperations locks,
            StringRedisTemplate redis,
            DeathWatch deaths,
            Instances instances,
            News news,
            SimpleAsyncTaskExecutorBuilder threads) {
        this.locks = locks;
        this.redis = redis;
        this.deaths = deaths;
        this.instances = instances;
        this.news = news;
        this.threads = threads.threadNamePrefix("drill-").build();
    }

    /** A caller of this instance holds a lock until it is taken away, and a caller of each instance waits for it. */
    void hang() {
        threads.execute(this::holdUntilTakenAway);
        redis.convertAndSend(CHANNEL, "wait");
    }

    private void holdUntilTakenAway() {
        try (LockHandle handle = locks.acquire(LockRequest.of(HUNG).noWait())) {
            boolean stops = false;
            while (handle.isHeld() && !stops) {
                stops = stopped.await(100, TimeUnit.MILLISECONDS);
            }
        } catch (DistributedLockException ex) {
            news.bad(String.valueOf(ex.getMessage()));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** Two callers acquire two locks in opposite order. They are in two instances if there are two. */
    void deadlock() {
        String other = deaths.seen().stream()
                .filter(each -> each.alive() && !each.id().equals(instances.ownId()))
                .map(Instances.Instance::id)
                .findFirst()
                .orElse(instances.ownId());
        redis.convertAndSend(CHANNEL, "ring " + instances.ownId() + " " + other);
    }

    /** Handles the announcement of a drill or of a deadlock. Every instance receives it. */
    void announced(String drill) {
        String[] words = drill.split(" ", -1);
        if (words[0].equals("wait")) {
            threads.execute(this::waitForHung);
        } else if (words[0].equals("found")) {
            news.bad(drill.substring("found ".length()));
        } else {
            for (int part = 0; part < 2; part++) {
                String first = PAIR.get(part);
                String second = PAIR.get(1 - part);
                if (words[1 + part].equals(instances.ownId())) {
                    threads.execute(() -> lockBoth(first, second));
                }
            }
        }
    }

    private void waitForHung() {
        try {
            if (!stopped.await(HEAD_START_MILLIS, TimeUnit.MILLISECONDS)) {
                locks.execute(LockRequest.of(HUNG).waitUpTo(PATIENCE), handle -> handle.fencingToken());
            }
        } catch (DistributedLockException ex) {
            news.bad(String.valueOf(ex.getMessage()));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private void lockBoth(String first, String second) {
        try (LockHandle outer = locks.acquire(LockRequest.of(first).noWait())) {
            if (!stopped.await(HEAD_START_MILLIS, TimeUnit.MILLISECONDS)) {
                locks.acquire(LockRequest.of(second).waitUpTo(PATIENCE)).close();
                news.good("A caller of this instance has had " + outer.name() + " and " + second + ".");
            }
        } catch (DistributedLockException ex) {
            news.bad(String.valueOf(ex.getMessage()));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @EventListener
    void found(LockDeadlockEvent ring) {
        redis.convertAndSend(
                CHANNEL,
                "found A deadlock was found: " + ring.ring().size() + " callers wait for each other, for "
                        + String.join(
                                " and ",
                                ring.ring().stream()
                                        .map(LockDeadlockEvent.Link::lockName)
                                        .toList())
                        + ". One wait was ended.");
    }

    @Override
    public void start() {
        stopped = new CountDownLatch(1);
        running = true;
    }

    /** Stops first, so that the locks need not wait for a holder that hangs. */
    @Override
    public void stop() {
        running = false;
        stopped.countDown();
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
