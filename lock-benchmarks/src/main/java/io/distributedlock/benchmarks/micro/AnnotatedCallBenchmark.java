/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.micro;

import io.distributedlock.annotation.DistributedLocked;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Annotated methods of the three kinds, 64 calls at a time, with a real Redis, and calls inside of such a call. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AnnotatedCallBenchmark {

    private static final int CALLERS = 64;

    private static final int CALLS = 20;

    private static final int NESTED = 20_000;

    private final ExecutorService threads = Executors.newFixedThreadPool(CALLERS);

    private final ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            .bannerMode(Banner.Mode.OFF)
            .logStartupInfo(false)
            .registerShutdownHook(false)
            .properties(Map.of(
                    "spring.data.redis.host", "127.0.0.1",
                    "spring.data.redis.port", Integer.getInteger(MicroRun.REDIS_PORT),
                    "distributed-lock.wait", "-1s"))
            .run();

    private final Service service = context.getBean(Service.class);

    @TearDown
    public void close() {
        threads.shutdownNow();
        context.close();
    }

    /** Advice, key and re-entry. The commands of the outer call are a negligible share. */
    @Benchmark
    @OperationsPerInvocation(NESTED)
    public void annotatedReentry() {
        service.blocking("re-entry", () -> {
            for (int i = 0; i < NESTED; i++) {
                service.blocking("re-entry", () -> {});
            }
        });
    }

    /** Whether each of the callers has a lock of its own, or all have one. */
    @State(Scope.Benchmark)
    public static class Keys {

        @Param({"own", "one"})
        public String keys = "own";

        String of(int caller) {
            return keys.equals("own") ? "own-" + caller : "one";
        }
    }

    @Benchmark
    @OperationsPerInvocation(CALLERS * CALLS)
    public void blockingCalls(Keys keys) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int caller = 0; caller < CALLERS; caller++) {
            String key = keys.of(caller);
            running.add(threads.submit(() -> {
                for (int call = 0; call < CALLS; call++) {
                    service.blocking(key, () -> {});
                }
            }));
        }
        for (Future<?> each : running) {
            each.get();
        }
    }

    @Benchmark
    @OperationsPerInvocation(CALLERS * CALLS)
    public void futureCalls(Keys keys) {
        List<CompletableFuture<?>> running = new ArrayList<>();
        for (int caller = 0; caller < CALLERS; caller++) {
            String key = keys.of(caller);
            CompletableFuture<String> chain = service.future(key);
            for (int call = 1; call < CALLS; call++) {
                chain = chain.thenCompose(done -> service.future(key));
            }
            running.add(chain);
        }
        CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).join();
    }

    @Benchmark
    @OperationsPerInvocation(CALLERS * CALLS)
    public void monoCalls(Keys keys) {
        Flux.range(0, CALLERS)
                .flatMap(caller -> service.mono(keys.of(caller)).repeat(CALLS - 1), CALLERS)
                .blockLast();
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

        @DistributedLocked(key = "#key")
        public void blocking(String key, Runnable section) {
            section.run();
        }

        @DistributedLocked(key = "#key")
        public CompletableFuture<String> future(String key) {
            return CompletableFuture.completedFuture(key);
        }

        @DistributedLocked(key = "#key")
        public Mono<String> mono(String key) {
            return Mono.just(key);
        }
    }
}
