/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.SentinelGroup;
import io.distributedlock.testing.TlsFiles;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/** TLS to the Sentinels and to the master that they name. */
class SentinelTlsTests {

    @Test
    void sentinelsAndTheirMasterAreReachedByTls() {
        try (TlsFiles tls = TlsFiles.create();
                TlsFiles others = TlsFiles.create();
                SentinelGroup group = SentinelGroup.startTls(tls);
                Templates templates = new Templates()) {
            RedisSentinelConfiguration target = new RedisSentinelConfiguration().master(SentinelGroup.MASTER_NAME);
            group.tlsPorts().forEach(port -> target.sentinel("127.0.0.1", port));
            RedisLockTemplate locks = templates.on(StandaloneServer.tlsConnectionFactory(target, tls.certificate()));
            try (LockHandle handle = locks.acquire(leased("by TLS", 10_000));
                    RespClient client = group.servers().get(0).connect()) {
                assertThat(handle.isHeld()).isTrue();
                assertThat(client.keys("lock:*")).hasSize(1);
                assertThat(locks.activity().subscribed()).isTrue();
            }
            RedisLockTemplate distrusting =
                    templates.on(StandaloneServer.tlsConnectionFactory(target, others.certificate()));
            await().untilAsserted(() -> assertThatThrownBy(
                            () -> distrusting.acquire(leased("refused", 5_000).waitUpTo(Duration.ofSeconds(1))))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("no Sentinel can be reached"));
        }
    }
}
