/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Spring Data connection factories as an application has them by default: Lettuce, one shared connection. */
final class Connections {

    private Connections() {}

    static LettuceConnectionFactory open(int port) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", port);
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }
}
