/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.distributedlock.LockListener.End;
import io.distributedlock.LockListener.Path;
import io.distributedlock.LockListener.Refusal;
import io.distributedlock.LockOrigin;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * The context of an observation of a lock: one for the time in which a caller waits, and one for the time in which it
 * holds.
 *
 * @since 0.1.0
 */
public final class LockObservationContext extends Observation.Context {

    /** The observed stage. */
    public enum Stage {
        /** From the request to its outcome. */
        WAITING,
        /** From the grant to the end of the hold. */
        HOLDING
    }

    private final Stage stage;

    private final String lockName;

    private final LockOrigin origin;

    private volatile @Nullable Path path;

    private volatile @Nullable Refusal refusal;

    private volatile @Nullable End end;

    LockObservationContext(Stage stage, String lockName, LockOrigin origin) {
        this.stage = stage;
        this.lockName = lockName;
        this.origin = origin;
    }

    /** {@return whether the caller waits or holds} */
    public Stage getStage() {
        return stage;
    }

    /** {@return the name of the lock, with its key: not for metrics} */
    public String getLockName() {
        return lockName;
    }

    /** {@return the origin of the request, whose label is meant for metrics} */
    public LockOrigin getOrigin() {
        return origin;
    }

    /** {@return how the caller has acquired the lock, or null until then} */
    public @Nullable Path getPath() {
        return path;
    }

    /** {@return why the caller did not acquire the lock, or null} */
    public @Nullable Refusal getRefusal() {
        return refusal;
    }

    /** {@return how the hold has ended, or null before that} */
    public @Nullable End getEnd() {
        return end;
    }

    void setPath(Path taken) {
        path = taken;
    }

    void setRefusal(Refusal why) {
        refusal = why;
    }

    void setEnd(End how) {
        end = how;
    }
}
