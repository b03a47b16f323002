/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

/** No lock: every caller enters the section. */
final class NoLockContender implements Contender {

    @Override
    public Held acquire(String name) {
        return () -> {};
    }

    @Override
    public void close() {}
}
