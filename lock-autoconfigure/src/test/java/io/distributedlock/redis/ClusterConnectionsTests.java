/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.engine.LeaseStore;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RedisCluster;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The task that runs twice a second. The executors of the application are replaced here, so that they can fail. */
class ClusterConnectionsTests {

    private static final Duration MEASURED = Duration.ofSeconds(2);

    /** Without a limit, it is repeated as fast as the server replies. */
    private static final long MOST_SUBSCRIPTIONS_IN_A_SECOND = 12;

    private static RedisCluster cluster;

    private final AtomicBoolean outOfMemory = new AtomicBoolean();

    private final AtomicInteger errors = new AtomicInteger();

    private @Nullable LettuceConnectionFactory application;

    private @Nullable LockClientFactory source;

    private @Nullable ClusterConnections connections;

    private @Nullable Future<?> task;

    private boolean closedMeanwhile;

    @BeforeAll
    static void startServers() {
        cluster = RedisCluster.start(3, 0, Duration.ofSeconds(15));
    }

    @AfterAll
    static void stopServers() {
        cluster.close();
    }

    @AfterEach
    void close() {
        if (connections != null) {
            connections.close();
        }
        if (application != null) {
            application.destroy();
        }
    }

    private ClusterConnections open() {
        ClusterConnections opened = create();
        opened.open();
        await().until(opened::isConnected);
        return opened;
    }

    private ClusterConnections create() {
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .clientResources(replacing(
                        ClientResources.class,
                        StandaloneServer.resources(),
                        Map.of("eventExecutorGroup", arguments -> executors())))
                .build();
        application = new LettuceConnectionFactory(new RedisClusterConfiguration(cluster.addresses()), client);
        application.afterPropertiesSet();
        application.start();
        InstanceId instance = InstanceId.inCluster();
        LockKeys keys = new LockKeys(Templates.PREFIX);
        LeaseStore.Listener engine = replacing(LeaseStore.Listener.class, null, Map.of());
        source = new LockClientFactory(application, Duration.ofSeconds(2), instance);
        connections = new ClusterConnections(source, keys, Duration.ofSeconds(2));
        connections.listen(
                new InstanceChannelListener(
                        keys, instance, new ServerClockMonitor(System::nanoTime), engine, message -> true),
                engine);
        return connections;
    }

    private EventExecutorGroup executors() {
        EventExecutorGroup executors = StandaloneServer.resources().eventExecutorGroup();
        return replacing(
                EventExecutorGroup.class,
                executors,
                Map.of("execute", this::execute, "scheduleAtFixedRate", this::scheduleAtFixedRate));
    }

    private @Nullable Object execute(Object[] arguments) {
        if (outOfMemory.get() && isCalledByTheTask()) {
            errors.incrementAndGet();
            throw new OutOfMemoryError("unable to create native thread");
        }
        StandaloneServer.resources().eventExecutorGroup().execute((Runnable) arguments[0]);
        return null;
    }

    private Object scheduleAtFixedRate(Object[] arguments) {
        boolean twiceASecond = arguments[2].equals(500L);
        if (twiceASecond && closedMeanwhile) {
            Background.run(Objects.requireNonNull(connections)::close).join();
        }
        Future<?> planned = StandaloneServer.resources()
                .eventExecutorGroup()
                .scheduleAtFixedRate(
                        (Runnable) arguments[0], (Long) arguments[1], (Long) arguments[2], (TimeUnit) arguments[3]);
        if (twiceASecond) {
            task = planned;
        }
        return planned;
    }

    /** Lettuce uses the same executors. */
    private static boolean isCalledByTheTask() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(ClusterSurvey.class.getName())
                        && frame.getMethodName().equals("run")));
    }

    /** One method of the interface. */
    @FunctionalInterface
    private interface Replacement {

        @Nullable
        Object call(Object[] arguments);
    }

    private static <T> T replacing(Class<T> type, @Nullable T original, Map<String, Replacement> methods) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
            Replacement replacement = methods.get(method.getName());
            return replacement == null ? call(method, original, given) : replacement.call(given);
        }));
    }

    private static @Nullable Object call(Method method, @Nullable Object original, Object[] arguments)
            throws ReflectiveOperationException {
        return original == null ? null : method.invoke(original, arguments);
    }

    /** An executor does not repeat a task that has thrown. */
    @Test
    void clocksAreReadAfterAnErrorAsWell() {
        open();
        ClusterNode source = cluster.masterOf(0);
        ClusterNode target = cluster.masters().stream()
                .filter(node -> node != source)
                .findFirst()
                .orElseThrow();
        outOfMemory.set(true);
        cluster.move(0, target).begin().finish();
        await().until(() -> errors.get() > 0);
        outOfMemory.set(false);

        long read = clocksRead(target);
        await().until(() -> clocksRead(target) > read + 2);
    }

    /** The executors may be those of the application, which live longer. */
    @Test
    void theTaskEndsIfTheInstanceIsClosedWhileItConnects() {
        closedMeanwhile = true;
        create().open();
        Future<?> planned = await().until(() -> task, Objects::nonNull);

        await().until(planned::isCancelled);
    }

    @Test
    void theReasonOfAnOutageIsForgottenWhenAllMastersReply() {
        ClusterConnections opened = open();
        Objects.requireNonNull(source).failed(new IllegalStateException("an outage of the past"));
        assertThat(opened.isInTrouble()).isTrue();

        await().until(() -> !opened.isInTrouble());
    }

    /** Their kernels still confirm what is sent, so no connection breaks. */
    @Test
    void isNotConnectedWhileAllMastersAreFrozen() {
        ClusterConnections opened = open();
        List<ClusterNode> masters = cluster.masters();
        masters.forEach(ClusterNode::freeze);
        try {
            await().atMost(Noise.LATEST).until(() -> !opened.isConnected());
        } finally {
            masters.forEach(ClusterNode::wake);
        }

        await().atMost(Noise.LATEST).until(opened::isConnected);
    }

    /**
     * As with a wrong view of the cluster: a server no longer has the slot of the channel, and no other server knows
     * it.
     */
    @Test
    void aSubscriptionThatIsRedirectedAllTheTimeIsRequestedAFewTimesASecond() {
        ClusterConnections opened = open();
        await().until(opened::isSubscribed);
        ClusterNode one = cluster.masters().get(0);
        ClusterNode two = cluster.masters().get(1);
        await().until(() -> !one.text("PUBSUB", "SHARDCHANNELS").isEmpty());
        String slot = one.text("CLUSTER", "KEYSLOT", one.text("PUBSUB", "SHARDCHANNELS"));
        // Lettuce reads the view of the others.
        one.text("ACL", "SETUSER", "default", "-cluster|nodes", "-cluster|shards", "-cluster|slots");
        try {
            one.text("CLUSTER", "SETSLOT", slot, "NODE", two.id());
            await().until(() -> redirections(one) > 3);
            Stopwatch watch = Stopwatch.start();
            long before = redirections(one);
            HoldAssertions.assertAllTheTime(MEASURED, () -> {});
            long perSecond =
                    (redirections(one) - before) * 1_000 / watch.elapsed().toMillis();

            assertThat(perSecond).isBetween(1L, MOST_SUBSCRIPTIONS_IN_A_SECOND);
        } finally {
            one.text("ACL", "SETUSER", "default", "+@all");
            one.text("CLUSTER", "SETSLOT", slot, "NODE", one.id());
        }
        await().until(() -> !one.text("PUBSUB", "SHARDCHANNELS").isEmpty());
    }

    private static long redirections(ClusterNode node) {
        return node.text("INFO", "errorstats")
                .lines()
                .filter(line -> line.startsWith("errorstat_MOVED:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*count=(\\d+).*", "$1")))
                .sum();
    }

    private static long clocksRead(ClusterNode node) {
        return node.text("INFO", "commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_time:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))
                .sum();
    }
}
