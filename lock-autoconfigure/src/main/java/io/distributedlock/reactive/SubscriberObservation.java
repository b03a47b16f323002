/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.reactive;

import io.micrometer.observation.Observation;
import org.springframework.util.ClassUtils;
import reactor.util.context.ContextView;

/**
 * The observation of a subscriber, which Micrometer keeps in the Reactor context. While it is open, it is that of the
 * calling thread, so that observations of the lock belong to the trace of the subscriber.
 *
 * @since 0.1.0
 */
public final class SubscriberObservation implements AutoCloseable {

    private static final boolean PRESENT =
            ClassUtils.isPresent("io.micrometer.observation.Observation", SubscriberObservation.class.getClassLoader());

    /** The key of Micrometer's {@code ObservationThreadLocalAccessor}. */
    private static final String KEY = "micrometer.observation";

    private final AutoCloseable scope;

    private SubscriberObservation(AutoCloseable scope) {
        this.scope = scope;
    }

    /**
     * Opens it in the calling thread; does nothing if there is none, or Micrometer is missing.
     *
     * @param context the context of the subscriber
     * @return the open observation, which the calling thread has to close
     */
    public static SubscriberObservation open(ContextView context) {
        return new SubscriberObservation(PRESENT && context.hasKey(KEY) ? Opened.from(context) : () -> {});
    }

    @Override
    public void close() {
        try {
            scope.close();
        } catch (RuntimeException ex) {
            throw ex;
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** A separate class, since Micrometer may be missing. */
    private static final class Opened {

        static AutoCloseable from(ContextView context) {
            Object known = context.get(KEY);
            return known instanceof Observation observation ? observation.openScope() : () -> {};
        }
    }
}
