/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** A client whose connections all lead to the master, at its address when the connection is opened. */
final class MasterClient extends RedisClient {

    private final Supplier<CompletableFuture<SocketAddress>> master;

    /** @param settings with credentials, TLS and names; its host and port are not used */
    MasterClient(ClientResources resources, RedisURI settings, Supplier<CompletableFuture<SocketAddress>> master) {
        super(resources, settings);
        this.master = master;
    }

    @Override
    protected Mono<SocketAddress> getSocketAddress(RedisURI uri) {
        return Mono.fromFuture(master);
    }
}
