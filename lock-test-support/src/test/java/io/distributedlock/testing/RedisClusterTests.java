/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag(TestLength.FULL)
class RedisClusterTests {

    private static final String KEY = "a {key}";

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.startDivisible(3, 1, Duration.ofSeconds(1));
    }

    @AfterAll
    static void close() {
        cluster.close();
        assertThat(cluster.alive()).isEmpty();
    }

    @Test
    void sharesAllSlotsAmongItsMasters() {
        assertThat(cluster.masters()).hasSize(3);
        assertThat(cluster.masters())
                .allSatisfy(master ->
                        assertThat(cluster.replicasOf(master)).singleElement().matches(ClusterNode::isFollowing));
        ClusterNode owner = cluster.masterOf(KEY);
        assertThat(owner.text("SET", KEY, "1")).isEqualTo("OK");
        ClusterNode other = another(owner);
        assertThatIllegalStateException()
                .isThrownBy(() -> other.text("GET", KEY))
                .withMessage("MOVED %d 127.0.0.1:%d", cluster.slotOf(KEY), owner.port());
    }

    @Test
    void movesASlotStepByStep() {
        ClusterNode source = cluster.masterOf(KEY);
        source.text("SET", KEY, "1");
        ClusterNode target = another(source);
        SlotMove move = cluster.move(cluster.slotOf(KEY), target).begin();
        assertThat(source.text("GET", KEY)).isEqualTo("1");
        assertThat(move.migrateKeys()).isEqualTo(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> source.text("GET", KEY))
                .withMessageStartingWith("ASK " + move.slot());
        move.finish();
        assertThat(target.text("GET", KEY)).isEqualTo("1");
        assertThat(cluster.masterOf(KEY)).isSameAs(target);
    }

    @Test
    void failsOverByCommandAndAfterADeath() {
        ClusterNode old = cluster.masterOf(KEY);
        ClusterNode replica = cluster.replicasOf(old).get(0);
        cluster.failover(replica);
        cluster.awaitWhole();
        assertThat(cluster.masters()).contains(replica).doesNotContain(old);
        replica.freeze();
        cluster.awaitMaster(old);
        replica.wake();
        cluster.awaitWhole();
        assertThat(cluster.nodes())
                .allSatisfy(node -> assertThat(node.rows())
                        .filteredOn(row -> row.id().equals(replica.id()))
                        .extracting(ClusterRow::master)
                        .containsExactly(old.id()));
        old.kill();
        cluster.awaitMaster(replica);
        assertThat(cluster.alive()).hasSize(5);
    }

    /** Clients reach it all the time. */
    @Test
    void replacesAMasterThatIsCutOffFromTheOthersOnly() {
        ClusterNode old = cluster.masterOf(KEY);
        ClusterNode replica = cluster.replicasOf(old).get(0);
        cluster.cutOff(old);
        assertThat(old.text("SET", KEY, "1")).isEqualTo("OK");
        Waiting.until("the replica is promoted", replica::isMaster);
        assertThat(old.isMaster()).isTrue();
        cluster.heal();
        Waiting.until("the master before follows", () -> !old.isMaster());
        cluster.awaitWhole();
    }

    private static ClusterNode another(ClusterNode master) {
        List<ClusterNode> masters = cluster.masters();
        return masters.get((masters.indexOf(master) + 1) % masters.size());
    }
}
