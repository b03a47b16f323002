/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.micro;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the benchmarks of this package, each in a JVM of its own. */
public final class MicroRun {

    static final String REDIS_PORT = "benchmarks.redis-port";

    private MicroRun() {}

    /** Nanoseconds per operation, one value per iteration, by the name of the benchmark. */
    public static Map<String, List<Double>> run(int redisPort, int iterations, long millis) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(EngineBenchmark.class.getName() + ".*")
                .include(AdviceBenchmark.class.getName() + ".*")
                .include(AnnotatedCallBenchmark.class.getName() + ".*")
                .forks(1)
                .warmupIterations(iterations)
                .warmupTime(TimeValue.milliseconds(millis))
                .measurementIterations(iterations)
                .measurementTime(TimeValue.milliseconds(millis))
                .jvmArgsAppend("-Xmx512m", "-D" + REDIS_PORT + "=" + redisPort)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        try {
            return values(new Runner(options.build()).run());
        } catch (RunnerException e) {
            throw new IllegalStateException("JMH: " + e.getMessage(), e);
        }
    }

    private static Map<String, List<Double>> values(Collection<RunResult> results) {
        Map<String, List<Double>> byName = new LinkedHashMap<>();
        for (RunResult result : results) {
            // The average over the threads is the time of one of them; that of one operation overall is a share of it.
            int threads = result.getParams().getThreads();
            List<Double> values = new ArrayList<>();
            result.getBenchmarkResults()
                    .forEach(fork -> fork.getIterationResults()
                            .forEach(iteration ->
                                    values.add(iteration.getPrimaryResult().getScore() / threads)));
            byName.put(nameOf(result), values);
        }
        return byName;
    }

    /** The name of the benchmark, with the value of its parameter, if any. */
    private static String nameOf(RunResult result) {
        String keys = result.getParams().getParam("keys");
        String label = result.getPrimaryResult().getLabel();
        return keys == null ? label : label + "-" + keys;
    }
}
