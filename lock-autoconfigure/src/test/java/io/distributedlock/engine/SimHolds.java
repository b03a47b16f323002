/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.lang.reflect.Field;

/** What the public API does only blocking. */
final class SimHolds {

    private static final Field HOLD = field();

    private SimHolds() {}

    private static Field field() {
        try {
            Field hold = DefaultLockHandle.class.getDeclaredField("hold");
            hold.setAccessible(true);
            return hold;
        } catch (NoSuchFieldException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static Hold of(DefaultLockHandle handle) {
        try {
            return (Hold) HOLD.get(handle);
        } catch (IllegalAccessException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Sends an extension and does not wait for its answer. */
    static void extend(LockEngine engine, DefaultLockHandle handle, long millis) {
        Hold hold = of(handle);
        LeaseRenewal.Due due = hold.lock.extend(hold, millis * 1_000_000);
        if (due != null) {
            engine.renewal().sendNow(due);
        }
    }
}
