/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import io.distributedlock.annotation.DistributedLocked;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The lock of this library as most applications use it: an annotated method of a bean, configured by Spring Boot. */
final class AnnotatedContender implements Contender {

    private final ConfigurableApplicationContext context;

    private final LockedService service;

    /** @param metered whether there is a meter registry, so that every call is measured */
    AnnotatedContender(int port, boolean metered) {
        Class<?>[] sources =
                metered ? new Class<?>[] {Application.class, Metered.class} : new Class<?>[] {Application.class};
        context = new SpringApplicationBuilder(sources)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(Map.of(
                        "spring.data.redis.host", "127.0.0.1",
                        "spring.data.redis.port", port,
                        "distributed-lock.wait", "-1s"))
                .run();
        service = context.getBean(LockedService.class);
    }

    @Override
    public Held acquire(String name) {
        throw new UnsupportedOperationException("An annotated method has no handle to keep");
    }

    @Override
    public void run(String name, Runnable section) {
        service.run(name, section);
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        LockedService lockedService() {
            return new LockedService();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Metered {

        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }
    }

    static class LockedService {

        @DistributedLocked(key = "#name")
        public void run(String name, Runnable section) {
            section.run();
        }
    }
}
