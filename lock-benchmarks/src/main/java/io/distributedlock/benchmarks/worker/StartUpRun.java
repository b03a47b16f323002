/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import java.util.List;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** The start of an application in a JVM that has started none before. */
final class StartUpRun {

    private static final int CLASSES = 100;

    private static final int METHODS = 10;

    private StartUpRun() {}

    /** The time it took, in nanoseconds. */
    static long nanos(int port, boolean locked) {
        GeneratedServices loader = new GeneratedServices(locked);
        List<Class<?>> services = loader.define(CLASSES, METHODS);
        long since = System.nanoTime();
        try (ConfigurableApplicationContext context = start(port, loader, services)) {
            return System.nanoTime() - since;
        }
    }

    private static ConfigurableApplicationContext start(int port, ClassLoader loader, List<Class<?>> services) {
        return new SpringApplicationBuilder(new DefaultResourceLoader(loader), Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(Map.of("spring.data.redis.host", "127.0.0.1", "spring.data.redis.port", port))
                .initializers(
                        context -> services.forEach(type -> ((GenericApplicationContext) context).registerBean(type)))
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
