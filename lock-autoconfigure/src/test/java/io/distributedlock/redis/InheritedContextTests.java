/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.LeakCheck;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The thread that starts a template may belong to an application that is undeployed before it. */
class InheritedContextTests {

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX);

    /** No Redis is there, so the thread that connects is still alive. */
    @Test
    void noThreadOfATemplateHasTheClassLoaderOfItsFirstCaller() {
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", EmbeddedRedis.freePort()));
        factory.afterPropertiesSet();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(new ClassLoader(before) {});
        try (RedisLockTemplate locks = new RedisLockTemplate(factory, Templates.PREFIX, Templates.SETTINGS)) {
            locks.start();

            List<Thread> threads = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("distributed-lock"))
                    .toList();
            assertThat(threads)
                    .extracting(Thread::getName)
                    .contains("distributed-lock-timer", "distributed-lock-connect");
            assertThat(threads)
                    .extracting(Thread::getContextClassLoader)
                    .containsOnly(RedisLockTemplate.class.getClassLoader());
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            factory.destroy();
        }
    }
}
