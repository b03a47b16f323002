/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.distributedlock.LockListener.Tag;
import io.distributedlock.observation.LockObservationContext.Stage;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The default: the name {@code distributed.lock}, and the low-cardinality key values {@code stage} ({@code waiting} or
 * {@code holding}), {@code lock} (the label of the request), {@code outcome} and {@code path}. The lock name is the
 * high-cardinality key value {@code lock.name}, which only spans have.
 *
 * @since 0.1.0
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

    /** For applications that extend it. */
    public DefaultLockObservationConvention() {}

    private static final String NONE = "none";

    private static final int LONGEST_NAME = 200;

    @Override
    public String getName() {
        return "distributed.lock";
    }

    @Override
    public String getContextualName(LockObservationContext context) {
        return (context.getStage() == Stage.WAITING ? "lock wait " : "lock hold ")
                + context.getOrigin().label();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
        boolean holding = context.getStage() == Stage.HOLDING;
        Tag refusalOrEnd = holding ? context.getEnd() : context.getRefusal();
        boolean acquired = !holding && context.getPath() != null;
        return KeyValues.of(
                KeyValue.of("stage", context.getStage().name().toLowerCase(Locale.ROOT)),
                KeyValue.of("lock", context.getOrigin().label()),
                KeyValue.of("outcome", acquired ? "acquired" : value(refusalOrEnd)),
                KeyValue.of("path", value(context.getPath())));
    }

    private static String value(@Nullable Tag tag) {
        return tag == null ? NONE : tag.value();
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
        String name = context.getLockName();
        return KeyValues.of(
                "lock.name", name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME) + "...");
    }
}
