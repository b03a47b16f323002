/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import io.distributedlock.benchmarks.contenders.ContenderKind;

/**
 * The load that one worker JVM puts on a lock for a while.
 *
 * @param kind the lock
 * @param port where its Redis, the proxy in front of it, or a server of its cluster listens
 * @param jvm number of the JVM, from 1
 * @param threads the number of threads that acquire the lock over and over
 * @param shared whether the threads of all JVMs acquire the same lock, or each thread its own
 * @param nested whether each thread holds its lock and acquires it again and again meanwhile
 * @param sectionNanos how long a thread sleeps while it holds the lock
 * @param page the file with the page in which holders of the same lock detect each other
 * @param start the start time, on the clock of {@link System#nanoTime()}, which all JVMs of a machine share
 * @param length the duration in nanoseconds
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
