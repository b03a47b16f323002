/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** The start of an application in a JVM that has started none before. */
public final class StartUpRun {

    private static final int CLASSES = 100;

    private static final int METHODS = 10;

    private StartUpRun() {}

    /** The methods of the application's beans. */
    enum Services {
        PLAIN,
        /** With an advice of Spring that does nothing: the cost of the proxies alone. */
        PROXIED,
        LOCKED
    }

    /**
     * The cost of a start.
     *
     * @param nanos the time from the begin to the end
     * @param cpuNanos the CPU time of the thread that starts the application, to which no other load on the machine
     *     adds
     */
    public record Cost(long nanos, long cpuNanos) {}

    static Cost of(int port, Services kind) {
        GeneratedServices loader = new GeneratedServices(kind == Services.LOCKED);
        List<Class<?>> services = loader.define(CLASSES, METHODS);
        long since = System.nanoTime();
        long cpuSince = Cpu.nanosOfThread();
        try (ConfigurableApplicationContext context = start(port, loader, services, kind == Services.PROXIED)) {
            return new Cost(System.nanoTime() - since, Cpu.nanosOfThread() - cpuSince);
        }
    }

    private static ConfigurableApplicationContext start(
            int port, ClassLoader loader, List<Class<?>> services, boolean proxied) {
        return new SpringApplicationBuilder(new DefaultResourceLoader(loader), Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(Map.of("spring.data.redis.host", "127.0.0.1", "spring.data.redis.port", port))
                .initializers(context -> {
                    GenericApplicationContext beans = (GenericApplicationContext) context;
                    services.forEach(type -> beans.registerBean(type));
                    if (proxied) {
                        beans.registerBean(
                                Advisor.class,
                                () -> doingNothing(Set.copyOf(services)),
                                definition -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
                    }
                })
                .run();
    }

    private static Advisor doingNothing(Set<Class<?>> services) {
        NameMatchMethodPointcut methods = new NameMatchMethodPointcut();
        methods.setMappedName("method*");
        methods.setClassFilter(services::contains);
        return new DefaultPointcutAdvisor(methods, (MethodInterceptor) MethodInvocation::proceed);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
