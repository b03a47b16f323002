/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TestLength;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.data.redis.core.StringRedisTemplate;

class NamedRedisTests {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withUserConfiguration(OnlyIfNoneIsNamed.class);

    @Tag(TestLength.FULL)
    @Test
    void usesTheRedisThatIsNamed() {
        try (EmbeddedRedis existing = EmbeddedRedis.start();
                RunningShop shop = RunningShop.start("a", "spring.data.redis.url=" + existing.uri())) {
            assertThat(shop.context().getBeanProvider(SharedRedis.class).stream())
                    .isEmpty();
            assertThat(shop.run(Sale.WITH_LOCK).sold()).isEqualTo(100);
            StringRedisTemplate redis = shop.context().getBean(StringRedisTemplate.class);
            assertThat(redis.getRequiredConnectionFactory()
                            .getConnection()
                            .serverCommands()
                            .info("server"))
                    .containsEntry("tcp_port", "" + existing.port());
        }
    }

    @Tag(TestLength.FULL)
    @Test
    void leavesNoKeysInARedisThatIsNotItsOwn() {
        try (EmbeddedRedis existing = EmbeddedRedis.start();
                RespClient redis = existing.connect()) {
            try (RunningShop first = RunningShop.start("a", "spring.data.redis.url=" + existing.uri())) {
                RunningShop.start("b", "spring.data.redis.url=" + existing.uri())
                        .close();
                assertThat(first.run(Sale.WITH_LOCK).sold()).isEqualTo(100);
                assertThat(redis.keys("*")).contains("shop:product:teapot");
            }
            assertThat(redis.keys("*")).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "host, localhost",
        "port, 6379",
        "url, redis://localhost",
        "sentinel.nodes, a:1",
        "cluster.nodes, 'a:1,b:2'",
        "cluster.nodes[0], a:1"
    })
    void aPropertyNamesARedis(String property, String value) {
        runner.withPropertyValues("spring.data.redis." + property + "=" + value)
                .run(context -> assertThat(context).doesNotHaveBean("embedded"));
    }

    @ParameterizedTest
    @CsvSource({"SPRING_DATA_REDIS_HOST, localhost", "SPRING_DATA_REDIS_URL, redis://localhost"})
    void anEnvironmentVariableNamesARedis(String variable, String value) {
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(
                                new SystemEnvironmentPropertySource("test-systemEnvironment", Map.of(variable, value))))
                .run(context -> assertThat(context).doesNotHaveBean("embedded"));
    }

    @Test
    void settingsWithoutAPlaceNameNoRedis() {
        runner.withPropertyValues("spring.data.redis.timeout=1s", "spring.data.redis.client-name=shop")
                .run(context -> assertThat(context).hasBean("embedded"));
    }

    @Configuration(proxyBeanMethods = false)
    @Conditional(NoRedisNamed.class)
    static class OnlyIfNoneIsNamed {

        @Bean
        String embedded() {
            return "embedded";
        }
    }
}
