/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.report;

import java.util.Locale;

/** The measured quantities and their format, in the order of the columns. */
public enum Metric {
    CYCLES("cycles/s", 0, "acquire + release, per second"),
    CYCLE_P50("cycle p50 µs", 1, "one acquire + release"),
    CYCLE_P99("cycle p99 µs", 0, "one acquire + release"),
    WAIT_P50("wait p50 µs", 1, "from the request for the lock to the start of the section"),
    WAIT_P99("wait p99 µs", 0, "from the request for the lock to the start of the section"),
    WAIT_MAX("wait max µs", 0, "from the request for the lock to the start of the section"),
    HANDOVER_P50("hand-over p50 µs", 1, "from the end of a section to the start of the next one of another thread"),
    HANDOVER_P99("hand-over p99 µs", 0, "from the end of a section to the start of the next one of another thread"),
    HANDOVER_MAX("hand-over max µs", 0, "the longest time without a thread in the section although all wait"),
    REMOTE("to another JVM /s", 0, "hand-overs from one JVM to another, per second"),
    SELF("self %", 1, "share of acquisitions by the thread that held the lock last, without a hand-over"),
    STRETCH_P99("stretch p99 µs", 0, "how long one JVM keeps the lock among its threads"),
    STRETCH_MAX("stretch max µs", 0, "how long one JVM keeps the lock among its threads"),
    JAIN("Jain", 3, "Jain's index of fairness over the threads' shares; 1 is equal"),
    FEWEST("fewest", 0, "cycles of the thread that got the fewest"),
    MOST("most", 0, "cycles of the thread that got the most"),
    COMMANDS("commands/cycle", 2, "commands that clients send, by the servers' own counters"),
    BYTES_IN("in B/cycle", 0, "bytes that the servers receive, replicas included"),
    BYTES_OUT("out B/cycle", 0, "bytes that the servers send, replicas included"),
    REDIS_CPU("Redis CPU µs/cycle", 1, "CPU time of the servers, replicas included, user and system"),
    BUS_MESSAGES("bus messages", 0, "messages of channels that servers of a cluster send to other shards"),
    CLIENT_CPU("client CPU µs/cycle", 1, "CPU time of all JVMs under load"),
    ACQUIRE_SECONDS("acquired in s", 1, "time to take all locks"),
    HEAP_PER_10K("heap MB/10 000", 2, "heap after full collections, less that before, per 10 000 locks"),
    HANDOVER_CPU("Redis µs/hand-over", 1, "time that Redis takes for a release that hands the lock over"),
    SCRIPTS_PER_SECOND("scripts/s", 1, "scripts that clients run while they only hold, or only wait"),
    LOST("lost", 0, "locks whose key is gone, that the handle reports as lost, or whose release failed"),
    REDIS_CPU_SHARE("Redis CPU %", 1, "of one core"),
    CLIENT_CPU_SHARE("client CPU %", 1, "of one core"),
    HEAP_GROWTH("heap growth MB", 1, "heap after full collections, less that before"),
    HEAP_EACH("heap B each", 0, "heap after full collections, less that before, for each one"),
    THREADS("threads", 0, "how many more threads there are; fewer if some that were idle have ended"),
    START_MILLIS("start ms", 0, "time to start the application, in a JVM that has started none before"),
    START_CPU("start CPU ms", 0, "CPU time of the thread that starts the application: other load changes it less"),
    START_ADDED("more ms", 0, "how much longer that takes than with neither annotation nor advice"),
    START_BESIDE("more than proxies ms", 0, "how much longer it takes than with proxies that do nothing"),
    START_CPU_ADDED("more CPU ms", 0, "how much more CPU time of that thread than with neither annotation nor advice"),
    START_CPU_BESIDE("more CPU than proxies ms", 0, "how much more than with proxies that do nothing"),
    KEYS_LEFT("keys left", 0, "keys in the server at the end"),
    NANOS("ns/op", 1, "time of one operation"),
    VIOLATIONS("violations", 0, "how often a second thread was in the section"),
    ERRORS("errors", 0, "calls that have failed");

    private final String label;

    private final int decimals;

    private final String meaning;

    Metric(String label, int decimals, String meaning) {
        this.label = label;
        this.decimals = decimals;
        this.meaning = meaning;
    }

    public String label() {
        return label;
    }

    public String meaning() {
        return meaning;
    }

    public String format(double value) {
        // Below one, significant digits matter more than decimal places.
        int places = Math.abs(value) < 1 && value != 0 ? Math.max(decimals, 2) : decimals;
        return String.format(Locale.ROOT, "%." + places + "f", value);
    }
}
