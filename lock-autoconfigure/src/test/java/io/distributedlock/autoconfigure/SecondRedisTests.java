/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockListener;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.interceptor.RecordingLocks;
import io.distributedlock.redis.RedisLockTemplate;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks in two Redis servers, as docs/configuration.md shows, and methods that name theirs. */
class SecondRedisTests {

    private static EmbeddedRedis first;

    private static EmbeddedRedis second;

    @BeforeAll
    static void startServers() {
        first = EmbeddedRedis.start();
        second = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServers() {
        first.close();
        second.close();
    }

    private static List<String> keys(EmbeddedRedis redis) {
        try (RespClient client = redis.connect()) {
            return client.keys("lock:*");
        }
    }

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        DistributedLockMetricsAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.port=" + first.port(), "europe.port=" + second.port(), TestRedis.PATIENT)
                .withUserConfiguration(EuropeanLocks.class)
                .withBean(Orders.class);
    }

    @Test
    void eachMethodUsesTheLocksThatItsAnnotationNames() {
        application().withBean(SimpleMeterRegistry.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBeansOfType(RedisLockTemplate.class)).hasSize(2);
            assertThat(context.getBeanProvider(LockOperations.class).getObject())
                    .isSameAs(context.getBean("redisLockTemplate"));
            assertThat(context.getBeanProvider(LockMonitor.class).getIfUnique()).isNotNull();
            Orders orders = context.getBean(Orders.class);
            orders.here(() -> {
                assertThat(keys(first)).hasSize(1);
                assertThat(keys(second)).isEmpty();
                orders.inEurope(() -> assertThat(keys(second)).hasSize(1));
            });
            assertThat(keys(first)).isEmpty();
            assertThat(keys(second)).isEmpty();
            assertThat(context.getBean(MeterRegistry.class)
                            .get("distributed.lock.hold")
                            .tag("lock", "Orders.inEurope")
                            .timer()
                            .count())
                    .isOne();
        });
    }

    @Test
    void aFutureInsideOfAMethodWithOneNameInBothServersEntersBothLocks() {
        application().run(context -> {
            Orders orders = context.getBean(Orders.class);
            orders.inBoth(() -> enterBoth(orders));
        });
    }

    @Test
    void aFutureEntersTheLocksOfOneNameInBothServersThatATransactionKeeps() {
        application()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:servers")
                .run(context -> context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
                    Orders orders = context.getBean(Orders.class);
                    orders.here(() -> {});
                    orders.inEurope(() -> {});
                    enterBoth(orders);
                }));
    }

    private static void enterBoth(Orders orders) {
        assertThat(orders.atOnceHere()).succeedsWithin(LockedApplication.LONG).isEqualTo("here");
        assertThat(orders.atOnceInEurope())
                .succeedsWithin(LockedApplication.LONG)
                .isEqualTo("in Europe");
    }

    @Test
    void anApplicationThatNamesItsLocksNeedsNoDefault() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
                .withBean("europeanLocks", RecordingLocks.class, RecordingLocks::new)
                .withBean("otherLocks", RecordingLocks.class, RecordingLocks::new)
                .withBean(OnlyEurope.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBean(OnlyEurope.class).run();
                    assertThat(context.getBean("europeanLocks", RecordingLocks.class)
                                    .events())
                            .isNotEmpty();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class EuropeanLocks {

        @Bean(defaultCandidate = false)
        LettuceConnectionFactory europeanRedis(@Value("${europe.port}") int port) {
            return new LettuceConnectionFactory("localhost", port);
        }

        @Bean(defaultCandidate = false)
        RedisLockTemplate europeanLocks(
                @Qualifier("europeanRedis") LettuceConnectionFactory redis,
                DistributedLockProperties properties,
                ApplicationEventPublisher events,
                ObjectProvider<LockListener> listeners) {
            return new RedisLockTemplate(
                    redis,
                    "lock:",
                    properties.toSettings(),
                    events::publishEvent,
                    properties.keepUntilCompletion(),
                    () -> LockListener.allOf(listeners.orderedStream().toList()));
        }
    }

    static class Orders {

        @DistributedLocked(key = "'order'")
        public void here(Runnable body) {
            body.run();
        }

        @DistributedLocked(key = "'order'", operations = "europeanLocks")
        public void inEurope(Runnable body) {
            assertThat(LockHandle.current()).isPresent();
            body.run();
        }

        @DistributedLocked(key = "'order'")
        @DistributedLocked(key = "'order'", operations = "europeanLocks")
        public void inBoth(Runnable body) {
            body.run();
        }

        @DistributedLocked(key = "'order'", waitUpTo = "0")
        public CompletableFuture<String> atOnceHere() {
            return CompletableFuture.completedFuture("here");
        }

        @DistributedLocked(key = "'order'", operations = "europeanLocks", waitUpTo = "0")
        public CompletableFuture<String> atOnceInEurope() {
            return CompletableFuture.completedFuture("in Europe");
        }
    }

    static class OnlyEurope {

        @DistributedLocked(key = "'order'", operations = "europeanLocks")
        public void run() {}
    }
}
