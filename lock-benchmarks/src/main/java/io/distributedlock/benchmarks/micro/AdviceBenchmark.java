/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.micro;

import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The cost of the annotation alone: the locks behind it do nothing. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AdviceBenchmark {

    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Application.class);

    private final Service service = context.getBean(Service.class);

    private final Service plain = new Service();

    private final Order order = new Order("4711");

    @TearDown
    public void close() {
        context.close();
    }

    @Benchmark
    public int plainCall() {
        return plain.byExpression(order);
    }

    @Benchmark
    public int advisedWithoutKey() {
        return service.withoutKey(order);
    }

    @Benchmark
    public int advisedByParameter() {
        return service.byParameter(order.id());
    }

    @Benchmark
    public int advisedByExpression() {
        return service.byExpression(order);
    }

    record Order(String id) {}

    static class Service {

        @DistributedLocked
        public int withoutKey(Order order) {
            return order.id().length();
        }

        @DistributedLocked(key = "#id")
        public int byParameter(String id) {
            return id.length();
        }

        @DistributedLocked(key = "'order:' + #order.id")
        public int byExpression(Order order) {
            return order.id().length();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
    static class Application {

        @Bean
        LockOperations lockOperations() {
            return NoOperations.INSTANCE;
        }

        @Bean
        Service service() {
            return new Service();
        }
    }
}
