/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockListener.Attempt;
import io.distributedlock.LockListener.End;
import io.distributedlock.LockListener.Path;
import io.distributedlock.LockListener.Refusal;
import io.distributedlock.LockOrigin;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LockObservationsTests {

    private final List<Observation.Context> started = new ArrayList<>();

    private final List<Observation.Context> stopped = new ArrayList<>();

    private final LockObservations observations = new LockObservations(registry(), null);

    private ObservationRegistry registry() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStart(Observation.Context context) {
                started.add(context);
            }

            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return registry;
    }

    private Attempt request(String name) {
        Attempt attempt = observations.requested(name, LockOrigin.of("orders"));
        assertThat(attempt).isNotNull();
        return attempt;
    }

    private static String value(Observation.Context context, String key) {
        return context.getAllKeyValues().stream()
                .filter(each -> each.getKey().equals(key))
                .map(KeyValue::getValue)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aRefusedRequestHasAWaitAndNoHold() {
        request("order:1").refused(Refusal.BUSY, 1);

        assertThat(stopped).hasSize(1).isEqualTo(started);
        assertThat(value(stopped.get(0), "outcome")).isEqualTo(Refusal.BUSY.value());
    }

    @Test
    void theOutcomeOfAHoldIsKnownWhenItsObservationStops() {
        Attempt attempt = request("order:1");
        attempt.acquired(Path.FREE, 1);
        attempt.ended(End.RELEASED, 1);

        assertThat(stopped).hasSize(2).isEqualTo(started);
        assertThat(value(stopped.get(0), "outcome")).isEqualTo("acquired");
        assertThat(value(stopped.get(1), "outcome")).isEqualTo(End.RELEASED.value());
    }

    /** It has no end of its own, so its observation would last for ever. */
    @Test
    void aReEntryStartsNoHold() {
        request("order:1").acquired(Path.RE_ENTERED, 0);

        assertThat(stopped).hasSize(1).isEqualTo(started);
    }

    @Test
    void aLongNameIsCutInSpans() {
        request("n".repeat(1_000)).refused(Refusal.BUSY, 1);

        assertThat(value(stopped.get(0), "lock.name")).hasSize(203).endsWith("n...");
    }
}
