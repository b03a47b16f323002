/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import io.distributedlock.benchmarks.contenders.Contender;
import java.util.concurrent.locks.LockSupport;

/** Acquires a lock, works in the section and releases the lock, again and again until the end of the load. */
final class LoadThread extends Thread {

    /** After this number of failures, a thread stops, since the figures are of no use any more. */
    private static final int MOST_ERRORS = 100;

    private final LoadOrder order;

    private final Contender contender;

    private final MeetingPage page;

    private final int number;

    private final String lock;

    private final Runnable section = this::inside;

    private long requested;

    final Recording recording = new Recording();

    LoadThread(LoadOrder order, Contender contender, MeetingPage page, int index) {
        super("load-" + index);
        setDaemon(true);
        this.order = order;
        this.contender = contender;
        this.page = page;
        this.number = order.firstThread() + index;
        this.lock = order.shared() ? "the-one" : "own-" + number;
    }

    @Override
    public void run() {
        for (long left = order.start() - System.nanoTime(); left > 0; left = order.start() - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        try {
            if (order.nested()) {
                contender.run(lock, this::cycles);
            } else {
                cycles();
            }
        } catch (Exception | Error e) {
            recording.failed(e);
        }
    }

    private void cycles() {
        while (System.nanoTime() < order.end() && recording.errors < MOST_ERRORS) {
            try {
                requested = System.nanoTime();
                contender.run(lock, section);
                recording.cycle.recordValue(System.nanoTime() - requested);
            } catch (Exception | Error e) {
                recording.failed(e);
            }
        }
    }

    private void inside() {
        long now = System.nanoTime();
        recording.wait.recordValue(now - requested);
        recording.all++;
        if (now < order.end()) {
            recording.inTime++;
        }
        if (order.shared()) {
            page.enter(number, order.jvm(), now, recording);
            work();
            page.leave(number, recording);
        } else {
            work();
        }
    }

    private void work() {
        if (order.sectionNanos() > 0) {
            LockSupport.parkNanos(order.sectionNanos());
        }
    }
}
