package io.distributedlock.autoconfigure;

import io.distributedlock.LockOperations;
import io.distributedlock.redis.RedisLockTemplate;
import io.lettuce.core.RedisClient;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Locks in the Redis of the application. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({RedisClient.class, LettuceConnectionFactory.class})
@ConditionalOnMissingBean(LockOperations.class)
class RedisLockConfiguration {

    /** Never lazy: it is started with the application, and what is missing is said at the start. */
    @Bean
    @Lazy(false)
    RedisLockTemplate redisLockTemplate(
            ObjectProvider<RedisConnectionFactory> connections,
            DistributedLockProperties properties,
            ApplicationEventPublisher publisher) {
        return new RedisLockTemplate(
                lettuce(connections),
                properties.keyPrefix(),
                properties.toSettings(),
                publisher::publishEvent,
                properties.keepUntilCompletion());
    }

    private static LettuceConnectionFactory lettuce(ObjectProvider<RedisConnectionFactory> connections) {
        RedisConnectionFactory candidate = single(connections);
        if (candidate instanceof LettuceConnectionFactory lettuce) {
            return lettuce;
        }
        throw candidate == null
                ? LocksUnusableException.noConnectionFactory()
                : LocksUnusableException.notLettuce(candidate.getClass());
    }

    private static @Nullable RedisConnectionFactory single(ObjectProvider<RedisConnectionFactory> connections) {
        try {
            return connections.getIfAvailable();
        } catch (NoUniqueBeanDefinitionException ex) {
            throw LocksUnusableException.ambiguous(String.valueOf(ex.getBeanNamesFound()));
        }
    }
}
