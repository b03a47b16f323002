/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.engine.LeaseStore;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TcpProxy;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.reflect.Proxy;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The commands of one connection lead to another server than the subscription. */
class MessageCheckTests extends AbstractFaultTests {

    private final AtomicInteger closed = new AtomicInteger();

    private final AtomicInteger subscriptions = new AtomicInteger();

    private final AtomicInteger planned = new AtomicInteger();

    private final AtomicBoolean mayClose = new AtomicBoolean(true);

    private final MessageCheck check =
            new MessageCheck(() -> mayClose.get() && closed.incrementAndGet() > 0, planned::incrementAndGet);

    private EmbeddedRedis other;

    private TcpProxy toOther;

    private RedisClient client;

    private StatefulRedisConnection<String, String> commands;

    private InstanceChannelSubscription subscription;

    @BeforeEach
    void connect() {
        other = EmbeddedRedis.start();
        toOther = TcpProxy.to(other.port());
        client = RedisClient.create(StandaloneServer.resources());
        commands = client.connect(RedisURI.create("127.0.0.1", toOther.port()));
        subscription = InstanceChannelSubscription.of(
                client.connectPubSub(RedisURI.create("127.0.0.1", proxy.port())),
                new InstanceChannelListener(
                        new LockKeys(Templates.PREFIX),
                        new InstanceId(),
                        new ServerClockMonitor(System::nanoTime),
                        noEngine(),
                        message -> true),
                StandaloneServer.resources().eventExecutorGroup(),
                new InstanceChannelSubscription.Listener() {
                    @Override
                    public void reconnected(SocketAddress address) {}

                    @Override
                    public void subscribed() {
                        subscriptions.incrementAndGet();
                    }
                });
        await().until(subscription::isSubscribed);
    }

    private static LeaseStore.Listener noEngine() {
        return (LeaseStore.Listener) Proxy.newProxyInstance(
                MessageCheckTests.class.getClassLoader(),
                new Class<?>[] {LeaseStore.Listener.class},
                (engine, method, arguments) -> {
                    throw new AssertionError(method);
                });
    }

    @AfterEach
    void disconnect() {
        subscription.close();
        commands.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
        toOther.close();
        other.close();
    }

    @Test
    void connectionsThatLeadToTwoServersAreClosed() {
        check.look(commands, null, subscription);

        await().untilAsserted(() -> assertThat(closed).hasValue(1));
    }

    /** They were closed a moment ago, and lead to two servers again. */
    @Test
    void connectionsThatMayNotBeClosedYetAreCheckedLater() {
        mayClose.set(false);
        for (int i = 1; i <= 5; i++) {
            int before = i;
            check.look(commands, null, subscription);
            await().untilAsserted(() -> assertThat(planned).hasValue(before));
        }
        mayClose.set(true);
        check.look(commands, null, subscription);
        await().untilAsserted(() -> assertThat(closed).hasValue(1));
    }

    /** A server such as a proxy cannot report it. */
    @Test
    void connectionsAreClosedThreeTimesAtMost() {
        for (int i = 0; i < 5; i++) {
            check.look(commands, null, subscription);
            commands.sync().ping();
        }
        assertThat(closed).hasValue(3);
        assertThat(planned).hasValue(0);
    }

    /** The count is about the subscription before, and says nothing about the present one. */
    @Test
    void aCountOfASubscriptionThatHasEndedSinceClosesNothing() {
        toOther.replies().hold();
        check.look(commands, null, subscription);
        await().until(() -> toOther.replies().pending() > 0);
        int before = subscriptions.get();
        proxy.cut();
        await().until(() -> subscriptions.get() > before && subscription.isSubscribed());

        toOther.replies().pass();
        commands.sync().ping();

        assertThat(closed).hasValue(0);
    }

    @Test
    void aCountOfOneClosesNothing() {
        try (RespClient listener = other.connect()) {
            listener.list("SUBSCRIBE", subscription.channel());
            check.look(commands, null, subscription);
            commands.sync().ping();
        }

        assertThat(closed).hasValue(0);
    }
}
