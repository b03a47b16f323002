/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.RedisCacheManagerBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisRepositoriesAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.repository.CrudRepository;

/**
 * What Spring Boot does besides locks because Spring Data Redis is there now is logged, unless the application has
 * decided it.
 */
@ExtendWith(OutputCaptureExtension.class)
class StarterSideEffectsWarningTests {

    private static final String MOVED = "Caches of this application are in Redis";

    private static final String STRICT = "Spring Data looks for repositories in Redis too";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DataRedisRepositoriesAutoConfiguration.class,
                    CacheAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class))
            .withUserConfiguration(Repositories.class)
            .withPropertyValues("spring.data.redis.port=1");

    @Test
    void warnsThatCachesHaveMoved(CapturedOutput output) {
        runner.withUserConfiguration(Caching.class)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisCacheManager.class));
        assertThat(output).contains(MOVED).contains("Set spring.cache.type=caffeine");
    }

    @ParameterizedTest
    @ValueSource(strings = {"caffeine", "redis", "none"})
    void doesNotWarnIfThePropertyIsSet(String type, CapturedOutput output) {
        runner.withUserConfiguration(Caching.class)
                .withPropertyValues("spring.cache.type=" + type)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(CacheManager.class));
        assertThat(output).doesNotContain(MOVED);
    }

    /** Spring Boot would have them in memory. */
    @Test
    void warnsThatCachesWithoutAnotherProviderHaveMoved(CapturedOutput output) {
        runner.withUserConfiguration(Caching.class)
                .withClassLoader(new FilteredClassLoader("com.github.benmanes"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisCacheManager.class));
        assertThat(output).contains(MOVED).contains("in memory. Set spring.cache.type=simple");
    }

    @Test
    void doesNotWarnOfCachesInRedisThatTheApplicationConfigures(CapturedOutput output) {
        ApplicationContextRunner caching = runner.withUserConfiguration(Caching.class);
        List.of(
                        caching.withPropertyValues("spring.cache.redis.time-to-live=10m"),
                        caching.withBean(RedisCacheConfiguration.class, RedisCacheConfiguration::defaultCacheConfig),
                        caching.withBean(RedisCacheManagerBuilderCustomizer.class, () -> builder -> {}))
                .forEach(each ->
                        each.run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisCacheManager.class)));
        assertThat(output).doesNotContain(MOVED);
    }

    @Test
    void doesNotWarnOfApplicationsWithoutCaches(CapturedOutput output) {
        runner.run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(MOVED).doesNotContain(STRICT);
    }

    @Test
    void warnsThatRepositoriesAreLookedForInRedis(CapturedOutput output, @TempDir Path directory) throws Exception {
        try (URLClassLoader withModule = withOtherModule(directory)) {
            runner.withClassLoader(withModule)
                    .run(context -> assertThat(context).hasNotFailed());
        }
        assertThat(output).contains(STRICT).contains("Set spring.data.redis.repositories.enabled=false");
    }

    /** Such as the one that needs the repository that was not found. */
    @Test
    void warnsBeforeABeanFailsTheStart(CapturedOutput output, @TempDir Path directory) throws Exception {
        try (URLClassLoader withModule = withOtherModule(directory)) {
            runner.withClassLoader(withModule)
                    .withBean(NeedsARepository.class)
                    .run(context -> assertThat(context).hasFailed());
        }
        assertThat(output).contains(STRICT).contains("annotate its entities");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void doesNotWarnOfRepositoriesIfThePropertyIsSet(boolean enabled, CapturedOutput output, @TempDir Path directory)
            throws Exception {
        try (URLClassLoader withModule = withOtherModule(directory)) {
            runner.withClassLoader(withModule)
                    .withPropertyValues("spring.data.redis.repositories.enabled=" + enabled)
                    .run(context -> assertThat(context).hasNotFailed());
        }
        assertThat(output).doesNotContain(STRICT);
    }

    @Test
    void doesNotWarnOfRepositoriesWithoutAnotherModule(CapturedOutput output) {
        runner.run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(STRICT);
    }

    /** As the jar of a Spring Data module has it. */
    private URLClassLoader withOtherModule(Path directory) throws Exception {
        Path factories = directory.resolve("META-INF/spring.factories");
        Files.createDirectories(factories.getParent());
        Files.writeString(
                factories,
                "org.springframework.data.repository.core.support.RepositoryFactorySupport="
                        + "org.springframework.data.jpa.repository.support.JpaRepositoryFactory");
        return new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, getClass().getClassLoader());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Caching {}

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackages = "io.distributedlock.no.such.place")
    static class Repositories {}

    record NeedsARepository(CrudRepository<Object, Long> repository) {}
}
