/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The masters of a cluster are checked one by one. */
@ExtendWith(OutputCaptureExtension.class)
class ClusterHealthTests {

    private final Templates templates = new Templates();

    private final ClusterServer server = new ClusterServer(RedisCluster.shared());

    @AfterEach
    void close() {
        templates.close();
    }

    @Test
    void oneMasterThatRefusesLocksIsNamedAndNoOther() {
        RedisLockTemplate locks = templates.on(server.newConnectionFactory());
        await().until(() -> locks.availability().isFull());
        ClusterNode full = server.cluster().masters().get(1);
        try (RespClient admin = full.connect()) {
            admin.call("CONFIG", "SET", "maxmemory", "1");
            try {
                await().untilAsserted(() -> assertThat(locks.availability().failures())
                        .singleElement()
                        .satisfies(failure -> {
                            assertThat(failure.server()).isEqualTo("Redis at 127.0.0.1:" + full.port());
                            assertThat(failure.error()).contains("OOM");
                        }));
            } finally {
                admin.call("CONFIG", "SET", "maxmemory", "0");
            }
        }
        await().until(() -> locks.availability().isFull());
        assertThat(server.keys("lock:")).noneMatch(key -> key.contains("health:"));
    }

    @Test
    void oneMasterThatMayEvictLocksIsEnoughForOneWarning(CapturedOutput output) {
        limit("100mb", "volatile-lru");
        try {
            templates.on(server.newConnectionFactory());
            awaitWarnings(1, output);
            templates.on(server.newConnectionFactory());
            awaitWarnings(2, output);
        } finally {
            limit("0", "noeviction");
        }
    }

    /** And no other one after them. */
    private static void awaitWarnings(int expected, CapturedOutput output) {
        await().until(() -> warnings(output) == expected);
        HoldAssertions.assertAllTheTime(
                Duration.ofMillis(500), () -> assertThat(warnings(output)).isEqualTo(expected));
    }

    private static int warnings(CapturedOutput output) {
        return output.getAll().split("may evict locks", -1).length - 1;
    }

    /** Of two masters. */
    private void limit(String memory, String policy) {
        for (ClusterNode master : server.cluster().masters().subList(0, 2)) {
            try (RespClient admin = master.connect()) {
                admin.call("CONFIG", "SET", "maxmemory", memory);
                admin.call("CONFIG", "SET", "maxmemory-policy", policy);
            }
        }
    }
}
