/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

/** Lets everybody in. */
final class NoLockContender implements Contender {

    @Override
    public Held acquire(String name) {
        return () -> {};
    }

    @Override
    public void close() {}
}
