/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.awaitility.Awaitility.await;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.testing.ChildRequests;
import io.distributedlock.testing.ChildRequests.Request;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** An application whose locked methods end in every way that there is. The argument is the port of Redis. */
final class ProcessEndChild {

    private final Locked locked;

    private final RespClient redis;

    private ProcessEndChild(Locked locked, RespClient redis) {
        this.locked = locked;
        this.redis = redis;
    }

    public static void main(String[] args) {
        PrintStream answers = System.out;
        System.setOut(System.err);
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.data.redis.port=" + args[0],
                        "distributed-lock.lease=1s",
                        "distributed-lock.command-timeout=300ms",
                        "distributed-lock.shutdown-grace=500ms")
                .run();
        System.setOut(answers);
        ProcessEndChild child =
                new ProcessEndChild(context.getBean(Locked.class), RespClient.connect(Integer.parseInt(args[0])));
        child.connect();
        ChildRequests.serve(child::answer);
    }

    /** On a busy machine, the command time-out may be too short for the first connection. */
    private void connect() {
        await().atMost(Noise.patience())
                .pollInSameThread()
                .ignoreException(LockUnavailableException.class)
                .until(() -> {
                    locked.run(() -> {});
                    return true;
                });
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        DataRedisAutoConfiguration.class,
        DistributedLockAutoConfiguration.class
    })
    static class Application {

        @Bean
        Locked locked() {
            return new Locked();
        }
    }

    static class Locked {

        @DistributedLocked(name = "ending", key = "'1'", waitUpTo = "10s")
        void run(Runnable body) {
            body.run();
        }
    }

    private String answer(Request request) {
        return switch (request.name()) {
            case "throw" ->
                endOf(() -> {
                    throw new IllegalStateException("on purpose");
                });
            case "overflow" -> endOf(() -> overflow(0));
            case "overflow-in-locks" -> endOf(() -> deeper(request.number(0), this::overflowInLocks));
            case "allocate" -> endOf(() -> System.err.println(new long[Integer.MAX_VALUE].length));
            case "exhaust" -> endOf(ProcessEndChild::exhaust);
            case "throw-when-lost" ->
                endOf(() -> {
                    redis.call("DEL", "lock:{ending:1}");
                    throw new IllegalStateException("on purpose");
                });
            case "throw-when-silent" ->
                endOf(() -> {
                    redis.call("CLIENT", "PAUSE", "800", "ALL");
                    throw new IllegalStateException("on purpose");
                });
            case "exit" -> endOf(() -> System.exit(3));
            case "halt" -> endOf(() -> Runtime.getRuntime().halt(4));
            case "run" -> endOf(() -> {});
            case "hold" -> endOf(ProcessEndChild::holdUntilInterrupted);
            default -> throw new IllegalArgumentException(request.name());
        };
    }

    /**
     * What the caller gets, what is suppressed in it, how long after the end of the body, and whether the key is gone.
     */
    private String endOf(Runnable body) {
        long[] ended = new long[1];
        Throwable thrown = null;
        try {
            locked.run(() -> {
                try {
                    body.run();
                } finally {
                    ended[0] = System.nanoTime();
                }
            });
        } catch (Throwable e) {
            thrown = e;
        }
        long micros = (System.nanoTime() - ended[0]) / 1_000;
        String suppressed =
                thrown == null || thrown.getSuppressed().length == 0 ? "-" : name(thrown.getSuppressed()[0]);
        return (thrown == null ? "-" : name(thrown)) + " " + suppressed + " " + micros;
    }

    /** With the message if a class is missing, which names the class. */
    private static String name(Throwable thrown) {
        String name = thrown.getClass().getSimpleName();
        return thrown instanceof LinkageError
                ? name + ":" + String.valueOf(thrown.getMessage()).replace(' ', '_')
                : name;
    }

    private static void overflow(int depth) {
        if (depth >= 0) {
            overflow(depth + 1);
        }
        System.err.print("");
    }

    /** Enters again, through the proxy, until there is no stack left: somewhere in the locks themselves. */
    private void overflowInLocks() {
        locked.run(this::overflowInLocks);
    }

    /** So that the stack ends elsewhere each time. */
    private static void deeper(long frames, Runnable body) {
        if (frames > 0) {
            deeper(frames - 1, body);
        } else {
            body.run();
        }
    }

    private static void exhaust() {
        List<long[]> garbage = new ArrayList<>();
        for (int size = 1 << 20; ; ) {
            try {
                garbage.add(new long[size]);
            } catch (OutOfMemoryError e) {
                if (size < 16) {
                    throw e;
                }
                size /= 2;
            }
        }
    }

    private static void holdUntilInterrupted() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
