/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.lettuce.core.resource.Delay;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;

/** The sample's own Redis, which a real application does not need, and the subscriptions to announcements. */
@Configuration(proxyBeanMethods = false)
class RedisConfiguration {

    private static final Log log = LogFactory.getLog(RedisConfiguration.class);

    @Bean
    RedisMessageListenerContainer saleAnnouncements(
            RedisConnectionFactory connections, Tills tills, Drills drills, Instances instances) {
        RedisMessageListenerContainer container = new RedisMessageListenerContainer();
        container.setConnectionFactory(connections);
        container.setRecoveryInterval(1000);
        container.setErrorHandler(
                ex -> log.warn("This instance could not finish its part of a sale: " + ex.getMessage()));
        container.addMessageListener(
                (message, pattern) ->
                        tills.serveAll(Sale.valueOf(new String(message.getBody(), StandardCharsets.UTF_8))),
                ChannelTopic.of(Sales.CHANNEL));
        container.addMessageListener(
                (message, pattern) -> drills.announced(new String(message.getBody(), StandardCharsets.UTF_8)),
                ChannelTopic.of(Drills.CHANNEL));
        container.addMessageListener((message, pattern) -> {}, ChannelTopic.of(instances.ownChannel()));
        return container;
    }

    /** Reconnects as fast as the connections of the locks do. By default, Lettuce waits up to 30 s. */
    @Bean
    ClientResourcesBuilderCustomizer fastReconnect() {
        return resources -> resources.reconnectDelay(Delay.constant(Duration.ofSeconds(1)));
    }

    /** Does not apply if {@code spring.data.redis} names a Redis. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(NoRedisNamed.class)
    static class Embedded {

        private static final Duration TIMEOUT_OF_SEVERAL_SERVERS = Duration.ofSeconds(3);

        @Bean
        SharedRedis sharedRedis(ShopProperties properties) {
            return SharedRedis.of(properties.redis(), properties.redisPort());
        }

        /** A busy machine needs a moment to open the connections to several servers. */
        @Bean
        LettuceClientConfigurationBuilderCustomizer timeoutOfSeveralServers(ShopProperties properties) {
            return client -> {
                if (properties.redis() != RedisShape.SINGLE) {
                    client.commandTimeout(TIMEOUT_OF_SEVERAL_SERVERS);
                }
            };
        }

        @Bean
        DataRedisConnectionDetails redisConnectionDetails(SharedRedis redis) {
            return redis.connectionDetails();
        }
    }
}
