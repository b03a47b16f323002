/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/** An extension of a hold by its caller. Guarded by the {@link NamedLock}. */
final class Extension {

    /** The extensions of its hold that had begun then, itself included. */
    final int number;

    /** Until when the caller has extended the hold. */
    final long end;

    /** The lease before it. */
    final long sentAtBefore;

    /** As {@link #sentAtBefore}. */
    final long lengthBefore;

    /** Until its reply, or until its caller no longer waits for that. */
    boolean open = true;

    Extension(int number, long end, Lease before) {
        this.number = number;
        this.end = end;
        this.sentAtBefore = before.sentAt();
        this.lengthBefore = before.length();
    }
}
