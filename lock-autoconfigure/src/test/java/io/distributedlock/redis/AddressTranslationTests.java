/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RedisNode;
import io.distributedlock.testing.SentinelGroup;
import io.distributedlock.testing.TcpProxy;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The address that servers name leads nowhere. A resolver in the application's resources converts it. */
class AddressTranslationTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final Templates templates = new Templates();

    private ClientResources resources;

    private HostAndPort inside;

    private TcpProxy outside;

    @BeforeAll
    static void warmUpThisJvm() {
        Templates.warmUpThisJvm();
    }

    @BeforeEach
    void create() {
        resources = ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .socketAddressResolver(MappingSocketAddressResolver.create(this::translate))
                .build();
    }

    private HostAndPort translate(HostAndPort address) {
        return address.equals(inside) ? HostAndPort.of("127.0.0.1", outside.port()) : address;
    }

    @AfterEach
    void close() {
        templates.close();
        outside.close();
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }

    private RedisLockTemplate locks(RedisConfiguration target) {
        LettuceConnectionFactory application = new LettuceConnectionFactory(
                target,
                LettuceClientConfiguration.builder().clientResources(resources).build());
        application.afterPropertiesSet();
        application.start();
        return templates.on(application, Templates.PATIENT);
    }

    @Test
    void theMasterThatSentinelsNameIsReachedByItsTranslatedAddress() {
        try (SentinelGroup group = SentinelGroup.start(0)) {
            outside = TcpProxy.to(group.master().port());
            inside = HostAndPort.of("127.0.0.1", EmbeddedRedis.freePort());
            RedisSentinelConfiguration target = new RedisSentinelConfiguration().master("inside");
            for (RedisNode sentinel : group.sentinels()) {
                sentinel.text("SENTINEL", "MONITOR", "inside", "127.0.0.1", Integer.toString(inside.getPort()), "2");
                sentinel.text("SENTINEL", "SET", "inside", "down-after-milliseconds", "600000");
                target.sentinel("127.0.0.1", sentinel.port());
            }
            assertReached(locks(target));
        }
    }

    @Test
    void theMasterOfAListIsReachedByItsTranslatedAddress() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            outside = TcpProxy.to(redis.port());
            inside = HostAndPort.of("master.invalid", 6_379);
            assertReached(locks(new RedisStaticMasterReplicaConfiguration(inside.getHostText(), inside.getPort())));
        }
    }

    /** Also after a reconnect, when each connection is compared with the address of the master. */
    private void assertReached(RedisLockTemplate locks) {
        try (LockHandle handle = locks.acquire(leased("translated", 60_000).waitUpTo(LONG))) {
            await().atMost(Noise.LATEST).until(() -> locks.activity().subscribed());
            outside.cut();
            int before = outside.accepted();
            await().atMost(LONG)
                    .ignoreException(LockUnavailableException.class)
                    .until(() -> outside.accepted() >= before + 2 && isAvailable(locks));
            await().atMost(Noise.LATEST).until(() -> locks.activity().subscribed());
            int reconnected = outside.accepted();

            HoldAssertions.assertAllTheTime(
                    Duration.ofSeconds(2),
                    () -> assertThat(locks.activity().connected()).isTrue());
            assertThat(outside.accepted()).isLessThanOrEqualTo(reconnected + 2);
            assertThat(handle.isHeld()).isTrue();
        } finally {
            templates.close();
        }
    }

    private static boolean isAvailable(RedisLockTemplate locks) {
        locks.acquire(leased("other", 60_000)).close();
        return true;
    }
}
