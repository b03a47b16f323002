/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.composite.BlockingJointRelease;
import io.distributedlock.composite.SequentialAcquisition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The locks of a call whose method has several annotations: all of them or none. They are acquired one after the other
 * in the order of their names, which is the same for all callers, and released in the reverse order. The wait of each
 * one begins when the first is requested. A name that occurs twice counts once, with the attributes of the first
 * annotation.
 */
record SeveralLocks(List<One> all) implements WantedLocks {

    private static final Comparator<One> GLOBAL_ORDER =
            Comparator.comparing((One one) -> one.request().name()).thenComparing(One::place);

    record One(LockedCall.Part part, LockRequest request) {

        String place() {
            return part.place();
        }

        CallPolicy policy() {
            return part.operation().policy();
        }

        LockOperations locks() {
            return part.locks();
        }
    }

    static SeveralLocks of(List<LockedCall.Part> parts, @Nullable Object target, @Nullable Object[] arguments) {
        List<One> all = new ArrayList<>();
        Set<List<String>> seen = new HashSet<>();
        for (LockedCall.Part part : parts) {
            LockRequest request = part.operation().request(target, arguments);
            for (String name : request.names()) {
                if (seen.add(List.of(part.place(), name))) {
                    all.add(new One(part, request.named(name)));
                }
            }
        }
        all.sort(GLOBAL_ORDER);
        return new SeveralLocks(all);
    }

    @Override
    public String name() {
        return all.get(0).request().name();
    }

    @Override
    public LockHandle acquire(UnaryOperator<LockRequest> change) {
        Wait wait = new Wait(all.size());
        List<LockHandle> held = new ArrayList<>();
        try {
            for (One one : all) {
                held.add(acquire(one, wait, change));
            }
            return together(held);
        } catch (Throwable ex) {
            BlockingJointRelease.rollBack(held);
            throw ex;
        }
    }

    private static LockHandle acquire(One one, Wait wait, UnaryOperator<LockRequest> change) {
        try {
            return new WantedLock(one.locks(), wait.goesOnFor(change.apply(one.request()))).acquire(same -> same);
        } catch (LockNotAcquiredException busy) {
            throw wait.told(one, busy);
        }
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(UnaryOperator<LockRequest> change) {
        Wait wait = new Wait(all.size());
        return SequentialAcquisition.start(new SequentialAcquisition.Steps() {
            @Override
            public int size() {
                return all.size();
            }

            @Override
            public CompletionStage<LockHandle> request(int index) {
                One one = all.get(index);
                LockRequest request = wait.goesOnFor(change.apply(one.request()));
                return new WantedLock(one.locks(), request).acquireAsync(same -> same);
            }

            @Override
            public LockHandle together(List<LockHandle> held) {
                return SeveralLocks.this.together(held);
            }

            @Override
            public Throwable failure(int index, Throwable failure) {
                return failure instanceof LockNotAcquiredException busy ? wait.told(all.get(index), busy) : failure;
            }
        });
    }

    /** @throws LockUnavailableException if one of them is already lost */
    private LockHandle together(List<LockHandle> held) {
        List<HandleOfSeveral.Part> parts = new ArrayList<>();
        for (int i = 0; i < held.size(); i++) {
            requireHeld(held.get(i));
            parts.add(new HandleOfSeveral.Part(held.get(i), all.get(i).policy()));
        }
        return parts.size() == 1 ? held.get(0) : new HandleOfSeveral(parts);
    }

    private static void requireHeld(LockHandle handle) {
        try {
            handle.throwIfLost();
        } catch (LockLostException ex) {
            throw new LockUnavailableException(
                    handle.name(),
                    "Lock '" + handle.name() + "' was lost while the caller waited for the other locks of the method."
                            + " Use a longer lease, or renew = true.",
                    ex);
        }
    }

    /** The time since the first request counts towards the wait of each lock. */
    static final class Wait {

        private final int locks;

        private final long since = System.nanoTime();

        Wait(int locks) {
            this.locks = locks;
        }

        LockRequest goesOnFor(LockRequest request) {
            return request.waited(passed());
        }

        BusyOfSeveral told(One one, LockNotAcquiredException busy) {
            if (busy.getClass() != LockNotAcquiredException.class) {
                return new BusyOfSeveral(one.policy(), busy);
            }
            Duration inAll = passed();
            String message = busy.getMessage() + "; none of the " + locks + " locks of the method is held, after "
                    + inAll.toMillis() + " ms in all";
            return new BusyOfSeveral(one.policy(), new LockNotAcquiredException(busy.lockName(), message, inAll));
        }

        private Duration passed() {
            return Duration.ofNanos(Math.max(0, System.nanoTime() - since));
        }
    }
}
