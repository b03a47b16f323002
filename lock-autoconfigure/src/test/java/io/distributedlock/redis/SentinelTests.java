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
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RedisNode;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.SentinelGroup;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/** Locks in the master that Sentinels name. The faults come last, as the group does not recover from them. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SentinelTests {

    private static final String USERS = "user app on >data ~* &* +@all";

    /** Where no master is to be replaced because of its silence, which a busy machine causes as well. */
    private static final Duration PATIENT = Duration.ofMinutes(10);

    private static SentinelGroup group;

    private final Templates templates = new Templates();

    @BeforeAll
    static void start() {
        Templates.warmUpThisJvm();
        group = SentinelGroup.start(2, List.of("user listener on >ear ~* &* +@all"), USERS);
        group.setPatience(PATIENT);
    }

    @AfterAll
    static void stop() {
        group.close();
    }

    @AfterEach
    void closeTemplates() {
        templates.close();
    }

    private static RedisSentinelConfiguration target(String master) {
        RedisSentinelConfiguration target = new RedisSentinelConfiguration().master(master);
        group.sentinels().forEach(sentinel -> target.sentinel("127.0.0.1", sentinel.port()));
        target.setUsername("app");
        target.setPassword("data");
        target.setSentinelUsername("listener");
        target.setSentinelPassword("ear");
        return target;
    }

    private RedisLockTemplate locks() {
        return locks(target(SentinelGroup.MASTER_NAME));
    }

    private RedisLockTemplate locks(RedisSentinelConfiguration target) {
        return templates.on(StandaloneServer.connectionFactory(target));
    }

    @Test
    @Order(1)
    void locksLieInTheMaster() {
        RedisLockTemplate locks = locks();
        RedisLockTemplate others = locks();
        try (LockHandle handle = locks.acquire(leased("sentinel", 10_000))) {
            assertThat(others.tryAcquire(leased("sentinel", 10_000).noWait())).isEmpty();
            assertThat(handle.isHeld()).isTrue();
            assertThat(isAtHome(group.master())).isTrue();
        }
        assertThat(locks.activity().connected()).isTrue();
        assertThat(locks.activity().subscribed()).isTrue();
    }

    @Test
    @Order(2)
    void aNameThatTheSentinelsDoNotKnowIsNamed() {
        assertRefusal(target("another"), "know no master named 'another'", "spring.data.redis.sentinel.master");
    }

    @Test
    @Order(2)
    void aWrongPasswordOfTheSentinelsIsNamed() {
        RedisSentinelConfiguration target = target(SentinelGroup.MASTER_NAME);
        target.setSentinelPassword("data");
        assertRefusal(target, "no Sentinel can be reached", "WRONGPASS");
    }

    @Test
    @Order(2)
    void aWrongPasswordOfTheServersIsNamed() {
        RedisSentinelConfiguration target = target(SentinelGroup.MASTER_NAME);
        target.setPassword("ear");
        assertRefusal(target, "WRONGPASS");
    }

    /** Sentinels may be late, or wrong. */
    @Test
    @Order(2)
    void aReplicaThatTheSentinelsNameAsTheMasterGetsNoCommand() {
        RedisNode replica = group.servers().get(1);
        for (RedisNode sentinel : group.sentinels()) {
            sentinel.text("SENTINEL", "MONITOR", "wrong", "127.0.0.1", Integer.toString(replica.port()), "2");
            sentinel.text("SENTINEL", "SET", "wrong", "down-after-milliseconds", "600000");
        }
        assertRefusal(target("wrong"), "was named as the master reports that it is a replica");
        group.sentinels().forEach(sentinel -> sentinel.text("SENTINEL", "REMOVE", "wrong"));
    }

    /** A server that refuses a connection closes it, too: what a single call hears of is the latest of its tries. */
    private void assertRefusal(RedisSentinelConfiguration target, String... words) {
        RedisLockTemplate locks = locks(target);
        await().untilAsserted(() -> assertThatThrownBy(
                        () -> locks.acquire(leased("refused", 5_000).waitUpTo(Duration.ofSeconds(1))))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContainingAll(words));
    }

    /**
     * The former master goes on as one: it refuses the command that would make it a replica. So only who listens to the
     * Sentinels finds out.
     */
    @Test
    @Order(3)
    void commandsAndMessagesLeaveAMasterThatDoesNotKnowOfItsEnd() {
        RedisLockTemplate locks = locks();
        locks.acquire(leased("before", 10_000)).close();
        RedisNode former = group.master();
        former.text("ACL", "SETUSER", "default", "-replicaof", "-slaveof");
        group.failover();
        RedisNode next = group.awaitSwitchFrom(former);
        Stopwatch watch = Stopwatch.start();
        await().until(() -> isAtHome(next) && !isAtHome(former));
        System.out.println("Commands and messages at the new master "
                + watch.elapsed().toMillis() + " ms after most Sentinels named it");
        try (LockHandle handle = locks.acquire(leased("after", 10_000))) {
            assertThat(keys(next)).hasSize(1);
            assertThat(keys(former)).isEmpty();
            assertThat(handle.isHeld()).isTrue();
        }
        assertThat(former.isMaster()).isTrue();
        former.text("ACL", "SETUSER", "default", "+replicaof", "+slaveof");
        former.text("REPLICAOF", "127.0.0.1", Integer.toString(next.port()));
        group.awaitAgreement();
    }

    @Test
    @Order(4)
    void twoSentinelsThatAreDownAndAMasterThatFreezes() {
        RedisLockTemplate locks = locks();
        RedisNode former = group.master();
        try (LockHandle handle = locks.acquire(leased("frozen", 60_000))) {
            assertThat(handle.isHeld()).isTrue();
            await().until(() ->
                    group.servers().stream().allMatch(each -> keys(each).contains("lock:{frozen}")));
            RedisNode next = switchFromFrozen(former);
            try (LockHandle other = locks.acquire(leased("other", 10_000).waitUpTo(Duration.ofSeconds(60)))) {
                assertThat(other.isHeld()).isTrue();
                assertThat(keys(next)).isNotEmpty();
            }
            await().until(() -> isAtHome(next));
            former.wake();
            await().until(() -> !isAtHome(former));
        }
    }

    private static RedisNode switchFromFrozen(RedisNode former) {
        group.setPatience(Duration.ofSeconds(1));
        try {
            former.freeze();
            return group.awaitSwitchFrom(former);
        } finally {
            group.setPatience(PATIENT);
        }
    }

    @Test
    @Order(5)
    void holdsContinueWhileAllSentinelsAreDown() {
        RedisLockTemplate locks = locks();
        try (LockHandle handle = locks.acquire(leased("alone", 4_500))) {
            group.sentinels().subList(0, 2).forEach(RedisNode::kill);
            try (LockHandle other = locks().acquire(leased("one Sentinel", 10_000))) {
                assertThat(other.isHeld()).isTrue();
            }
            group.sentinels().get(2).kill();
            HoldAssertions.awaitRenewals(handle, 1);
            assertRefusal(target(SentinelGroup.MASTER_NAME), "no Sentinel");
        }
    }

    /**
     * With a group of its own, as the other one has no Sentinels any more. Both connections are closed at the switch.
     */
    @Test
    @Order(6)
    void commandsAndMessagesLeaveAMasterThatIsKilled() {
        group.close();
        group = SentinelGroup.start(1, List.of("user listener on >ear ~* &* +@all"), USERS);
        RedisLockTemplate locks = locks();
        locks.acquire(leased("before", 10_000)).close();
        RedisNode former = group.master();
        former.kill();
        RedisNode next = group.awaitSwitchFrom(former);
        Stopwatch watch = Stopwatch.start();
        await().pollInterval(Duration.ofMillis(10)).until(() -> isAtHome(next));
        Duration moved = watch.elapsed();
        System.out.println("Commands and messages at the new master " + moved.toMillis()
                + " ms after most Sentinels named it, as the old one was dead");
        assertThat(moved).isLessThan(Duration.ofMillis(500).plus(Noise.now()));
    }

    /** Whether commands and messages of a template are at this server. */
    private static boolean isAtHome(RedisNode server) {
        try (RespClient client = server.connect()) {
            return !client.list("PUBSUB", "CHANNELS", "lock:*").isEmpty()
                    && client.text("CLIENT", "LIST").contains("user=app");
        }
    }

    private static List<String> keys(RedisNode server) {
        try (RespClient client = server.connect()) {
            return client.keys("lock:*");
        }
    }
}
