/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.testing.RespClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** An operator reads at the start why hand-overs will be slow. */
@ExtendWith(OutputCaptureExtension.class)
class MessageProbeTests extends AbstractFaultTests {

    private static final String WARNING = "Redis does not send messages between instances: ";

    private RedisLockTemplate withoutRights(String... rights) {
        try (RespClient admin = redis.connect()) {
            admin.call("ACL", "SETUSER", "limited", "reset", "on", ">pw", "~*", "&*", "+@all");
            for (String right : rights) {
                admin.call("ACL", "SETUSER", "limited", "-" + right);
            }
        }
        RedisStandaloneConfiguration target = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
        target.setUsername("limited");
        target.setPassword("pw");
        return templates.on(StandaloneServer.connectionFactory(target), Templates.PATIENT);
    }

    @ParameterizedTest
    @CsvSource({"pubsub|numsub, PUBSUB NUMSUB in a script is refused", "publish, PUBLISH in a script is refused"})
    void aRightThatIsMissingIsNamedOnceAndLocksWork(String right, String named, CapturedOutput output) {
        RedisLockTemplate locks = withoutRights(right);
        try (LockHandle handle = locks.acquire(leased("probed", 5_000))) {
            assertThat(handle.isHeld()).isTrue();
        }
        try (RespClient admin = redis.connect()) {
            assertThat(admin.number("CLIENT", "KILL", "USER", "limited")).isPositive();
        }
        locks.acquire(leased("probed", 5_000)).close();

        await().untilAsserted(() -> assertThat(output.getAll()).contains(WARNING + named));
        assertThat(output.getAll().split(WARNING)).hasSize(2);
    }

    @Test
    void allRightsThatAreMissingAreNamed(CapturedOutput output) {
        withoutRights("pubsub|numsub", "publish")
                .acquire(leased("probed", 5_000))
                .close();

        await().untilAsserted(() -> assertThat(output.getAll())
                .containsPattern(
                        WARNING + "PUBSUB NUMSUB in a script is refused \\(.*\\), and PUBLISH in a script is"));
    }

    @Test
    void aServerThatSendsMessagesCausesNoWarning(CapturedOutput output) {
        patient().acquire(leased("probed", 5_000)).close();

        assertThat(output.getAll()).doesNotContain(WARNING);
    }

    /** As behind a proxy whose nodes do not know of each other's subscribers. */
    @Test
    void aServerThatDoesNotCountTheSubscriptionIsNamed(CapturedOutput output) throws InterruptedException {
        RedisClient client =
                RedisClient.create(StandaloneServer.resources(), RedisURI.create("127.0.0.1", redis.port()));
        try (var connection = client.connect()) {
            MessageProbe.run(connection, "lock:instance:elsewhere", Duration.ofSeconds(5));
        } finally {
            client.shutdown(Duration.ZERO, Duration.ZERO);
        }

        assertThat(output.getAll()).contains(WARNING + "it does not count the subscription of this instance");
    }
}
