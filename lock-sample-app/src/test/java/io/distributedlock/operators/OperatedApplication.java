/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.operators;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.testing.ChildRequests;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with the endpoint, in a JVM of its own. Its callers are the lanes of its requests. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class OperatedApplication {

    private static final long LIMIT_SECONDS = 60;

    /** Has a locked method. */
    static class Work {

        private final Map<String, CountDownLatch> ends = new ConcurrentHashMap<>();

        @DistributedLocked(key = "#name")
        void run(String name) throws InterruptedException {
            if (!end(name).await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The test has not ended " + name);
            }
        }

        CountDownLatch end(String name) {
            return ends.computeIfAbsent(name, each -> new CountDownLatch(1));
        }
    }

    /** A hold of a lane, and whether it has been notified of the loss. */
    private record Kept(LockHandle handle, CountDownLatch lost) {}

    @Bean
    Work work() {
        return new Work();
    }

    public static void main(String[] arguments) {
        // The standard output is for replies; the log of the start goes elsewhere.
        PrintStream replies = System.out;
        System.setOut(System.err);
        ConfigurableApplicationContext context = new SpringApplicationBuilder(OperatedApplication.class).run(arguments);
        System.setOut(replies);
        LockOperations locks = context.getBean(LockOperations.class);
        Work work = context.getBean(Work.class);
        Map<String, Deque<Kept>> holds = new ConcurrentHashMap<>();
        ChildRequests.serve(request -> {
            String name = request.text(0);
            String hold = request.lane() + " " + name;
            switch (request.name()) {
                case "property" -> {
                    return context.getEnvironment().getRequiredProperty(name);
                }
                case "trace" -> MDC.put("traceId", name);
                case "acquire" -> {
                    LockHandle handle = locks.acquire(request(request));
                    CountDownLatch lost = new CountDownLatch(1);
                    handle.onLost(lost::countDown);
                    holds.computeIfAbsent(hold, each -> new ArrayDeque<>()).push(new Kept(handle, lost));
                    return "" + handle.fencingToken();
                }
                case "lost" -> {
                    return lossOf(holds.get(hold).pop());
                }
                case "close" -> holds.get(hold).pop().handle().close();
                case "run" -> work.run(name);
                case "end" -> work.end(name).countDown();
                default -> throw new IllegalArgumentException(request.name());
            }
            return "";
        });
    }

    /** Arguments: name, lease, wait (negative without a limit), mode, explicit owner or nothing. */
    private static LockRequest request(ChildRequests.Request request) {
        LockRequest described = LockRequest.of(request.text(0))
                .lease(Duration.parse(request.text(1)))
                .waitUpTo(Duration.parse(request.text(2)))
                .mode(LockMode.valueOf(request.text(3)));
        return request.text(4).isEmpty() ? described : described.owner(request.text(4));
    }

    private static String lossOf(Kept kept) throws InterruptedException {
        if (!kept.lost().await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("The hold was not lost");
        }
        try {
            kept.handle().close();
            throw new IllegalStateException("The hold was closed as if nothing had happened");
        } catch (LockLostException ex) {
            return ex.lockName();
        }
    }
}
