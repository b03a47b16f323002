/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.core.io.UrlResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Warns if Spring Boot has changed more than locks because the starter adds Spring Data Redis, without a setting that
 * confirms it: caches that are now in Redis, and repositories that are assigned strictly.
 */
final class StarterSideEffects implements SmartInitializingSingleton {

    private static final Log log = LogFactory.getLog(StarterSideEffects.class);

    private static final String BOOT_CACHES = "org.springframework.boot.cache.autoconfigure.RedisCacheConfiguration";

    private static final String BOOT_REPOSITORIES =
            "org.springframework.boot.data.redis.autoconfigure.DataRedisRepositoriesAutoConfiguration";

    private static final String REDIS_REPOSITORY =
            "org.springframework.data.redis.repository.support.RedisRepositoryFactoryBean";

    private static final String REPOSITORY_FACTORIES =
            "org.springframework.data.repository.core.support.RepositoryFactorySupport";

    /** The caches that Spring Boot would choose without Redis, and the values of the property for them. */
    private static final List<String> CACHES =
            List.of("com.github.benmanes.caffeine.cache.Caffeine", "org.cache2k.Cache2kBuilder");

    private static final List<String> CACHE_TYPES = List.of("caffeine", "cache2k");

    private final ConfigurableListableBeanFactory beans;

    private final Environment environment;

    StarterSideEffects(ConfigurableListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    public void afterSingletonsInstantiated() {
        String cache = otherCache();
        if (cache != null && isMadeBy(BOOT_CACHES) && !environment.containsProperty("spring.cache.type")) {
            log.warn("Caches of this application are in Redis, since Spring Boot prefers it and lock-starter adds it,"
                    + " and not in " + cache + ", which is on the class path too. Set spring.cache.type="
                    + cache
                    + " to have them there, or spring.cache.type=redis to keep them in Redis.");
        }
        if (beans.containsBeanDefinition(BOOT_REPOSITORIES)
                && !environment.containsProperty("spring.data.redis.repositories.enabled")
                && hasOtherRepositories()
                && !hasBeanOf(REDIS_REPOSITORY)) {
            log.warn("Spring Data looks for repositories in Redis too, since lock-starter adds it, and there are"
                    + " none. Set spring.data.redis.repositories.enabled=false. With several Spring Data"
                    + " modules, each repository must declare its module, by the annotation of its entities"
                    + " or by its interface.");
        }
    }

    private @Nullable String otherCache() {
        for (int i = 0; i < CACHES.size(); i++) {
            if (ClassUtils.isPresent(CACHES.get(i), classLoader())) {
                return CACHE_TYPES.get(i);
            }
        }
        return null;
    }

    private boolean isMadeBy(String configuration) {
        return definitions()
                .anyMatch(name ->
                        configuration.equals(beans.getBeanDefinition(name).getFactoryBeanName()));
    }

    private boolean hasBeanOf(String type) {
        return definitions()
                .anyMatch(name -> type.equals(beans.getBeanDefinition(name).getBeanClassName()));
    }

    private Stream<String> definitions() {
        return Stream.of(beans.getBeanDefinitionNames());
    }

    /** By the list that activates the strict mode of Spring Data. */
    private boolean hasOtherRepositories() {
        try {
            for (URL each : Collections.list(classLoader().getResources("META-INF/spring.factories"))) {
                String factories = PropertiesLoaderUtils.loadProperties(new UrlResource(each))
                        .getProperty(REPOSITORY_FACTORIES, "");
                if (StringUtils.commaDelimitedListToSet(factories).stream().anyMatch(StarterSideEffects::isOther)) {
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

    private ClassLoader classLoader() {
        ClassLoader loader = beans.getBeanClassLoader();
        return loader == null ? StarterSideEffects.class.getClassLoader() : loader;
    }
}
