/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.redis.history.Model;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FaultScheduleTests {

    @Test
    void dealsEachFaultOnceAndTheLossesTogether() {
        FaultSchedule<FaultScenario> deck = new FaultSchedule<>(new Random(1), List.of(FaultScenario.values()));
        for (int i = 0; i < 100; i++) {
            List<List<FaultScenario>> rounds = deck.deal();
            assertThat(rounds).hasSize(FaultSchedule.ROUNDS).noneMatch(List::isEmpty);
            assertThat(rounds.stream().flatMap(List::stream)).containsExactlyInAnyOrder(FaultScenario.values());
            assertThat(rounds)
                    .filteredOn(round -> round.stream().anyMatch(row -> row.model() != Model.NO_LOSS))
                    .hasSize(1);
        }
        assertThat(deck.deal()).isNotEqualTo(deck.deal());
    }

    @Test
    void dealsFaultsThatNeedLongLeasesApart() {
        FaultSchedule<ClusterScenario> deck = new FaultSchedule<>(new Random(1), List.of(ClusterScenario.values()));
        for (int i = 0; i < 100; i++) {
            List<List<ClusterScenario>> rounds = deck.deal();
            assertThat(rounds.stream().flatMap(List::stream)).containsExactlyInAnyOrder(ClusterScenario.values());
            assertThat(rounds)
                    .allSatisfy(round -> assertThat(
                                    round.stream().map(FaultRow::leases).distinct())
                            .hasSize(1));
        }
    }
}
