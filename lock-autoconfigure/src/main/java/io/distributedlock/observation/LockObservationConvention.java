/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observations of locks and their key values. A bean of this type replaces
 * {@link DefaultLockObservationConvention}. Low-cardinality key values become tags of metrics: a lock name must not be
 * one of them, and the keys have to be the same from the start of an observation to its end.
 *
 * @since 0.1.0
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof LockObservationContext;
    }
}
