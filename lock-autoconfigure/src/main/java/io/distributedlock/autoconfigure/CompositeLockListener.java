/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockListener;
import io.distributedlock.LockOrigin;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Several listeners as one. One that fails does not keep the others from being told. */
final class CompositeLockListener implements LockListener {

    private final List<LockListener> listeners;

    private CompositeLockListener(List<LockListener> listeners) {
        this.listeners = listeners;
    }

    /** All of them as one, or null if there is none. */
    static @Nullable LockListener of(List<LockListener> listeners) {
        return switch (listeners.size()) {
            case 0 -> null;
            case 1 -> listeners.get(0);
            default -> new CompositeLockListener(List.copyOf(listeners));
        };
    }

    @Override
    public @Nullable Attempt requested(String lockName, LockOrigin origin) {
        List<Attempt> attempts = listeners.stream()
                .map(listener -> listener.requested(lockName, origin))
                .filter(Objects::nonNull)
                .toList();
        return switch (attempts.size()) {
            case 0 -> null;
            case 1 -> attempts.get(0);
            default -> new CompositeAttempt(attempts);
        };
    }

    @Override
    public void reentered(String lockName, LockOrigin origin) {
        forAll(listeners, listener -> listener.reentered(lockName, origin));
    }

    @Override
    public void lost(String lockName, LockOrigin origin, Loss loss) {
        forAll(listeners, listener -> listener.lost(lockName, origin, loss));
    }

    @Override
    public void answered(Command command, Answer answer, long nanos) {
        forAll(listeners, listener -> listener.answered(command, answer, nanos));
    }

    @Override
    public void renewed(Renewal result) {
        forAll(listeners, listener -> listener.renewed(result));
    }

    private static <T> void forAll(List<T> all, Consumer<T> call) {
        RuntimeException first = null;
        for (T each : all) {
            try {
                call.accept(each);
            } catch (RuntimeException ex) {
                first = first == null ? ex : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private record CompositeAttempt(List<Attempt> attempts) implements Attempt {

        @Override
        public void acquired(Path path, long waited) {
            forAll(attempts, attempt -> attempt.acquired(path, waited));
        }

        @Override
        public void refused(Refusal refusal, long waited) {
            forAll(attempts, attempt -> attempt.refused(refusal, waited));
        }

        @Override
        public void ended(End end, long held) {
            forAll(attempts, attempt -> attempt.ended(end, held));
        }

        @Override
        public @Nullable String traceId() {
            return attempts.stream()
                    .map(Attempt::traceId)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }
    }
}
