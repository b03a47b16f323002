/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Subscriptions of a locked publisher that wait for a lock which another caller holds. */
public final class WaitingRun {

    /**
     * The cost of the subscriptions.
     *
     * @param bytes the bytes of heap for all of them
     * @param threads the number of threads that have been added
     */
    public record Cost(long bytes, int threads) {}

    private WaitingRun() {}

    static Cost of(int port, int count) {
        try (ConfigurableApplicationContext context = start(port)) {
            Mono<String> mono = context.getBean(Service.class).mono("waiting");
            LockRequest request = LockRequest.of(Service.NAME + ":waiting").waitForever();
            try (LockHandle held = context.getBean(LockOperations.class).acquire(request)) {
                // The first one creates the threads that exist once. Those of a pool would be added later.
                subscribe(mono, 1).forEach(Disposable::dispose);
                int threads = Thread.getAllStackTraces().size();
                // These create everything else that is created once, before the heap is measured.
                subscribe(mono, count).forEach(Disposable::dispose);
                long heap = Cpu.usedHeap();
                List<Disposable> waiting = subscribe(mono, count);
                Cost cost = new Cost(
                        Cpu.usedHeap() - heap, Thread.getAllStackTraces().size() - threads);
                waiting.forEach(Disposable::dispose);
                held.throwIfLost();
                return cost;
            }
        }
    }

    private static List<Disposable> subscribe(Mono<String> mono, int count) {
        List<Disposable> subscriptions = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            subscriptions.add(mono.subscribe());
        }
        return subscriptions;
    }

    private static ConfigurableApplicationContext start(int port) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(Map.of(
                        "spring.data.redis.host", "127.0.0.1",
                        "spring.data.redis.port", port,
                        "distributed-lock.wait", "-1s"))
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Service service() {
            return new Service();
        }
    }

    static class Service {

        static final String NAME = "service";

        @DistributedLocked(name = NAME, key = "#key")
        public Mono<String> mono(String key) {
            return Mono.just(key);
        }
    }
}
