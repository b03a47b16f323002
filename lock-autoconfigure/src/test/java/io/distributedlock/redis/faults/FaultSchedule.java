/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Model;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Deals all faults in random order, so that none is forgotten. */
final class FaultSchedule {

    /** What loses data is dealt to one of them, so that the others can be judged as if Redis never lost any. */
    static final int ROUNDS = 3;

    private final Random random;

    FaultSchedule(Random random) {
        this.random = random;
    }

    /** All faults, each once. */
    List<List<FaultScenario>> deal() {
        List<FaultScenario> harmless = new ArrayList<>();
        List<FaultScenario> losing = new ArrayList<>();
        for (FaultScenario row : FaultScenario.values()) {
            (row.model() == Model.NO_LOSS ? harmless : losing).add(row);
        }
        Collections.shuffle(harmless, random);
        List<List<FaultScenario>> rounds = new ArrayList<>();
        int unlucky = random.nextInt(ROUNDS);
        int size = FaultScenario.values().length / ROUNDS;
        for (int i = 0; i < ROUNDS; i++) {
            List<FaultScenario> round = new ArrayList<>(i == unlucky ? losing : List.of());
            int last = i == ROUNDS - 1 ? harmless.size() : Math.min(harmless.size(), size - round.size());
            round.addAll(harmless.subList(0, last));
            harmless.subList(0, last).clear();
            Collections.shuffle(round, random);
            rounds.add(round);
        }
        return rounds;
    }
}
