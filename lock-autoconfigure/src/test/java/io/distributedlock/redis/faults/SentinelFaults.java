/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Fault;
import io.distributedlock.testing.RedisNode;
import java.util.Random;

/** What happens to servers that Sentinels watch, and to the Sentinels. */
final class SentinelFaults {

    private static final int LIMIT = 30_000;

    private SentinelFaults() {}

    /**
     * By command. The former master goes on as a master until it is made a replica, and what it confirms meanwhile is
     * forgotten then.
     */
    static boolean failOver(FaultTestbed<SentinelTarget> testbed, ClientProcess victim, Random random) {
        SentinelTarget redis = testbed.redis();
        RedisNode former = redis.group().master();
        Fault loss = testbed.losing("TWO_MASTERS", former.toString());
        RedisNode next;
        boolean both;
        try {
            redis.group().failover();
            next = redis.group().awaitSwitchFrom(former);
            both = former.isMaster() && next.isMaster();
            Waits.pause(random.nextInt(500));
            follow(former, next);
        } finally {
            loss.hit();
        }
        boolean moved = haveMoved(testbed, next);
        redis.group().awaitAgreement();
        return both && moved;
    }

    private static void follow(RedisNode former, RedisNode next) {
        former.text("REPLICAOF", "127.0.0.1", Integer.toString(next.port()));
    }

    private static boolean haveMoved(FaultTestbed<SentinelTarget> testbed, RedisNode master) {
        return Waits.until(
                LIMIT,
                () -> SentinelTarget.listeners(master) == testbed.members().size());
    }

    static boolean killMaster(FaultTestbed<SentinelTarget> testbed, ClientProcess victim, Random random) {
        return killMaster(testbed, 100 + random.nextInt((int) testbed.lease().toMillis() / 4));
    }

    /**
     * All holds at that moment have begun since, so all of them are lost. Whoever renews a lost one without noticing
     * goes on for longer than any excuse.
     */
    static boolean killMasterAfterALease(FaultTestbed<SentinelTarget> testbed, ClientProcess victim, Random random) {
        int lease = (int) testbed.lease().toMillis();
        boolean hit = killMaster(testbed, lease + random.nextInt(lease / 4));
        Waits.pause(lease * 3L / 2);
        return hit;
    }

    private static boolean killMaster(FaultTestbed<SentinelTarget> testbed, long millis) {
        SentinelTarget redis = testbed.redis();
        RedisNode former = redis.group().master();
        boolean lost = ReplicaFaults.killWithoutReplication(testbed, former, redis.replica(former), millis);
        RedisNode next = redis.withFailovers(() -> redis.group().awaitSwitchFrom(former));
        boolean moved = haveMoved(testbed, next);
        former.restart();
        follow(former, next);
        redis.group().awaitAgreement();
        return lost && moved;
    }

    /** No Sentinel can replace the master, or knows its address. It is the same afterwards, with all its data. */
    static boolean freezeMasterWithoutSentinels(
            FaultTestbed<SentinelTarget> testbed, ClientProcess victim, Random random) {
        SentinelTarget redis = testbed.redis();
        redis.group().awaitAgreement();
        RedisNode master = redis.group().master();
        redis.group().sentinels().forEach(RedisNode::kill);
        long lease = testbed.lease().toMillis();
        master.freeze();
        try {
            Waits.pause(lease + random.nextInt((int) lease));
        } finally {
            master.wake();
        }
        Waits.pause(random.nextInt((int) lease));
        redis.group().sentinels().forEach(RedisNode::restart);
        redis.group().awaitAgreement();
        return redis.group().master() == master && haveMoved(testbed, master);
    }
}
