/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.benchmarks.machine.RedisCounters;
import io.distributedlock.benchmarks.machine.RedisCounters.Reading;
import io.distributedlock.benchmarks.machine.WorkerJvm;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.worker.Json;
import io.distributedlock.benchmarks.worker.LoadOrder;
import io.distributedlock.benchmarks.worker.LoadResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** The worker JVMs of one load scenario. */
final class LoadSession implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    /** The time for the order to reach all JVMs. */
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

    private final LoadScenario scenario;

    private final Bench bench;

    private List<WorkerJvm> workers;

    LoadSession(LoadScenario scenario, Bench bench) {
        this.scenario = scenario;
        this.bench = bench;
        this.workers = bench.workers().take(scenario.jvms());
    }

    /** Connects and runs until the code is compiled. */
    void warmUp(ContenderKind kind) {
        bench.servers(kind).counters().reset();
        open(kind);
        load(kind, bench.pace().firstMillis());
    }

    Measurement measure(ContenderKind kind, int round) {
        RedisCounters counters = bench.servers(kind).counters();
        counters.reset();
        open(kind);
        requestAll("gc", jvm -> new Object[0]);
        load(kind, bench.pace().warmUpMillis());
        counters.reset();
        Reading before = counters.read();
        List<LoadResult> loads = load(kind, bench.pace().measureMillis());
        Reading after = counters.read();
        return new LoadFigures(scenario, kind, loads, before, after)
                .toMeasurement(round, bench.pace().measureMillis() / 1000.0);
    }

    private void open(ContenderKind kind) {
        requestAll("open", jvm -> new Object[] {kind.id(), port(kind)});
    }

    private int port(ContenderKind kind) {
        return scenario.delayed() ? bench.port(true) : bench.servers(kind).port();
    }

    /** Replaces the JVMs if one of them has ended. */
    void repair() {
        workers = bench.workers().take(scenario.jvms());
    }

    private List<LoadResult> load(ContenderKind kind, long millis) {
        bench.clearPage();
        long start = System.nanoTime() + LEAD_NANOS * (1 + scenario.jvms() / 4);
        return requestAll("load", jvm -> new Object[] {Json.write(order(kind, jvm, start, millis))}).stream()
                .map(reply -> Json.read(reply, LoadResult.class))
                .toList();
    }

    private LoadOrder order(ContenderKind kind, int jvm, long start, long millis) {
        return new LoadOrder(
                kind,
                port(kind),
                jvm,
                scenario.threads(),
                scenario.shared(),
                scenario.nested(),
                scenario.sectionNanos(),
                bench.page().toString(),
                start,
                TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private List<String> requestAll(String request, IntFunction<Object[]> arguments) {
        List<CompletableFuture<String>> replies = new ArrayList<>();
        for (int jvm = 1; jvm <= workers.size(); jvm++) {
            replies.add(workers.get(jvm - 1).send(request, arguments.apply(jvm)));
        }
        return IntStream.range(0, workers.size())
                .mapToObj(i -> workers.get(i).await(replies.get(i), LIMIT))
                .toList();
    }

    @Override
    public void close() {
        bench.workers().release();
    }
}
