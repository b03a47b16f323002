/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import io.distributedlock.benchmarks.machine.Topology;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** The contenders that can be measured, in the order of the report. */
public enum ContenderKind {
    BARE("bare", "two scripts through Lettuce; polls without a pause while another caller holds", BareContender::new),
    REDISSON("redisson", "Redisson RLock, watchdog", port -> new RedissonContender(port, false)),
    REDISSON_FAIR("redisson-fair", "Redisson RFairLock, watchdog", port -> new RedissonContender(port, true)),
    SPRING_SPIN(
            "si-spin",
            "Spring Integration RedisLockRegistry, SPIN_LOCK",
            port -> new SpringIntegrationContender(port, RedisLockType.SPIN_LOCK, false)),
    SPRING_PUBSUB(
            "si-pubsub",
            "Spring Integration RedisLockRegistry, PUB_SUB_LOCK",
            port -> new SpringIntegrationContender(port, RedisLockType.PUB_SUB_LOCK, false)),
    SPRING_RENEWED(
            "si-spin-renewed",
            "as si-spin, with the scheduler that it needs to renew",
            port -> new SpringIntegrationContender(port, RedisLockType.SPIN_LOCK, true)),
    LOCK4J("lock4j", "lock4j LockTemplate over RedisTemplate, no watchdog", Lock4jContender::new),
    OURS("ours", "RedisLockTemplate", port -> new TemplateContender(port, OurSettings.DEFAULT)),
    OURS_ANNOTATED(
            "ours-annotated",
            "a method with @DistributedLocked(key = \"#name\")",
            port -> new AnnotatedContender(port, false)),
    OURS_METERED("ours-metered", "as ours-annotated, with a MeterRegistry", port -> new AnnotatedContender(port, true)),
    OURS_ASYNC_RELEASE(
            "ours-async-release",
            "RedisLockTemplate that does not wait for the reply to a release",
            port -> new TemplateContender(port, OurSettings.ASYNC_RELEASE)),
    OURS_RETENTION(
            "ours-retention",
            "RedisLockTemplate that keeps an unused lease for a moment",
            port -> new TemplateContender(port, OurSettings.RETENTION)),
    OURS_CLUSTER(
            "ours-cluster",
            "RedisLockTemplate in a cluster of 3 masters with a replica each",
            Topology.CLUSTER,
            TemplateContender::inCluster),
    OURS_REPLICATED(
            "ours-replicated",
            "RedisLockTemplate at a master with a replica, which confirms nothing",
            Topology.REPLICATED,
            port -> new TemplateContender(port, OurSettings.DEFAULT)),
    OURS_ACKNOWLEDGED(
            "ours-acknowledged",
            "RedisLockTemplate at the same servers, every grant confirmed by the replica",
            Topology.REPLICATED,
            TemplateContender::acknowledged),
    /** Shows that a violation of mutual exclusion is found; never part of a comparison. */
    NO_LOCK("no-lock", "no lock at all", port -> new NoLockContender());

    private final String id;

    private final String description;

    private final Topology topology;

    @SuppressWarnings("ImmutableEnumChecker")
    private final IntFunction<Contender> opener;

    ContenderKind(String id, String description, IntFunction<Contender> opener) {
        this(id, description, Topology.ONE_SERVER, opener);
    }

    ContenderKind(String id, String description, Topology topology, IntFunction<Contender> opener) {
        this.id = id;
        this.description = description;
        this.topology = topology;
        this.opener = opener;
    }

    public String id() {
        return id;
    }

    public String description() {
        return description;
    }

    /** The servers that the contender needs. */
    public Topology topology() {
        return topology;
    }

    /** Connects to the Redis on that port of this machine; for a cluster, the port of any of its servers. */
    public Contender open(int port) {
        return opener.apply(port);
    }

    public boolean isOurs() {
        return name().startsWith("OURS");
    }

    /** Whether a thread that holds the lock may take it again. */
    public boolean isReentrant() {
        return this != LOCK4J && this != NO_LOCK;
    }

    /**
     * Whether the contender deletes keys outside of its scripts. Redisson deletes the latch of every release with a
     * separate command, while the lock itself is deleted inside the script. The server counts both as {@code del}.
     */
    public boolean deletesOutsideOfScripts() {
        return this == REDISSON || this == REDISSON_FAIR;
    }

    public static ContenderKind of(String id) {
        return Arrays.stream(values())
                .filter(kind -> kind.id.equals(id))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("No contender is called " + id));
    }
}
