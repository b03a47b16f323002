/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.ChildRequests;
import io.distributedlock.testing.ChildRequests.Request;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An instance in a JVM of its own. Requests of the same lane are made by the same thread. */
final class LockChild {

    private final LockOperations locks;

    private final RespClient redis;

    private final Map<String, LockHandle> handles = new ConcurrentHashMap<>();

    /** How many of a crowd have come. */
    private final AtomicInteger crowd = new AtomicInteger();

    private LockChild(LockOperations locks, RespClient redis) {
        this.locks = locks;
        this.redis = redis;
    }

    /** The arguments are the port of Redis and, if they are there, the retention in milliseconds and a label. */
    public static void main(String[] args) {
        int port = Integer.parseInt(args[0]);
        LettuceConnectionFactory factory = StandaloneServer.connectionFactory(port);
        Duration retention = args.length > 1 ? Duration.ofMillis(Long.parseLong(args[1])) : Duration.ZERO;
        RedisLockTemplate template =
                new RedisLockTemplate(factory, Templates.PREFIX, Templates.SETTINGS.withRetention(retention));
        if (args.length > 2) {
            template.label(() -> args[2]);
        }
        template.start();
        LockChild child = new LockChild(template, RespClient.connect(port));
        Templates.warmUp(template);
        ChildRequests.serve(child::answer);
    }

    private String answer(Request request) {
        return switch (request.name()) {
            case "acquire" -> acquire(request.text(0), request.number(1));
            case "close" -> close(request.text(0));
            case "clock" -> Long.toString(System.currentTimeMillis());
            case "held" -> Boolean.toString(handle(request.text(0)).isHeld());
            case "count" -> count(request.text(0), request.number(1));
            case "work" -> workUntilLost(request.text(0));
            case "crowd" -> crowd(request.text(0), (int) request.number(1), request.number(2));
            case "crowded" -> Integer.toString(crowd.get());
            case "write" -> Boolean.toString(write(handle(request.text(0))));
            default -> throw new IllegalArgumentException(request.name());
        };
    }

    private LockHandle handle(String name) {
        LockHandle handle = handles.get(name);
        if (handle == null) {
            throw new IllegalStateException("No handle of " + name);
        }
        return handle;
    }

    private String acquire(String name, long leaseMillis) {
        LockRequest request = LockRequest.of(name).lease(Duration.ofMillis(leaseMillis));
        LockHandle handle = locks.acquire(request.waitUpTo(Duration.ofSeconds(30)));
        handles.put(name, handle);
        return Long.toString(handle.fencingToken());
    }

    private String close(String name) {
        handle(name).close();
        return "closed";
    }

    /** Reads a counter, and writes it one round trip later: safe under the lock only. */
    private String count(String name, long times) {
        for (long i = 0; i < times; i++) {
            try (LockHandle handle = locks.acquire(LockRequest.of(name).waitForever())) {
                long read = Long.parseLong(redis.text("GET", "counter"));
                redis.text("PING");
                redis.call("SET", "counter", Long.toString(read + 1));
                handle.throwIfLost();
            }
        }
        return Long.toString(times);
    }

    /** Writes as long as it believes to hold the lock. Returns when it noticed the loss, and its writes. */
    private String workUntilLost(String name) {
        LockHandle handle = handle(name);
        int accepted = 0;
        int refused = 0;
        try {
            while (true) {
                handle.throwIfLost();
                if (write(handle)) {
                    accepted++;
                } else {
                    refused++;
                }
            }
        } catch (LockLostException e) {
            return System.nanoTime() + " " + accepted + " " + refused;
        }
    }

    /** So many threads want the lock once each, and write while they have it. Returns what became of each of them. */
    private String crowd(String name, int size, long leaseMillis) {
        LockRequest request =
                LockRequest.of(name).lease(Duration.ofMillis(leaseMillis)).waitForever();
        return Stream.generate(() -> Background.supply(() -> member(request))).limit(size).toList().stream()
                .map(CompletableFuture::join)
                .collect(Collectors.joining(" "));
    }

    /**
     * When it had the lock, with which token, and whether its write was accepted; none if it did not believe to hold
     * it.
     */
    private String member(LockRequest request) {
        crowd.incrementAndGet();
        LockHandle handle = locks.acquire(request);
        long granted = System.nanoTime();
        String turn = granted + ":" + handle.fencingToken() + ":" + (handle.isHeld() && write(handle));
        try {
            handle.close();
        } catch (LockReleaseUnconfirmedException e) {
            // The reply came too late on a busy machine. The release is repeated.
        }
        return turn;
    }

    private boolean write(LockHandle handle) {
        return FencedStore.write(redis, handle.fencingToken());
    }
}
