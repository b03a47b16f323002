/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.report.Metric;
import io.distributedlock.benchmarks.report.ScenarioInfo;
import java.util.ArrayList;
import java.util.List;

/** The descriptions of the scenarios, and the columns of their tables. */
final class Descriptions {

    private static final List<Metric> COSTS = List.of(
            Metric.COMMANDS, Metric.BYTES_IN, Metric.REDIS_CPU, Metric.BUS_MESSAGES, Metric.CLIENT_CPU, Metric.ERRORS);

    private Descriptions() {}

    static ScenarioInfo load(String id, int jvms, int threads, boolean shared, long sectionNanos, boolean delayed) {
        String where = delayed ? ", Redis 1 ms away" : "";
        String title = title(jvms, threads, shared) + (sectionNanos > 0 ? ", sections of 1 ms" : "") + where;
        String text = (jvms == 1 ? "One JVM" : jvms + " JVMs") + ", "
                + (threads == 1 ? "one thread" : threads + " threads") + (jvms == 1 ? "" : " each")
                + (shared ? ", all for the same lock; " : ", each with a lock of its own, without contention; ")
                + (sectionNanos > 0 ? "the section sleeps for 1 ms" : "the section is empty")
                + (delayed ? "; a proxy adds 1 ms to every round trip." : ".");
        return new ScenarioInfo(id, title, text, columns(jvms, shared), List.of(Metric.CYCLES));
    }

    /** A load that is put on several topologies in turn, without the base line. */
    static ScenarioInfo elsewhere(ScenarioInfo load, String title, String text) {
        return new ScenarioInfo(
                load.id(), load.title() + ", " + title, load.description() + " " + text, load.columns(), List.of());
    }

    private static String title(int jvms, int threads, boolean shared) {
        if (!shared) {
            return threads == 1 ? "1 thread" : threads + " threads, own locks";
        }
        return jvms == 1 ? threads + " threads, one lock" : jvms + " JVMs × " + threads + ", one lock";
    }

    private static List<Metric> columns(int jvms, boolean shared) {
        List<Metric> columns = new ArrayList<>(List.of(Metric.CYCLES));
        if (shared) {
            columns.addAll(List.of(Metric.WAIT_P50, Metric.WAIT_P99, Metric.WAIT_MAX));
            columns.addAll(List.of(Metric.HANDOVER_P50, Metric.HANDOVER_P99, Metric.HANDOVER_MAX));
            if (jvms > 1) {
                columns.addAll(List.of(Metric.REMOTE, Metric.STRETCH_P99, Metric.STRETCH_MAX));
            }
            columns.addAll(List.of(Metric.SELF, Metric.JAIN, Metric.FEWEST, Metric.MOST));
        } else {
            columns.addAll(List.of(Metric.CYCLE_P50, Metric.CYCLE_P99));
        }
        columns.addAll(COSTS);
        return columns;
    }

    static ScenarioInfo reentry(String id) {
        return new ScenarioInfo(
                id,
                "Re-entry",
                "One thread that holds its lock acquires and releases it again and again. The harness itself takes"
                        + " about 0.1 µs per cycle, which is included here and not in the pieces below.",
                columns(1, false),
                List.of(Metric.CYCLES));
    }

    static ScenarioInfo held(String id, int tenThousands, boolean delayed) {
        return new ScenarioInfo(
                id,
                tenThousands + "0 000 held locks" + (delayed ? ", Redis 1 ms away" : ""),
                "One JVM holds that many locks with a lease of 30 s (Spring Integration: 60 s) and only renews"
                        + " them. A quick run has a tenth as many.",
                List.of(
                        Metric.ACQUIRE_SECONDS,
                        Metric.HEAP_PER_10K,
                        Metric.SCRIPTS_PER_SECOND,
                        Metric.LOST,
                        Metric.REDIS_CPU_SHARE,
                        Metric.CLIENT_CPU_SHARE,
                        Metric.ERRORS),
                List.of());
    }

    static ScenarioInfo names(String id) {
        return new ScenarioInfo(
                id,
                "Many names, each used once",
                "1 000 000 names (20 000 in a quick run), 32 threads. The columns show what remains in the JVM, and in"
                        + " Redis immediately afterwards.",
                List.of(Metric.CYCLES, Metric.HEAP_GROWTH, Metric.KEYS_LEFT, Metric.ERRORS),
                List.of());
    }

    static ScenarioInfo waiting(String id) {
        return new ScenarioInfo(
                id,
                "10 000 waiting publishers",
                "That many subscriptions of a `Mono` of an annotated method wait for one lock, which another caller"
                        + " holds.",
                List.of(Metric.HEAP_EACH, Metric.THREADS, Metric.ERRORS),
                List.of());
    }

    static ScenarioInfo startUp(String id) {
        return new ScenarioInfo(
                id,
                "Start of an application",
                "100 beans with 10 methods each. Either all methods have the annotation, each with a key of its own,"
                        + " or they have an advice of Spring that does nothing, or neither. All three applications have"
                        + " the lock's auto-configuration. The advice shows what Spring's proxies alone take. The"
                        + " figure of a round is the median of several starts; a difference is taken between starts"
                        + " that follow each other.",
                List.of(
                        Metric.START_MILLIS,
                        Metric.START_CPU,
                        Metric.START_ADDED,
                        Metric.START_BESIDE,
                        Metric.START_CPU_ADDED,
                        Metric.START_CPU_BESIDE,
                        Metric.ERRORS),
                List.of());
    }

    static ScenarioInfo crowd(String id) {
        return new ScenarioInfo(
                id,
                "Many instances, one lock",
                "That many instances wait for a lock that is handed over from one to the next; the scripts write the"
                        + " line. Up to 100 of them are real, and the scripts that they send while they wait are"
                        + " counted. For longer lines, a test with a simulated clock counts these scripts.",
                List.of(Metric.HANDOVER_CPU, Metric.SCRIPTS_PER_SECOND, Metric.ERRORS),
                List.of());
    }

    static ScenarioInfo pieces(String id) {
        return new ScenarioInfo(
                id,
                "Pieces",
                "Measured by JMH. The advised calls use locks that do nothing. The calls of 64 concurrent callers,"
                        + " each with a lock of its own or all with one, send commands to Redis; the others stay in"
                        + " the JVM.",
                List.of(Metric.NANOS, Metric.ERRORS),
                List.of());
    }
}
