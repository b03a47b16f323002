/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import static io.distributedlock.benchmarks.contenders.ContenderKind.BARE;
import static io.distributedlock.benchmarks.contenders.ContenderKind.LOCK4J;
import static io.distributedlock.benchmarks.contenders.ContenderKind.OURS;
import static io.distributedlock.benchmarks.contenders.ContenderKind.OURS_ACKNOWLEDGED;
import static io.distributedlock.benchmarks.contenders.ContenderKind.OURS_ANNOTATED;
import static io.distributedlock.benchmarks.contenders.ContenderKind.OURS_ASYNC_RELEASE;
import static io.distributedlock.benchmarks.contenders.ContenderKind.OURS_CLUSTER;
import static io.distributedlock.benchmarks.contenders.ContenderKind.OURS_METERED;
import static io.distributedlock.benchmarks.contenders.ContenderKind.OURS_REPLICATED;
import static io.distributedlock.benchmarks.contenders.ContenderKind.OURS_RETENTION;
import static io.distributedlock.benchmarks.contenders.ContenderKind.REDISSON;
import static io.distributedlock.benchmarks.contenders.ContenderKind.REDISSON_FAIR;
import static io.distributedlock.benchmarks.contenders.ContenderKind.SPRING_PUBSUB;
import static io.distributedlock.benchmarks.contenders.ContenderKind.SPRING_RENEWED;
import static io.distributedlock.benchmarks.contenders.ContenderKind.SPRING_SPIN;

import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.benchmarks.report.ScenarioInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** All scenarios, in the order of the report. */
public final class Catalog {

    static final String SOLO = "solo";

    static final String OWN = "own-64";

    static final String ONE = "one-64";

    static final String ONE_1MS = "one-64-1ms";

    static final String REENTRY = "re-entry";

    static final String HELD_10K = "held-10k";

    static final String HELD_100K = "held-100k";

    static final String NAMES = "names";

    static final String CROWD = "crowd";

    static final String PIECES = "pieces";

    static final String WAITING = "waiting";

    static final String START_UP = "start-up";

    private static final String FAR = "far-";

    private static final String CLUSTER = "cluster-";

    private static final String ACKNOWLEDGED = "acknowledged-";

    private static final List<ContenderKind> ALL = List.of(
            BARE,
            REDISSON,
            REDISSON_FAIR,
            SPRING_SPIN,
            SPRING_PUBSUB,
            LOCK4J,
            OURS,
            OURS_ANNOTATED,
            OURS_METERED,
            OURS_ASYNC_RELEASE,
            OURS_RETENTION);

    /** With contention, contenders differ in how they hand the lock over, which is the same behind an annotation. */
    private static final List<ContenderKind> CONTENDED = List.of(
            BARE,
            REDISSON,
            REDISSON_FAIR,
            SPRING_SPIN,
            SPRING_PUBSUB,
            LOCK4J,
            OURS,
            OURS_ASYNC_RELEASE,
            OURS_RETENTION);

    private Catalog() {}

    static String shared(int jvms, int threads) {
        return jvms + "x" + threads;
    }

    static String far(String id) {
        return FAR + id;
    }

    static String cluster(String id) {
        return CLUSTER + id;
    }

    /** The given number of threads, each with its own lock. */
    static String acknowledged(int threads) {
        return ACKNOWLEDGED + threads;
    }

    public static List<Scenario> all() {
        List<Scenario> scenarios = new ArrayList<>(loads(false));
        scenarios.addAll(loads(true));
        scenarios.add(new LoadScenario(Descriptions.reentry(REENTRY), 1, 1, false, true, 0, false, reentrant()));
        scenarios.add(held(HELD_10K, 1, false, List.of(REDISSON, SPRING_RENEWED, OURS)));
        scenarios.add(held(HELD_100K, 10, false, List.of(REDISSON, OURS)));
        scenarios.add(held(far(HELD_100K), 10, true, List.of(OURS)));
        scenarios.add(new NamesScenario(Descriptions.names(NAMES), List.of(REDISSON, SPRING_PUBSUB, OURS)));
        scenarios.add(new WaitingScenario(Descriptions.waiting(WAITING)));
        scenarios.add(new StartUpScenario(Descriptions.startUp(START_UP)));
        scenarios.add(crowd(1, 10, 100, 1_000, 10_000));
        scenarios.add(new MicroScenario(Descriptions.pieces(PIECES)));
        scenarios.addAll(clustered());
        scenarios.add(confirmed(16));
        scenarios.add(confirmed(64));
        return scenarios;
    }

    private static List<ContenderKind> reentrant() {
        return ALL.stream().filter(ContenderKind::isReentrant).toList();
    }

    /** Two JVMs with two threads each that contend for the same lock, for any contenders. */
    public static Scenario twoJvms(ContenderKind... contenders) {
        return load(shared(2, 2), 2, 2, true, 0, List.of(contenders));
    }

    /** One lock with the given numbers of waiting instances, one after the other. */
    public static Scenario crowd(Integer... sizes) {
        return new CrowdScenario(Descriptions.crowd(CROWD), List.of(sizes));
    }

    /** The scenarios for a check that everything works. */
    public static List<Scenario> quick() {
        List<String> left = List.of(
                SOLO,
                OWN,
                ONE,
                shared(4, 4),
                shared(8, 1),
                far(shared(2, 1)),
                REENTRY,
                HELD_10K,
                NAMES,
                CROWD,
                WAITING,
                START_UP,
                PIECES);
        return all().stream()
                .filter(scenario -> left.contains(scenario.info().id()))
                .toList();
    }

    /** A load on one Redis, near or far. */
    private static List<Scenario> loads(boolean delayed) {
        String prefix = delayed ? FAR : "";
        List<Scenario> scenarios = new ArrayList<>();
        scenarios.add(load(prefix + SOLO, 1, 1, false, 0, ALL));
        scenarios.add(load(prefix + OWN, 1, 64, false, 0, ALL));
        scenarios.add(load(prefix + ONE, 1, 64, true, 0, CONTENDED));
        if (!delayed) {
            scenarios.add(load(ONE_1MS, 1, 64, true, TimeUnit.MILLISECONDS.toNanos(1), CONTENDED));
        }
        scenarios.add(load(prefix + shared(2, 1), 2, 1, true, 0, CONTENDED));
        scenarios.add(load(prefix + shared(4, 4), 4, 4, true, 0, CONTENDED));
        scenarios.add(load(prefix + shared(8, 1), 8, 1, true, 0, CONTENDED));
        return scenarios;
    }

    /**
     * The same loads on one server, on a cluster, and on a master with a replica, which shows the cost of replication.
     */
    private static List<Scenario> clustered() {
        return List.of(
                clustered(SOLO, 1, 1, false),
                clustered(OWN, 1, 64, false),
                clustered(shared(4, 1), 4, 1, true),
                clustered(shared(4, 4), 4, 4, true));
    }

    private static LoadScenario clustered(String id, int jvms, int threads, boolean shared) {
        ScenarioInfo info = Descriptions.elsewhere(
                Descriptions.load(cluster(id), jvms, threads, shared, 0, false),
                "one server and a cluster",
                "In turn, all use one server, a master with a replica, or a cluster of 3 masters with a replica each.");
        return new LoadScenario(
                info, jvms, threads, shared, false, 0, false, List.of(OURS, OURS_REPLICATED, OURS_CLUSTER));
    }

    private static LoadScenario confirmed(int threads) {
        ScenarioInfo info = Descriptions.elsewhere(
                Descriptions.load(acknowledged(threads), 1, threads, false, 0, false),
                "with and without a replica that confirms",
                "In turn, the replica of the same master confirms each grant, or it confirms nothing.");
        return new LoadScenario(info, 1, threads, false, false, 0, false, List.of(OURS_REPLICATED, OURS_ACKNOWLEDGED));
    }

    private static LoadScenario load(
            String id, int jvms, int threads, boolean shared, long sectionNanos, List<ContenderKind> contenders) {
        boolean delayed = id.startsWith(FAR);
        ScenarioInfo info = Descriptions.load(id, jvms, threads, shared, sectionNanos, delayed);
        return new LoadScenario(info, jvms, threads, shared, false, sectionNanos, delayed, contenders);
    }

    private static HeldScenario held(String id, int tenThousands, boolean delayed, List<ContenderKind> contenders) {
        return new HeldScenario(Descriptions.held(id, tenThousands, delayed), tenThousands, delayed, contenders);
    }
}
