/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Bindable.BindRestriction;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.core.env.Environment;

/**
 * Settings of the locks. An invalid value is refused when the properties are bound.
 *
 * @param enabled Whether locks exclude other callers. If not, each request is granted at once, without Redis.
 * @param connectionFactory Name of the RedisConnectionFactory bean to use. The only or the primary one if not set.
 * @param keyPrefix Prefix of every Redis key. Applications that share locks need the same prefix.
 * @param lease How long Redis keeps a lock if its holder dies, from 10 ms to 365 days. Renewed while the holder lives.
 * @param waitUpTo How long to wait for a lock. Zero tries once, a negative time waits without limit.
 * @param maxHold Maximum time of a hold, after which the lock is lost, at least 10 ms. No limit if not set. Does not
 *     apply to a lease that is not renewed.
 * @param order Order of the lock advisor. Lower values wrap higher ones; transactions have 2147483647.
 * @param commandTimeout Maximum time to wait for one reply of Redis, at most one day. A third of the lease if that is
 *     shorter, but at least 100ms.
 * @param fairness Limits of local hand-overs.
 * @param shutdownGrace How long holders may continue when the application stops. Zero revokes them at once.
 * @param retention How long an instance keeps a lock after its last caller has released it, unless another instance
 *     waits for it. Zero for none.
 * @param release How a lock is released: await waits for the reply of Redis, and reports an earlier loss by an
 *     exception; async does not wait, and reports such a loss by an event.
 * @param keepUntilCompletion Whether a lock that is acquired inside a transaction is kept until the transaction has
 *     completed.
 * @param transaction Settings of transactions under locks.
 * @param replicas Whether locks wait for the replicas of Redis.
 * @param instanceLabel Label of this instance in the endpoint. If not set, application@host:port/process id.
 * @param maxWaiters Maximum number of callers of this instance that may wait for one lock; explicit owners and readers
 *     together have the same maximum. Further callers that would have to wait are refused. Callers that try once are
 *     not limited.
 * @param warn Limits of waits and holds, above which a warning is logged.
 * @param deadlock Settings of the search for deadlocks.
 * @since 0.1.0
 */
@ConfigurationProperties("distributed-lock")
public record DistributedLockProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String connectionFactory,
        @DefaultValue("lock:") String keyPrefix,

        @DefaultValue(EngineSettings.DEFAULT_LEASE_SECONDS + "s")
        Duration lease,

        @Name("wait") @DefaultValue(EngineSettings.DEFAULT_WAIT_SECONDS + "s")
        Duration waitUpTo,

        @Nullable Duration maxHold,

        @DefaultValue("" + DistributedLockAdvisor.DEFAULT_ORDER)
        int order,

        @DefaultValue(EngineSettings.DEFAULT_COMMAND_TIMEOUT_SECONDS + "s")
        Duration commandTimeout,

        @DefaultValue Fairness fairness,

        @DefaultValue(EngineSettings.DEFAULT_SHUTDOWN_GRACE_SECONDS + "s")
        Duration shutdownGrace,

        @DefaultValue("0s") Duration retention,
        @DefaultValue("await") EngineSettings.Release release,
        @Nullable String instanceLabel,

        @DefaultValue("" + EngineSettings.DEFAULT_MAX_WAITERS)
        int maxWaiters,

        @DefaultValue("true") boolean keepUntilCompletion,
        @DefaultValue Transaction transaction,
        @DefaultValue Warn warn,
        @DefaultValue Replicas replicas,
        @DefaultValue Deadlock deadlock) {

    static final String NAME = "distributed-lock";

    static final String PREFIX = NAME + ".";

    /** Redis may notice so much later that WAIT has reached its time-out. */
    private static final Duration REDIS_TICK = Duration.ofMillis(100);

    @SuppressWarnings("doclint:missing") // The record describes the components.
    public DistributedLockProperties {
        require(!keyPrefix.contains("${"), "key-prefix", "has a placeholder that cannot be resolved");
        require(!keyPrefix.contains("{") && !keyPrefix.contains("}"), "key-prefix", "must not contain braces");
        require(
                instanceLabel == null || !instanceLabel.contains("${"),
                "instance-label",
                "has a placeholder that cannot be resolved");
        require(
                lease.compareTo(LockRequest.MIN_LEASE) >= 0 && lease.compareTo(LockRequest.MAX_LEASE) <= 0,
                "lease",
                "must be from 10ms to 365d");
        require(maxHold == null || maxHold.compareTo(LockRequest.MIN_LEASE) >= 0, "max-hold", "must be at least 10ms");
        require(isPositive(commandTimeout), "command-timeout", "must be positive");
        require(
                commandTimeout.compareTo(EngineSettings.MAX_COMMAND_TIMEOUT) <= 0,
                "command-timeout",
                "must be at most 1d");
        require(!shutdownGrace.isNegative(), "shutdown-grace", "must not be negative");
        require(!retention.isNegative(), "retention", "must not be negative");
        require(maxWaiters > 0, "max-waiters", "must be positive");
        require(
                replicas.acknowledge() == 0 || replicas.timeout().compareTo(lease.dividedBy(3)) <= 0,
                "replicas.timeout",
                "must be at most a third of distributed-lock.lease");
        require(
                replicas.acknowledge() == 0 || replicas.timeout().compareTo(commandTimeout.minus(REDIS_TICK)) <= 0,
                "replicas.timeout",
                "must be at least 100ms less than distributed-lock.command-timeout");
    }

    /**
     * As for the bean of this type, before there are beans: a value of the prefix itself, such as that of an
     * environment variable {@code DISTRIBUTED_LOCK}, is none of these properties.
     */
    static DistributedLockProperties of(Environment environment) {
        return Binder.get(environment)
                .bindOrCreate(
                        NAME,
                        Bindable.of(DistributedLockProperties.class)
                                .withBindRestrictions(BindRestriction.NO_DIRECT_PROPERTY));
    }

    /**
     * The settings for a {@code RedisLockTemplate} of the application, such as one for a second Redis.
     *
     * @return the settings; the properties of transactions, replicas, warnings and deadlocks are not part of them
     */
    public EngineSettings toSettings() {
        return new EngineSettings(
                lease,
                waitUpTo,
                maxHold,
                commandTimeout,
                fairness.maxPasses(),
                fairness.maxBatch(),
                shutdownGrace,
                retention,
                release,
                maxWaiters);
    }

    private static boolean isPositive(Duration duration) {
        return !duration.isNegative() && !duration.isZero();
    }

    private static void require(boolean condition, String property, String rule) {
        if (!condition) {
            throw new InvalidLockPropertyException(PREFIX + property, rule);
        }
    }

    /**
     * Limits of local hand-overs while another instance waits for the lock.
     *
     * @param maxPasses Maximum number of consecutive hand-overs inside this instance while another instance waits. Zero
     *     for none.
     * @param maxBatch Maximum duration of consecutive hand-overs inside this instance while another instance waits.
     *     Zero for none.
     */
    public record Fairness(
            @DefaultValue("" + EngineSettings.DEFAULT_MAX_PASSES)
            int maxPasses,

            @DefaultValue(EngineSettings.DEFAULT_MAX_BATCH_MILLIS + "ms")
            Duration maxBatch) {

        @SuppressWarnings("doclint:missing") // The record describes the components.
        public Fairness {
            require(maxPasses >= 0, "fairness.max-passes", "must not be negative");
            require(!maxBatch.isNegative(), "fairness.max-batch", "must not be negative");
        }
    }

    /**
     * Limits of waits and holds, above which a warning is logged.
     *
     * @param waiting How long callers of this instance may wait for a lock before a warning is logged. Zero for no
     *     limit.
     * @param holding How long a caller of this instance may hold a lock before a warning is logged. Zero for no limit.
     */
    public record Warn(
            @DefaultValue("30s") Duration waiting,
            @DefaultValue("30s") Duration holding) {

        @SuppressWarnings("doclint:missing") // The record describes the components.
        public Warn {
            require(!waiting.isNegative(), "warn.waiting", "must not be negative");
            require(!holding.isNegative(), "warn.holding", "must not be negative");
        }
    }

    /**
     * Settings of the search for deadlocks.
     *
     * @param after Waiting time after which the library searches for deadlocks. Zero for never.
     * @param resolve Whether one caller of a deadlock gets a LockDeadlockException.
     */
    public record Deadlock(
            @DefaultValue("10s") Duration after,
            @DefaultValue("false") boolean resolve) {

        @SuppressWarnings("doclint:missing") // The record describes the components.
        public Deadlock {
            require(!after.isNegative(), "deadlock.after", "must not be negative");
        }
    }

    /**
     * Settings of transactions under locks.
     *
     * @param guard Whether transaction managers get a listener or proxy that stops commits after the loss of a lock.
     */
    public record Transaction(@DefaultValue("true") boolean guard) {}

    /**
     * Whether locks wait for the replicas of Redis.
     *
     * @param acknowledge Number of replicas that must confirm each grant and renewal before it counts. Zero for none.
     * @param timeout Maximum time to wait for these replicas. At most a third of the lease, and at least 100ms less
     *     than command-timeout.
     */
    public record Replicas(
            @DefaultValue("0") int acknowledge,
            @DefaultValue("1s") Duration timeout) {

        @SuppressWarnings("doclint:missing") // The record describes the components.
        public Replicas {
            require(acknowledge >= 0, "replicas.acknowledge", "must not be negative");
            require(timeout.compareTo(Duration.ofMillis(1)) >= 0, "replicas.timeout", "must be at least 1ms");
        }
    }
}
