/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import io.distributedlock.benchmarks.contenders.ContenderKind;

/**
 * What one worker JVM shall do to a lock for a while.
 *
 * @param kind the lock
 * @param port where its Redis, the proxy in front of it, or a server of its cluster listens
 * @param jvm number of the JVM, from 1
 * @param threads how many threads take the lock over and over
 * @param shared whether they, and those of the other JVMs, all take the same lock, or each its own
 * @param nested whether each thread takes its lock once and then again and again inside
 * @param sectionNanos how long to sleep while holding it
 * @param page the file with the page in which holders of the same lock meet
 * @param start when to begin, on the clock of {@link System#nanoTime()}, which all JVMs of a machine share
 * @param length for how many nanoseconds
 */
public record LoadOrder(
        ContenderKind kind,
        int port,
        int jvm,
        int threads,
        boolean shared,
        boolean nested,
        long sectionNanos,
        String page,
        long start,
        long length) {

    public long end() {
        return start + length;
    }

    /** Numbers of threads are unique over all JVMs. */
    int firstThread() {
        return (jvm - 1) * threads + 1;
    }
}
