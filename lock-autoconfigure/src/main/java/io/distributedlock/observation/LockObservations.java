/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockListener;
import io.distributedlock.LockOrigin;
import io.distributedlock.observation.LockObservationContext.Stage;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Observes each wait for a lock and each hold. Both are children of the caller's observation at the request, and appear
 * as spans in its trace, whichever threads report their ends. Re-entries are not observed.
 *
 * @since 0.1.0
 */
public final class LockObservations implements LockListener {

    private static final LockObservationConvention DEFAULT = new DefaultLockObservationConvention();

    private final ObservationRegistry registry;

    private final @Nullable LockObservationConvention convention;

    /**
     * Creates a listener that observes nothing while the registry is a no-op.
     *
     * @param registry the registry
     * @param convention names the observations, null for {@link DefaultLockObservationConvention}
     */
    public LockObservations(ObservationRegistry registry, @Nullable LockObservationConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public @Nullable Attempt requested(String lockName, LockOrigin origin) {
        return registry.isNoop() ? null : new Observed(lockName, origin);
    }

    @Override
    public void reentered(String lockName, LockOrigin origin) {}

    @Override
    public void lost(String lockName, LockOrigin origin, Loss loss) {}

    @Override
    public void commandCompleted(Command command, CommandOutcome outcome, long nanos) {}

    @Override
    public void renewed(Renewal result) {}

    private final class Observed implements Attempt {

        private final String lockName;

        private final LockOrigin origin;

        private final @Nullable Observation around = registry.getCurrentObservation();

        private final LockObservationContext waitContext;

        private final Observation wait;

        private final @Nullable String traceId = TraceId.current();

        @GuardedBy("this")
        private @Nullable LockObservationContext holdContext;

        @GuardedBy("this")
        private @Nullable Observation hold;

        Observed(String lockName, LockOrigin origin) {
            this.lockName = lockName;
            this.origin = origin;
            this.waitContext = new LockObservationContext(Stage.WAITING, lockName, origin);
            this.wait = start(waitContext);
        }

        private Observation start(LockObservationContext context) {
            Observation observation = Observation.createNotStarted(convention, DEFAULT, () -> context, registry);
            return observation.parentObservation(around).start();
        }

        @Override
        public void acquired(Path path, long waited) {
            waitContext.setPath(path);
            wait.stop();
            if (path != Path.RE_ENTERED) {
                startHold();
            }
        }

        private synchronized void startHold() {
            LockObservationContext context = new LockObservationContext(Stage.HOLDING, lockName, origin);
            holdContext = context;
            hold = start(context);
        }

        @Override
        public void refused(Refusal refusal, long waited) {
            waitContext.setRefusal(refusal);
            wait.stop();
        }

        @Override
        public synchronized void ended(End end, long held) {
            if (hold != null && holdContext != null) {
                holdContext.setEnd(end);
                hold.stop();
            }
        }

        @Override
        public @Nullable String traceId() {
            return traceId;
        }
    }
}
