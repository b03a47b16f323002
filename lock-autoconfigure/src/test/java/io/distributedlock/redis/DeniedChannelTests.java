package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.RespClient;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The user of the locks may not listen for a while, which a change of rights by mistake does. */
class DeniedChannelTests extends FaultTopic {

    private RespClient operator;

    @BeforeEach
    void login() {
        call("ACL", "SETUSER", "operator", "on", "nopass", "~*", "&*", "+@all");
        operator = redis.connect();
        operator.call("AUTH", "operator", "any");
    }

    @AfterEach
    void logout() {
        operator.close();
    }

    private int channels() {
        return operator.list("PUBSUB", "CHANNELS").size();
    }

    private boolean isRefused() {
        return operator.text("INFO", "errorstats").contains("errorstat_NOPERM");
    }

    /** Redis ends the connection of who listens to what it may not any more. */
    @Test
    void listensAgainWhenTheRightComesBack() {
        RedisLockTemplate locks = direct();
        await().until(() -> channels() == 1);
        operator.call("ACL", "SETUSER", "default", "resetchannels");
        await().until(() -> channels() == 0 && isRefused());
        operator.call("ACL", "SETUSER", "default", "allchannels");
        await().atMost(Duration.ofSeconds(10)).until(() -> channels() == 1);
        assertThat(locks.isRunning()).isTrue();
    }

    @Test
    void listensWhenTheRightComesAfterTheStart() {
        operator.call("ACL", "SETUSER", "default", "resetchannels");
        RedisLockTemplate locks = direct();
        await().until(this::isRefused);
        operator.call("ACL", "SETUSER", "default", "allchannels");
        await().atMost(Duration.ofSeconds(10)).until(() -> channels() == 1);
        assertThat(locks.isRunning()).isTrue();
    }
}
