/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.redis.history.History;
import io.distributedlock.redis.history.RecordedHandle;
import io.distributedlock.redis.history.RecordedLocks;
import io.distributedlock.testing.ChildRequests;
import io.distributedlock.testing.ChildRequests.Request;
import io.distributedlock.testing.RespClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** An instance in a JVM of its own that writes down what it does. Each lane is a worker. */
final class HistoryChild {

    static final Duration LEASE = Duration.ofSeconds(1);

    static final List<String> NAMES = List.of("left", "right");

    private final RecordedLocks locks;

    private final int port;

    private final AtomicBoolean over = new AtomicBoolean();

    private final AtomicInteger turns = new AtomicInteger();

    /** They are held until the end of this JVM. */
    private final List<LockHandle> kept = new ArrayList<>();

    private HistoryChild(RecordedLocks locks, int port) {
        this.locks = locks;
        this.port = port;
    }

    /** The arguments are the port of Redis, the directory of the history, and the name of this JVM. */
    public static void main(String[] args) {
        int port = Integer.parseInt(args[0]);
        RedisLockTemplate template =
                new RedisLockTemplate(StandaloneServer.connectionFactory(port), Templates.PREFIX, Templates.IMPATIENT);
        template.start();
        Templates.warmUp(template);
        History history = History.open(Path.of(args[1]), args[2]);
        HistoryChild child = new HistoryChild(new RecordedLocks(template, history), port);
        ChildRequests.serve(child::answer);
    }

    private String answer(Request request) {
        return switch (request.name()) {
            case "clock" -> Long.toString(System.nanoTime());
            case "work" -> work(new Random(request.number(0)));
            case "turns" -> Integer.toString(turns.get());
            case "keep" -> keep(request.text(0));
            case "stop" -> Boolean.toString(over.getAndSet(true));
            default -> throw new IllegalArgumentException(request.name());
        };
    }

    private String keep(String name) {
        kept.add(locks.acquire(LockRequest.of(name).lease(LEASE).waitForever()));
        return "kept";
    }

    private String work(Random random) {
        int mine = 0;
        try (RespClient redis = RespClient.connect(port)) {
            while (!over.get()) {
                mine += attempt(redis, random) ? 1 : 0;
            }
        }
        return Integer.toString(mine);
    }

    private boolean attempt(RespClient redis, Random random) {
        String name = NAMES.get(random.nextInt(NAMES.size()));
        LockRequest request = LockRequest.of(name).lease(LEASE).waitUpTo(Duration.ofMillis(random.nextInt(1_000)));
        try (RecordedHandle handle = locks.acquire(request)) {
            handle.count(() -> count(redis, "counter:" + name, random));
            handle.fencedWrite(() -> FencedStore.write(redis, "store:" + name, handle.fencingToken()));
            if (random.nextInt(10) == 0) {
                locks.acquire(request).close();
            }
            turns.incrementAndGet();
            return true;
        } catch (DistributedLockException e) {
            return false;
        }
    }

    /** Safe under the lock only. */
    private static void count(RespClient redis, String counter, Random random) {
        long read = Long.parseLong(redis.text("GET", counter));
        for (int more = random.nextInt(4); more > 0; more--) {
            redis.text("PING");
        }
        redis.call("SET", counter, Long.toString(read + 1));
    }
}
