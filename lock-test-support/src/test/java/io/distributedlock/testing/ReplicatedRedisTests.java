/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag(TestLength.FULL)
class ReplicatedRedisTests {

    @Test
    void aReplicaIsCutOffAndPromoted() {
        try (ReplicatedRedis redis = ReplicatedRedis.start(1)) {
            RedisNode replica = redis.replicas().get(0);
            redis.master().text("SET", "seen", "1");
            await().until(() -> replica.text("EXISTS", "seen").equals("1"));
            redis.cutOff(replica);
            try (RespClient client = redis.master().connect()) {
                client.text("SET", "unseen", "1");
                assertThat(client.number("WAIT", "1", "50")).isZero();
            }
            redis.master().kill();
            redis.promote(replica);
            assertThat(replica.isMaster()).isTrue();
            assertThat(replica.text("EXISTS", "seen", "unseen")).isEqualTo("1");
        }
    }

    @Test
    void aReplicaThatIsReconnectedCatchesUp() {
        try (ReplicatedRedis redis = ReplicatedRedis.start(1)) {
            RedisNode replica = redis.replicas().get(0);
            redis.cutOff(replica);
            redis.master().text("SET", "late", "1");
            redis.reconnect(replica);
            await().until(() -> replica.text("EXISTS", "late").equals("1"));
            redis.promote(replica);
            await().until(() -> redis.master().isFollowing());
        }
    }

    @Test
    void aServerTakesTlsConnections() {
        int port = EmbeddedRedis.freePort();
        try (TlsFiles tls = TlsFiles.create()) {
            List<String> settings = new ArrayList<>(tls.settings(port));
            try (EmbeddedRedis redis = EmbeddedRedis.start(settings.toArray(String[]::new))) {
                assertThat(redis.isAlive()).isTrue();
                assertThat(tls.certificate()).content().startsWith("-----BEGIN CERTIFICATE-----");
                try (RespClient client = redis.connect()) {
                    assertThat(client.list("CONFIG", "GET", "tls-port")).contains(Integer.toString(port));
                }
            }
        }
    }
}
