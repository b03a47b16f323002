/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A Redis of some topology, for an application and for an administrator. */
interface TestRedis extends AutoCloseable {

    /** The longest command time-out with the default lease, for tests of something else on a machine that pauses. */
    String PATIENT = "distributed-lock.command-timeout=10s";

    /** The property with its address. */
    String property();

    /** An application with locks on this Redis. */
    default ApplicationContextRunner application() {
        return application(property());
    }

    /** An application with locks on the Redis of that property. */
    static ApplicationContextRunner application(String property) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class))
                .withPropertyValues(property, PATIENT);
    }

    /** The same with all that operators see of the locks. */
    static ApplicationContextRunner withOperatorsView(String property) {
        return application(property)
                .withConfiguration(AutoConfigurations.of(
                        DistributedLockMetricsAutoConfiguration.class,
                        DistributedLockObservationAutoConfiguration.class,
                        DistributedLockEndpointAutoConfiguration.class,
                        DistributedLockHealthAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=locks");
    }

    /** All servers that take commands. */
    List<EmbeddedRedis> servers();

    /** The server that has this key or channel. */
    EmbeddedRedis serverOf(String key);

    /** What comes before the names of commands for channels. */
    String channelCommands();

    /** The channels of that instance. */
    List<String> channels(String prefix, String instance);

    @Override
    void close();

    default void onAll(Consumer<RespClient> commands) {
        for (EmbeddedRedis server : servers()) {
            try (RespClient client = server.connect()) {
                commands.accept(client);
            }
        }
    }

    default void publish(String channel, String message) {
        try (RespClient client = serverOf(channel).connect()) {
            client.call(channelCommands() + "PUBLISH", channel, message);
        }
    }

    default List<String> keys() {
        List<String> keys = new ArrayList<>();
        onAll(client -> keys.addAll(client.keys("*")));
        return keys;
    }

    /** One server. */
    static TestRedis single() {
        EmbeddedRedis redis = EmbeddedRedis.start();
        return new TestRedis() {

            @Override
            public String property() {
                return "spring.data.redis.port=" + redis.port();
            }

            @Override
            public List<EmbeddedRedis> servers() {
                return List.of(redis);
            }

            @Override
            public EmbeddedRedis serverOf(String key) {
                return redis;
            }

            @Override
            public String channelCommands() {
                return "";
            }

            @Override
            public List<String> channels(String prefix, String instance) {
                return List.of(prefix + "instance:" + instance);
            }

            @Override
            public void close() {
                redis.close();
            }
        };
    }

    /** Three masters. */
    static TestRedis cluster() {
        RedisCluster cluster = RedisCluster.start(3, 0, Duration.ofSeconds(15));
        return new TestRedis() {

            @Override
            public String property() {
                return "spring.data.redis.cluster.nodes=" + String.join(",", cluster.addresses());
            }

            @Override
            public List<EmbeddedRedis> servers() {
                return cluster.masters().stream().map(ClusterNode::redis).toList();
            }

            @Override
            public EmbeddedRedis serverOf(String key) {
                return cluster.masterOf(key).redis();
            }

            @Override
            public String channelCommands() {
                return "S";
            }

            @Override
            public List<String> channels(String prefix, String instance) {
                List<String> channels = new ArrayList<>();
                onAll(client -> client.list("PUBSUB", "SHARDCHANNELS").stream()
                        .map(String::valueOf)
                        .filter(channel -> channel.startsWith(prefix + "instance:" + instance))
                        .forEach(channels::add));
                return channels;
            }

            @Override
            public void close() {
                cluster.close();
            }
        };
    }
}
