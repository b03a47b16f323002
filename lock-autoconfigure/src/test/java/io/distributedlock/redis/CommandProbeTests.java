/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** An operator reads at the start that locks cannot work, and why. */
@ExtendWith(OutputCaptureExtension.class)
class CommandProbeTests {

    private static final String WARNING = "Redis refuses commands that locks need, at ";

    private final Templates templates = new Templates();

    @AfterEach
    void close() {
        templates.close();
    }

    private RedisLockTemplate limited(int port) {
        RedisStandaloneConfiguration target = new RedisStandaloneConfiguration("127.0.0.1", port);
        target.setUsername("limited");
        target.setPassword("pw");
        return templates.on(StandaloneServer.connectionFactory(target));
    }

    private static void limit(RespClient admin, String... rights) {
        admin.call("ACL", "SETUSER", "limited", "reset", "on", ">pw", "~*", "&*", "+@all");
        for (String right : rights) {
            admin.call("ACL", "SETUSER", "limited", right);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"eval", "evalsha", "time", "exists", "hget", "hlen", "hmget", "hdel", "pexpire", "pttl", "del"})
    void aRightThatIsMissingIsNamedAtTheStart(String right, CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                RespClient admin = redis.connect()) {
            limit(admin, "-" + right);
            limited(redis.port());

            await().until(() -> output.getAll()
                    .contains(WARNING + "127.0.0.1:" + redis.port() + ": " + right.toUpperCase(Locale.ROOT)));
            assertThat(admin.keys("*")).isEmpty();
        }
    }

    /** The channel is refused as well, so the instance is not subscribed. */
    @Test
    void theRightsAreCheckedWithoutASubscription(CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                RespClient admin = redis.connect()) {
            limit(admin, "-time", "resetchannels");
            limited(redis.port());

            await().until(() -> output.getAll().contains(WARNING));
        }
    }

    @Test
    void aServerWithoutScriptsIsNamedAndSoIsTheCommandThatACallNeeds(CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.start("rename-command EVAL \"\"", "rename-command EVALSHA \"\"")) {
            templates.on(StandaloneServer.connectionFactory(redis.port()));

            await().until(() -> output.getAll().contains(": EVALSHA (ERR unknown command 'EVALSHA')"));
        }
        try (EmbeddedRedis redis = EmbeddedRedis.start("rename-command TIME \"\"")) {
            RedisLockTemplate locks = templates.on(StandaloneServer.connectionFactory(redis.port()));

            await().until(() -> output.getAll().contains(": TIME in a script (ERR "));
            assertThatThrownBy(() -> locks.acquire(leased("timeless", 5_000)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("TIME is refused");
        }
    }

    @Test
    void aServerOfAClusterIsNamedOnce(CapturedOutput output) {
        try (RedisCluster cluster = RedisCluster.start(3, 0, Duration.ofSeconds(15))) {
            cluster.masters()
                    .forEach(master ->
                            master.text("ACL", "SETUSER", "limited", "on", ">pw", "~*", "&*", "+@all", "-time"));
            RedisClusterConfiguration target = new RedisClusterConfiguration();
            target.clusterNode("127.0.0.1", cluster.masters().get(0).port());
            target.setUsername("limited");
            target.setPassword("pw");
            templates.on(StandaloneServer.connectionFactory(target));

            await().until(() -> output.getAll().contains(WARNING));
            assertThat(output.getAll()).contains(": TIME in a script (");
            assertThat(output.getAll().split(WARNING)).hasSize(2);
        }
    }

    /** A replica refuses writes, and is perhaps promoted soon. */
    @Test
    void aServerThatAllowsAllCommandsOrRefusesThemAtPresentCausesNoWarning(CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                RespClient client = redis.connect()) {
            templates
                    .on(StandaloneServer.connectionFactory(redis.port()))
                    .acquire(leased("probed", 5_000))
                    .close();
            client.call("REPLICAOF", "127.0.0.1", "1");
            templates.on(StandaloneServer.connectionFactory(redis.port()));
            await().until(() -> client.text("INFO", "commandstats").contains("cmdstat_pttl:calls=2"));
        }

        assertThat(output.getAll()).doesNotContain(WARNING);
    }

    /** An address of a replica, such as a reader endpoint, is a mistake, unless the replica is promoted soon. */
    @Test
    void aServerThatIsAReplicaIsNamedOnce() {
        try (EmbeddedRedis redis = EmbeddedRedis.start("replicaof 127.0.0.1 1");
                Logs logs = Logs.capture(Level.WARN)) {
            RedisLockTemplate locks = templates.on(StandaloneServer.connectionFactory(redis.port()));

            await().until(() -> !ofAReplica(logs, redis).isEmpty());
            assertThatThrownBy(() -> locks.acquire(leased("read", 5_000).waitUpTo(Duration.ofMillis(300))))
                    .isInstanceOf(LockUnavailableException.class);
            assertThat(ofAReplica(logs, redis))
                    .singleElement()
                    .asString()
                    .contains(
                            "no lock can be acquired until it becomes a master", "configure the address of the master");
        }
    }

    private static List<String> ofAReplica(Logs logs, EmbeddedRedis redis) {
        return logs.of("io.distributedlock").stream()
                .filter(line -> line.contains("Redis at 127.0.0.1:" + redis.port() + " is a replica"))
                .toList();
    }
}
