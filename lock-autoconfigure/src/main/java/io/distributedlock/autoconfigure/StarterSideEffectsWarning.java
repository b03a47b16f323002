/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.logging.SafeLog;
import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.core.io.UrlResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Warns if Spring Boot has changed more than locks because the starter adds Spring Data Redis, without a setting that
 * confirms it: caches that are now in Redis, and repositories that are assigned strictly.
 */
final class StarterSideEffectsWarning implements BeanFactoryPostProcessor {

    private static final Log log = SafeLog.of(StarterSideEffectsWarning.class);

    private static final String BOOT_CACHES = "org.springframework.boot.cache.autoconfigure.RedisCacheConfiguration";

    private static final String BOOT_REPOSITORIES =
            "org.springframework.boot.data.redis.autoconfigure.DataRedisRepositoriesAutoConfiguration";

    private static final String REDIS_REPOSITORY =
            "org.springframework.data.redis.repository.support.RedisRepositoryFactoryBean";

    private static final String REPOSITORY_FACTORIES =
            "org.springframework.data.repository.core.support.RepositoryFactorySupport";

    /** A bean of these types shows that the application wants its caches in Redis. */
    private static final List<String> REDIS_CACHE_BEANS = List.of(
            "org.springframework.data.redis.cache.RedisCacheConfiguration",
            "org.springframework.boot.cache.autoconfigure.RedisCacheManagerBuilderCustomizer");

    /** The caches that Spring Boot would choose without Redis, and the values of the property for them. */
    private static final List<String> CACHES =
            List.of("com.github.benmanes.caffeine.cache.Caffeine", "org.cache2k.Cache2kBuilder");

    private static final List<String> CACHE_TYPES = List.of("caffeine", "cache2k");

    private final Environment environment;

    StarterSideEffectsWarning(Environment environment) {
        this.environment = environment;
    }

    /** Before any bean is created, since a repository that is not found fails the start of the application. */
    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        ClassLoader loader = loaderOf(beans);
        if (isMadeBy(BOOT_CACHES, beans) && !wantsCachesInRedis(beans, loader)) {
            String cache = otherCache(loader);
            log.warn("Caches of this application are in Redis, since Spring Boot prefers it and lock-starter adds it."
                    + " Without it, they would be in "
                    + (cache == null ? "memory" : cache + ", which is on the class path")
                    + ". Set spring.cache.type="
                    + (cache == null ? "simple" : cache)
                    + " to have them there, or spring.cache.type=redis to keep them in Redis.");
        }
        if (beans.containsBeanDefinition(BOOT_REPOSITORIES)
                && !environment.containsProperty("spring.data.redis.repositories.enabled")
                && hasOtherRepositories(loader)
                && !hasBeanOf(REDIS_REPOSITORY, beans)) {
            log.warn("Spring Data looks for repositories in Redis too, since lock-starter adds it, and there are"
                    + " none. Set spring.data.redis.repositories.enabled=false. With several Spring Data"
                    + " modules, a repository that does not declare its module is not found: annotate its"
                    + " entities (@Entity, @Table, @Document), or extend an interface of the module"
                    + " (JpaRepository).");
        }
    }

    private boolean wantsCachesInRedis(ConfigurableListableBeanFactory beans, ClassLoader loader) {
        return environment.containsProperty("spring.cache.type")
                || Binder.get(environment)
                        .bind("spring.cache.redis", Bindable.mapOf(String.class, Object.class))
                        .isBound()
                || REDIS_CACHE_BEANS.stream().anyMatch(type -> hasBean(type, beans, loader));
    }

    private static boolean hasBean(String type, ConfigurableListableBeanFactory beans, ClassLoader loader) {
        return ClassUtils.isPresent(type, loader)
                && beans.getBeanNamesForType(ClassUtils.resolveClassName(type, loader), true, false).length > 0;
    }

    /** That Spring Boot would choose without Redis; null for its own caches in memory. */
    private static @Nullable String otherCache(ClassLoader loader) {
        for (int i = 0; i < CACHES.size(); i++) {
            if (ClassUtils.isPresent(CACHES.get(i), loader)) {
                return CACHE_TYPES.get(i);
            }
        }
        return null;
    }

    private static boolean isMadeBy(String configuration, ConfigurableListableBeanFactory beans) {
        return definitions(beans)
                .anyMatch(name ->
                        configuration.equals(beans.getBeanDefinition(name).getFactoryBeanName()));
    }

    private static boolean hasBeanOf(String type, ConfigurableListableBeanFactory beans) {
        return definitions(beans)
                .anyMatch(name -> type.equals(beans.getBeanDefinition(name).getBeanClassName()));
    }

    private static Stream<String> definitions(ListableBeanFactory beans) {
        return Stream.of(beans.getBeanDefinitionNames());
    }

    /** By the list that activates the strict mode of Spring Data. */
    private static boolean hasOtherRepositories(ClassLoader loader) {
        try {
            for (URL each : Collections.list(loader.getResources("META-INF/spring.factories"))) {
                String factories = PropertiesLoaderUtils.loadProperties(new UrlResource(each))
                        .getProperty(REPOSITORY_FACTORIES, "");
                if (StringUtils.commaDelimitedListToSet(factories).stream()
                        .anyMatch(StarterSideEffectsWarning::isOther)) {
                    return true;
                }
            }
        } catch (IOException ex) {
            log.debug("Cannot look for Spring Data modules", ex);
        }
        return false;
    }

    private static boolean isOther(String factory) {
        return !factory.startsWith("org.springframework.data.redis.")
                && !factory.startsWith("org.springframework.data.keyvalue.");
    }

    private static ClassLoader loaderOf(ConfigurableListableBeanFactory beans) {
        ClassLoader loader = beans.getBeanClassLoader();
        return loader == null ? StarterSideEffectsWarning.class.getClassLoader() : loader;
    }
}
