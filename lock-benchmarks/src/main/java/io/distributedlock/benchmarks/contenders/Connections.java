/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import java.util.List;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Spring Data connection factories as an application has them by default: Lettuce, one shared connection. */
final class Connections {

    private Connections() {}

    static LettuceConnectionFactory open(int port) {
        return started(new LettuceConnectionFactory("127.0.0.1", port));
    }

    /** @param port the port of any server of the cluster, which names the others */
    static LettuceConnectionFactory openCluster(int port) {
        return started(new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("127.0.0.1:" + port))));
    }

    private static LettuceConnectionFactory started(LettuceConnectionFactory factory) {
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }
}
