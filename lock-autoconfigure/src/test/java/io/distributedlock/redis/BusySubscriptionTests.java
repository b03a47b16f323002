/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A long script of another client delays a subscription. That is no lack of rights, so there is no warning. */
class BusySubscriptionTests {

    private static final String PACKAGE = "io.distributedlock.redis";

    private final Templates templates = new Templates();

    private final TestCallers callers = new TestCallers();

    private final Logger logger = (Logger) LoggerFactory.getLogger(PACKAGE);

    private final Level level = logger.getLevel();

    private final Logs logs = Logs.capture(Level.DEBUG);

    @BeforeEach
    void logAll() {
        logger.setLevel(Level.DEBUG);
    }

    @AfterEach
    void close() {
        logs.close();
        logger.setLevel(level);
        templates.close();
        callers.close();
    }

    @Test
    void theChannelOfAnInstanceThatStartsMeanwhileIsSubscribedLater() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            RespClient admin = redis.connect();
            begin(redis);
            RedisLockTemplate locks = templates.on(StandaloneServer.connectionFactory(redis.port()), Templates.PATIENT);
            awaitRefusal("InstanceChannelSubscription", "channel");
            admin.call("SCRIPT", "KILL");

            await().atMost(Noise.LATEST).until(() -> locks.activity().subscribed());
            assertThat(warnings()).isEmpty();
            templates.close();
            admin.close();
        }
    }

    @Test
    void theChannelsInAClusterStaySubscribed() {
        try (RedisCluster cluster = RedisCluster.start(1, 0, Duration.ofSeconds(60));
                ClusterServer server = new ClusterServer(cluster)) {
            EmbeddedRedis redis = cluster.nodes().get(0).redis();
            RespClient admin = redis.connect();
            RedisLockTemplate locks = templates.on(server.newConnectionFactory(), Templates.PATIENT);
            await().atMost(Noise.LATEST).until(() -> locks.activity().subscribed());
            begin(redis);
            awaitRefusal("ShardMailboxes", "BUSY", "SSUBSCRIBE");

            assertThat(locks.activity().subscribed()).isTrue();
            admin.call("SCRIPT", "KILL");
            assertThat(warnings()).isEmpty();
            templates.close();
            admin.close();
        }
    }

    private void begin(EmbeddedRedis redis) {
        RespClient busy = redis.connect();
        busy.call("CONFIG", "SET", "busy-reply-threshold", "10");
        callers.call(() -> {
            try (busy) {
                return busy.call("EVAL", "while true do end", "0");
            } catch (IllegalStateException e) {
                return "killed";
            }
        });
        try (RespClient other = redis.connect()) {
            await().atMost(Noise.LATEST).until(() -> isBusy(other));
        }
    }

    private static boolean isBusy(RespClient client) {
        try {
            client.call("GET", "any");
            return false;
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage()).contains("BUSY");
        }
    }

    private void awaitRefusal(String type, String... words) {
        await().atMost(Noise.LATEST)
                .until(() -> logs.of(PACKAGE + "." + type).stream()
                        .anyMatch(line -> List.of(words).stream().anyMatch(line::contains)));
    }

    private List<String> warnings() {
        return logs.of(PACKAGE).stream().filter(line -> line.startsWith("WARN")).toList();
    }
}
