/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.composite.BlockingJointRelease;
import io.distributedlock.composite.KnownRefusals;
import io.distributedlock.composite.LostPart;
import io.distributedlock.composite.SequentialAcquisition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The locks of a call whose method has several annotations: all of them or none. They are acquired one after the other
 * in the order of their names, which is the same for all callers, and released in the reverse order. The wait of each
 * one begins when the first is requested. A name that occurs twice counts once, with the strictest attributes of both
 * annotations.
 */
record MultiLock(List<One> all) implements CallLocks {

    private static final Comparator<One> GLOBAL_ORDER =
            Comparator.comparing((One one) -> one.request().name()).thenComparing(One::place);

    /** @param policy of the annotation, or of all that have this name */
    record One(LockedCall.Part part, LockRequest request, CallPolicy policy) {

        String place() {
            return part.place();
        }

        /** The annotation that waits less decides the outcome if the lock is busy. */
        One and(One other) {
            boolean otherWaitsLess = RequestMerger.waitsLess(other.request, request);
            One base = otherWaitsLess ? other : this;
            One more = otherWaitsLess ? this : other;
            return new One(
                    base.part, RequestMerger.of(base.request, more.request), base.policy.withLossAlsoOf(more.policy));
        }

        LockOperations locks() {
            return part.locks();
        }
    }

    static MultiLock of(List<LockedCall.Part> parts, @Nullable Object target, @Nullable Object[] arguments) {
        Map<List<String>, One> all = new LinkedHashMap<>();
        for (LockedCall.Part part : parts) {
            LockRequest request = part.operation().request(target, arguments);
            for (String name : request.names()) {
                One one = new One(part, request.named(name), part.operation().policy());
                all.merge(List.of(part.place(), name), one, One::and);
            }
        }
        return new MultiLock(all.values().stream().sorted(GLOBAL_ORDER).toList());
    }

    @Override
    public String name() {
        return all.get(0).request().name();
    }

    @Override
    public LockHandle acquire(UnaryOperator<LockRequest> change) {
        requireNoneRefused(change, false);
        Wait wait = new Wait(all.size());
        List<LockHandle> held = new ArrayList<>();
        try {
            for (One one : all) {
                LostPart.requireNone(held);
                held.add(acquire(one, wait, change));
            }
            return together(held);
        } catch (MultiLockBusyException ex) {
            LockUnavailableException lost;
            try {
                lost = LostPart.first(held);
            } finally {
                BlockingJointRelease.rollBack(held);
            }
            throw lost == null ? ex : lost;
        } catch (Throwable ex) {
            BlockingJointRelease.rollBack(held);
            throw ex;
        }
    }

    /** A wait for the others would be in vain. */
    private void requireNoneRefused(UnaryOperator<LockRequest> change, boolean async) {
        for (One one : all) {
            if (one.locks() instanceof KnownRefusals known) {
                try {
                    known.requireNotRefused(change.apply(one.request()), async);
                } catch (LockNotAcquiredException refusal) {
                    throw new MultiLockBusyException(one.policy(), refusal);
                }
            }
        }
    }

    private static LockHandle acquire(One one, Wait wait, UnaryOperator<LockRequest> change) {
        try {
            return new SingleLock(one.locks(), wait.goesOnFor(change.apply(one.request()))).acquire(same -> same);
        } catch (LockNotAcquiredException busy) {
            throw wait.withTotalWait(one, busy);
        }
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(UnaryOperator<LockRequest> change) {
        try {
            requireNoneRefused(change, true);
        } catch (MultiLockBusyException refused) {
            return CompletableFuture.failedFuture(refused);
        }
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
                return new SingleLock(one.locks(), request).acquireAsync(same -> same);
            }

            @Override
            public LockHandle together(List<LockHandle> held) {
                return MultiLock.this.together(held);
            }

            @Override
            public Throwable failure(int index, Throwable failure) {
                return failure instanceof LockNotAcquiredException busy
                        ? wait.withTotalWait(all.get(index), busy)
                        : failure;
            }
        });
    }

    /** @throws LockUnavailableException if one of them is already lost */
    private LockHandle together(List<LockHandle> held) {
        LostPart.requireNone(held);
        List<MultiLockHandle.Part> parts = new ArrayList<>();
        for (int i = 0; i < held.size(); i++) {
            parts.add(new MultiLockHandle.Part(held.get(i), all.get(i).policy()));
        }
        return parts.size() == 1 ? held.get(0) : new MultiLockHandle(parts);
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

        MultiLockBusyException withTotalWait(One one, LockNotAcquiredException busy) {
            if (busy.getClass() != LockNotAcquiredException.class) {
                return new MultiLockBusyException(one.policy(), busy);
            }
            Duration inAll = passed();
            String others = locks == 1 ? "" : "; the call has acquired none of the " + locks + " locks of the method";
            String message = busy.getMessage() + others + ", after " + inAll.toMillis() + " ms in all";
            return new MultiLockBusyException(
                    one.policy(), new LockNotAcquiredException(busy.lockName(), message, inAll));
        }

        private Duration passed() {
            return Duration.ofNanos(Math.max(0, System.nanoTime() - since));
        }
    }
}
