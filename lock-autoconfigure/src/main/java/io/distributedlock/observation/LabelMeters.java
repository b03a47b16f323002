/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockListener;
import io.distributedlock.LockListener.End;
import io.distributedlock.LockListener.Loss;
import io.distributedlock.LockListener.Path;
import io.distributedlock.LockListener.Refusal;
import io.distributedlock.LockListener.Tag;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/**
 * The meters of all requests with one label. A meter exists from its first use on. It has no state of a single
 * acquisition, so that one object serves all of them, and measuring one allocates nothing.
 */
final class LabelMeters implements LockListener.Attempt {

    private static final String NO_PATH = "none";

    private final ByTag<Path, Timer> acquired;

    private final ByTag<Refusal, Timer> refused;

    private final ByTag<End, Timer> ended;

    @GuardedBy("this")
    private final Map<Loss, Counter> lost = new EnumMap<>(Loss.class);

    private final MeterRegistry registry;

    private final String label;

    LabelMeters(MeterRegistry registry, String label) {
        this.registry = registry;
        this.label = label;
        this.acquired = new ByTag<>(
                Path.values().length,
                path -> waiting(path == Path.RE_ENTERED ? path.value() : "acquired", path.value()));
        this.refused = new ByTag<>(Refusal.values().length, refusal -> waiting(refusal.value(), NO_PATH));
        this.ended = new ByTag<>(End.values().length, this::holding);
    }

    private Timer waiting(String outcome, String path) {
        return Timer.builder("distributed.lock.wait")
                .description("Time from the request of a lock to its result")
                .tag("lock", label)
                .tag("outcome", outcome)
                .tag("path", path)
                .register(registry);
    }

    private Timer holding(End end) {
        return Timer.builder("distributed.lock.hold")
                .description("Time from the grant of a lock to its end")
                .tag("lock", label)
                .tag("outcome", end.value())
                .register(registry);
    }

    @Override
    public void acquired(Path path, long waited) {
        acquired.get(path).record(waited, TimeUnit.NANOSECONDS);
    }

    void reentered() {
        acquired(Path.RE_ENTERED, 0);
    }

    @Override
    public void refused(Refusal refusal, long waited) {
        refused.get(refusal).record(waited, TimeUnit.NANOSECONDS);
    }

    @Override
    public void ended(End end, long held) {
        ended.get(end).record(held, TimeUnit.NANOSECONDS);
    }

    synchronized void lost(Loss loss) {
        lost.computeIfAbsent(loss, this::losses).increment();
    }

    private Counter losses(Loss loss) {
        return Counter.builder("distributed.lock.lost")
                .description("Holds that ended before their holders had released them")
                .tag("lock", label)
                .tag("reason", loss.value())
                .register(registry);
    }

    /** One meter for each constant. Registering twice returns the same meter, so no lock is needed. */
    static final class ByTag<T extends Tag, M> {

        private final AtomicReferenceArray<M> meters;

        private final Function<T, M> register;

        ByTag(int size, Function<T, M> register) {
            this.meters = new AtomicReferenceArray<>(size);
            this.register = register;
        }

        @SuppressWarnings("EnumOrdinal") // An index of this object only.
        M get(T tag) {
            int index = ((Enum<?>) tag).ordinal();
            M known = meters.get(index);
            if (known == null) {
                known = register.apply(tag);
                meters.set(index, known);
            }
            return known;
        }
    }
}
