/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The subscription to a Sentinel; for that, any Redis server can take its place. */
class SentinelLinkTests {

    /** Throws at the first connection, as if no thread could be created. */
    private static final class FailingClient extends RedisClient {

        private final AtomicInteger connections = new AtomicInteger();

        FailingClient(RedisURI uri) {
            super(StandaloneServer.resources(), uri);
        }

        @Override
        public <K, V> ConnectionFuture<StatefulRedisPubSubConnection<K, V>> connectPubSubAsync(
                RedisCodec<K, V> codec, RedisURI uri) {
            if (connections.getAndIncrement() == 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return super.connectPubSubAsync(codec, uri);
        }
    }

    @Test
    void aConnectionThatHasThrownAnErrorIsOpenedLater() {
        AtomicInteger hints = new AtomicInteger();
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            RedisURI uri = RedisURI.create("127.0.0.1", redis.port());
            FailingClient client = new FailingClient(uri);
            try (SentinelLink link = new SentinelLink(
                    client, uri, "main", StandaloneServer.resources().eventExecutorGroup())) {
                listen(link, hints::incrementAndGet);

                await().until(() -> hints.get() > 0);
            } finally {
                client.shutdown(Duration.ZERO, Duration.ZERO);
            }
        }
    }

    /** An operator may grant the channel while the application runs. */
    @Test
    void aSubscriptionThatWasRefusedIsRepeated() {
        AtomicInteger hints = new AtomicInteger();
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                RespClient admin = redis.connect()) {
            admin.text("ACL", "SETUSER", "default", "resetchannels");
            RedisURI uri = RedisURI.create("127.0.0.1", redis.port());
            RedisClient client = RedisClient.create(StandaloneServer.resources(), uri);
            try (SentinelLink link = new SentinelLink(
                    client, uri, "main", StandaloneServer.resources().eventExecutorGroup())) {
                link.listen(hints::incrementAndGet);
                await().until(() -> !admin.list("ACL", "LOG").isEmpty());

                admin.text("ACL", "SETUSER", "default", "allchannels");

                await().until(() -> hints.get() > 0);
            } finally {
                client.shutdown(Duration.ZERO, Duration.ZERO);
            }
        }
    }

    private static void listen(SentinelLink link, Runnable hint) {
        try {
            link.listen(hint);
        } catch (OutOfMemoryError ex) {
            System.out.println("Listening has thrown " + ex);
        }
    }
}
