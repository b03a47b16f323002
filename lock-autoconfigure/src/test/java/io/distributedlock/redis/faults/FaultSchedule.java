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
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Deals all faults in random order, so that none is forgotten.
 *
 * @param <R> the rows of one topology
 */
final class FaultSchedule<R extends FaultRow<?>> {

    /** What loses data is dealt to one of them, so that the others can be judged as if Redis never lost any. */
    static final int ROUNDS = 3;

    private final Random random;

    private final List<R> rows;

    FaultSchedule(Random random, List<R> rows) {
        this.random = random;
        this.rows = rows;
    }

    /** All faults, each once. Those that need longer leases than others are a round of their own. */
    List<List<R>> deal() {
        List<List<R>> rounds = new ArrayList<>();
        rows.stream()
                .collect(Collectors.groupingBy(FaultRow::leases, TreeMap::new, Collectors.toList()))
                .forEach((leases, together) -> deal(together, leases == 1 ? ROUNDS : 1, rounds));
        return rounds;
    }

    private void deal(List<R> together, int count, List<List<R>> rounds) {
        List<R> harmless = new ArrayList<>();
        List<R> losing = new ArrayList<>();
        for (R row : together) {
            (row.model() == Model.NO_LOSS ? harmless : losing).add(row);
        }
        Collections.shuffle(harmless, random);
        int unlucky = random.nextInt(count);
        int size = together.size() / count;
        for (int i = 0; i < count; i++) {
            List<R> round = new ArrayList<>(i == unlucky ? losing : List.of());
            int last = i == count - 1 ? harmless.size() : Math.min(harmless.size(), size - round.size());
            round.addAll(harmless.subList(0, last));
            harmless.subList(0, last).clear();
            Collections.shuffle(round, random);
            rounds.add(round);
        }
    }
}
