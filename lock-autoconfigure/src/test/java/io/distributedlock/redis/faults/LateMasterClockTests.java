/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.ServerClockSetBackEvent;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockTemplate;
import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.RedisNode;
import io.distributedlock.testing.ReplicatedRedis;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.SentinelGroup;
import io.distributedlock.testing.TestLength;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A failover from a master whose clock is ahead to one whose clock is right. */
@Tag(TestLength.FULL)
class LateMasterClockTests {

    private static final Duration AHEAD = Duration.ofSeconds(10);

    private static final int ROUNDS_AFTER = 100;

    private static final LockRequest REQUEST =
            LockRequest.of("late").waitUpTo(Duration.ofSeconds(60)).lease(Duration.ofSeconds(30));

    private final ServerClocks clocks = new ServerClocks();

    private final ListAppender<ILoggingEvent> logs = new ListAppender<>();

    private final List<Instance> instances = new ArrayList<>();

    private record Instance(
            ClientResources resources,
            LettuceConnectionFactory factory,
            RedisLockTemplate locks,
            Queue<LockEvent> events) {

        long acquireOnce() {
            try (LockHandle handle = locks.acquire(REQUEST)) {
                return handle.fencingToken();
            }
        }

        boolean hasWarned() {
            return events.stream().anyMatch(ServerClockSetBackEvent.class::isInstance);
        }

        void close() {
            locks.close();
            factory.destroy();
            resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private Instance start(RedisConfiguration redis) {
        ClientResources resources = ClientResources.builder()
                .nettyCustomizer(new ClockCustomizer(clocks))
                .build();
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                redis,
                LettuceClientConfiguration.builder().clientResources(resources).build());
        factory.afterPropertiesSet();
        factory.start();
        Queue<LockEvent> events = new ConcurrentLinkedQueue<>();
        RedisLockTemplate locks =
                new RedisLockTemplate(factory, FaultTestbed.PREFIX, EngineSettings.DEFAULTS, events::add);
        locks.start();
        Instance instance = new Instance(resources, factory, locks, events);
        instances.add(instance);
        return instance;
    }

    @BeforeEach
    void captureLogs() {
        logs.start();
        ((Logger) LoggerFactory.getLogger("io.distributedlock")).addAppender(logs);
    }

    @AfterEach
    void close() {
        ((Logger) LoggerFactory.getLogger("io.distributedlock")).detachAppender(logs);
        instances.forEach(Instance::close);
    }

    private static RedisSentinelConfiguration target(SentinelGroup group) {
        RedisSentinelConfiguration target = new RedisSentinelConfiguration().master(SentinelGroup.MASTER_NAME);
        group.sentinels().forEach(sentinel -> target.sentinel("127.0.0.1", sentinel.port()));
        return target;
    }

    private static RedisStaticMasterReplicaConfiguration target(ReplicatedRedis group) {
        RedisStaticMasterReplicaConfiguration target = new RedisStaticMasterReplicaConfiguration(
                "127.0.0.1", group.master().port());
        group.replicas().forEach(replica -> target.addNode("127.0.0.1", replica.port()));
        return target;
    }

    /** One that knows the latest token, one that does not, and one that starts later. */
    @Test
    void tokensGrowAndOneCallerHoldsTheLockAfterASentinelFailover() {
        try (SentinelGroup group = SentinelGroup.start(1)) {
            RedisNode former = group.master();
            clocks.setAhead(former.port(), AHEAD);
            Instance one = start(target(group));
            Instance two = start(target(group));
            long last = growing(0, two, one, two, one, one, one);
            assertThat(clocks.edits(former.port())).isPositive();
            LockRequest kept = LockRequest.of("kept").lease(Duration.ofSeconds(60));
            LockHandle handle = one.locks().acquire(kept);
            RedisNode replica = group.servers().get(1);
            await().until(() -> replica.list("KEYS", "lock:*").contains("lock:{kept}"));

            group.failover();
            assertThat(group.awaitSwitchFrom(former)).isSameAs(replica);
            await().until(() -> isAtHome(replica) && !isAtHome(former));

            last = growing(last, two, one);
            Instance three = start(target(group));
            assertThat(two.locks().tryAcquire(kept.noWait())).isEmpty();
            assertThat(three.locks().tryAcquire(kept.noWait())).isEmpty();
            assertThat(handle.isHeld()).isTrue();
            last = growing(last, three, two, one);
            // Until the clock has caught up, and a little longer.
            int after = 0;
            while (!one.hasWarned() || !two.hasWarned() || after < ROUNDS_AFTER) {
                last = growing(last, one, two, three);
                after += replica.list("KEYS", "lock:{late}").isEmpty() ? 1 : 0;
            }
            handle.close();
            try (LockHandle next = three.locks().acquire(kept)) {
                assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
            }
            assertWarned("The clock of the Redis server is ");
        }
    }

    /**
     * The replica that is promoted lacks the latest writes: there, the lock has the holder of before, which has
     * released it. The next owner gets its token from a forced release by an instance that knows the clock of the
     * former master, but has seen no token.
     */
    @Test
    void aHandOverOfARestoredEntryHasAHigherTokenThanAllBefore() {
        LockRequest restored = LockRequest.of("restored").waitUpTo(Duration.ofSeconds(60));
        String key = FaultTestbed.PREFIX + "{restored}";
        try (SentinelGroup group = SentinelGroup.start(1)) {
            RedisNode former = group.master();
            clocks.setAhead(former.port(), AHEAD);
            Instance one = start(target(group));
            Instance two = start(target(group));
            Instance operator = start(target(group));
            List<String> entry;
            try (LockHandle handle = one.locks().acquire(restored)) {
                entry = former.list("HGETALL", key);
            }
            long last;
            try (LockHandle forgotten = two.locks().acquire(restored)) {
                last = forgotten.fencingToken();
            }
            group.failover();
            RedisNode replica = group.awaitSwitchFrom(former);
            await().until(() -> isAtHome(replica) && !isAtHome(former));
            // The waiter knows no clock: it would request a higher token if it did.
            try (RespClient client = replica.connect();
                    RespClient waiter = replica.connect()) {
                waiter.call("SUBSCRIBE", FaultTestbed.PREFIX + "instance:waiter");
                List<String> command = new ArrayList<>(List.of("HSET", key, "f", "1", "n", "2"));
                command.addAll(List.of("q1", "waiter.secret.1 30000", "wwaiter.secret.1", "1"));
                command.addAll(entry);
                client.call(command.toArray(String[]::new));
                client.call("PEXPIRE", key, "30000");

                assertThat(operator.locks().forceRelease("restored")).isTrue();

                assertThat(client.text("HGET", key, "o")).isEqualTo("waiter.secret.1");
                assertThat(Long.parseLong(client.text("HGET", key, "t"))).isGreaterThan(last);
            }
        }
    }

    private static boolean isAtHome(RedisNode server) {
        return !server.list("PUBSUB", "CHANNELS", "lock:*").isEmpty();
    }

    /** No token of the former master is in Redis. */
    @Test
    void anInstanceThatStartsAfterASentinelFailoverHasAHigherToken() {
        try (SentinelGroup group = SentinelGroup.start(1)) {
            RedisNode former = group.master();
            clocks.setAhead(former.port(), AHEAD);
            long last = growing(0, start(target(group)));
            group.failover();
            group.awaitSwitchFrom(former);

            growing(last, start(target(group)));
        }
    }

    @Test
    void anInstanceThatStartsAfterAPromotionInAListHasAHigherToken() {
        try (ReplicatedRedis group = ReplicatedRedis.start(1)) {
            clocks.setAhead(group.master().port(), AHEAD);
            long last = growing(0, start(target(group)));
            group.promote(group.replicas().get(0));

            growing(last, start(target(group)));
        }
    }

    @Test
    void anInstanceThatStartsAfterAFailoverOfAClusterHasAHigherToken() {
        try (RedisCluster cluster = RedisCluster.start(3, 1, Duration.ofSeconds(15))) {
            ClusterNode former = cluster.masterOf(ClusterTarget.key("late"));
            clocks.setAhead(former.port(), AHEAD);
            long last = growing(0, start(new RedisClusterConfiguration(cluster.addresses())));
            cluster.failover(cluster.replicasOf(former).get(0));

            growing(last, start(new RedisClusterConfiguration(cluster.addresses())));

            assertWarned("The clock of a server of the Redis Cluster that is not a master is");
        }
    }

    private void assertWarned(String text) {
        assertThat(logs.list).anyMatch(line -> line.getFormattedMessage().contains(text));
    }

    /** Acquires the lock in each of them, one after the other. */
    private static long growing(long last, Instance... instances) {
        long highest = last;
        for (Instance instance : instances) {
            long token = instance.acquireOnce();
            assertThat(token).isGreaterThan(highest);
            highest = token;
        }
        return highest;
    }
}
