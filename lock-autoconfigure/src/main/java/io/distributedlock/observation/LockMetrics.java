package io.distributedlock.observation;

import io.distributedlock.LockLostEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.event.EventListener;

/**
 * Counts lost holds as {@code distributed.lock.lost}. The names of locks are no tags, as there may be any number of them.
 */
public final class LockMetrics {

    private final Counter lost;

    public LockMetrics(MeterRegistry registry) {
        lost = Counter.builder("distributed.lock.lost")
                .description("Holds that ended before their holders had released them")
                .register(registry);
    }

    @EventListener
    void lost(LockLostEvent event) {
        lost.increment();
    }
}
