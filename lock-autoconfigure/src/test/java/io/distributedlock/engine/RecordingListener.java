/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener;
import io.distributedlock.LockOrigin;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Records its calls, and complains about those that must not come. */
final class RecordingListener implements LockListener {

    final List<String> told = Collections.synchronizedList(new ArrayList<>());

    /** Runs while the listener receives a grant, before it records it. */
    volatile Runnable whileAcquired = () -> {};

    private final List<Recorded> attempts = Collections.synchronizedList(new ArrayList<>());

    @Override
    public Attempt requested(String lockName, LockOrigin origin) {
        Recorded recorded = new Recorded(lockName);
        attempts.add(recorded);
        return recorded;
    }

    @Override
    public void reentered(String lockName, LockOrigin origin) {
        told.add(lockName + " re-entered");
    }

    @Override
    public void lost(String lockName, LockOrigin origin, Loss loss) {
        told.add(lockName + " lost " + loss.value());
    }

    @Override
    public void commandCompleted(Command command, CommandOutcome outcome, long nanos) {
        if (outcome != CommandOutcome.OK) {
            told.add(command.value() + " " + outcome.value());
        }
    }

    @Override
    public void renewed(Renewal result) {
        if (result != Renewal.RENEWED) {
            told.add("renewal " + result.value());
        }
    }

    /** The attempts that were reported wrongly, or not to their end. */
    List<Recorded> wrong() {
        synchronized (attempts) {
            return attempts.stream().filter(recorded -> !recorded.isComplete()).toList();
        }
    }

    final class Recorded implements Attempt {

        private final String lockName;

        private final List<String> calls = Collections.synchronizedList(new ArrayList<>());

        private Recorded(String lockName) {
            this.lockName = lockName;
        }

        private void add(String kind, Tag tag, long nanos) {
            calls.add(kind + (tag == Path.RE_ENTERED ? "-again" : ""));
            told.add(lockName + " " + kind + " " + tag.value() + " " + nanos / 1_000_000);
        }

        @Override
        public void acquired(Path path, long waited) {
            whileAcquired.run();
            add("acquired", path, waited);
        }

        @Override
        public void refused(Refusal refusal, long waited) {
            add("refused", refusal, waited);
        }

        @Override
        public void ended(End end, long held) {
            add("ended", end, held);
        }

        private boolean isComplete() {
            return List.of(List.of("acquired", "ended"), List.of("refused"), List.of("acquired-again"))
                    .contains(calls);
        }

        @Override
        public String toString() {
            return lockName + calls;
        }
    }
}
