/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The machine of one name under threads that interleave in every way: it behaves like a re-entrant lock that one at a
 * time has.
 */
@Tag(TestLength.FULL)
class EngineLincheckTests {

    private static final Duration LEASE = Duration.ofSeconds(1);

    /**
     * The first invocation prepares the classes, which takes longer on a busy machine than Lincheck waits by default.
     */
    private static final long INVOCATION_TIMEOUT_MILLIS = 120_000;

    /** What is tested: callers that try once, on one name, over a store that answers at once. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class Callers {

        private final ManualClock clock = ManualClock.startingAt(0);

        private final LockEngine engine = engine(new SharedLeases(clock), clock);

        private final Map<Integer, Deque<LockHandle>> entries = new ConcurrentHashMap<>();

        private long latest;

        @Operation
        public boolean acquire(@Param(name = "thread") int thread) {
            Optional<LockHandle> handle = engine.tryAcquire(LockRequest.of("a").noWait());
            handle.ifPresent(granted -> enter(thread, granted));
            return handle.isPresent();
        }

        /** Guarded by the lock that is tested. */
        private void enter(int thread, LockHandle handle) {
            Deque<LockHandle> mine = entries.computeIfAbsent(thread, key -> new ArrayDeque<>());
            long token = handle.fencingToken();
            if (mine.isEmpty() ? token <= latest : token != latest) {
                throw new IllegalStateException("token " + token + " after " + latest);
            }
            latest = token;
            mine.push(handle);
        }

        @Operation
        public boolean release(@Param(name = "thread") int thread) {
            Deque<LockHandle> mine = entries.get(thread);
            if (mine == null || mine.isEmpty()) {
                return false;
            }
            mine.pop().close();
            return true;
        }
    }

    /** What it has to look like. */
    public static class ReentrantLock {

        private int holder;

        private int count;

        public boolean acquire(int thread) {
            if (count > 0 && holder != thread) {
                return false;
            }
            holder = thread;
            count++;
            return true;
        }

        public boolean release(int thread) {
            if (count == 0 || holder != thread) {
                return false;
            }
            count--;
            return true;
        }
    }

    /** Callers that come, go and are late; no two of them may believe to hold the lock at once. */
    public static class Crowd {

        private static final int SLOTS = 3;

        private final ManualClock clock = ManualClock.startingAt(0);

        private final SharedLeases leases = new SharedLeases(clock);

        private final LockEngine engine = engine(leases, clock);

        private final AtomicReferenceArray<CompletableFuture<LockHandle>> stages = new AtomicReferenceArray<>(SLOTS);

        @Operation
        public void come(@Param(gen = IntGen.class, conf = "0:2") int slot) {
            LockRequest request = LockRequest.of("a").lease(LEASE).waitForever();
            CompletableFuture<LockHandle> stage = engine.acquireAsync(request).toCompletableFuture();
            if (!stages.compareAndSet(slot, null, stage)) {
                end(stage);
            }
            excludeEachOther();
        }

        @Operation
        public void go(@Param(gen = IntGen.class, conf = "0:2") int slot) {
            CompletableFuture<LockHandle> stage = stages.getAndSet(slot, null);
            if (stage != null) {
                end(stage);
            }
            excludeEachOther();
        }

        @Operation
        public void timePasses() {
            clock.advanceNanos(LEASE.toNanos());
            engine.runTimers();
            excludeEachOther();
        }

        /** Leaves the queue, or releases. */
        private static void end(CompletableFuture<LockHandle> stage) {
            if (!stage.cancel(false) && stage.join() instanceof DefaultLockHandle handle) {
                handle.abandon();
            }
        }

        private void excludeEachOther() {
            int holders = 0;
            for (int i = 0; i < SLOTS; i++) {
                CompletableFuture<LockHandle> stage = stages.get(i);
                if (stage != null
                        && stage.isDone()
                        && !stage.isCancelled()
                        && stage.join().isHeld()) {
                    holders++;
                }
            }
            if (holders > 1) {
                throw new IllegalStateException(holders + " holders");
            }
        }

        @Validate
        public void nothingStays() {
            for (int i = 0; i < SLOTS; i++) {
                go(i);
            }
            for (int i = 0; i < 4; i++) {
                timePasses();
            }
            if (engine.locks().size()
                            + engine.timers().size()
                            + leases.leftovers().size()
                    > 0) {
                throw new IllegalStateException(engine.locks().size() + " locks, "
                        + engine.timers().size() + " timers, and in the store " + leases.leftovers());
            }
        }
    }

    /**
     * Without a random spread: the model checker cannot call {@link java.util.Random}, and fails in the middle of it.
     */
    private static LockEngine engine(SharedLeases leases, ManualClock clock) {
        return TestEngine.of(new InMemoryLeaseStore(leases, "one", new DirectNetwork()))
                .random(bound -> 0)
                .at(clock);
    }

    /** Takes a minute, most of it to prepare the classes. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void everyInterleavingOfCallersIsThatOfAReentrantLock() {
        new ModelCheckingOptions()
                .iterations(4)
                .invocationsPerIteration(100)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(0)
                .minimizeFailedScenario(false)
                .invocationTimeout$lincheck(INVOCATION_TIMEOUT_MILLIS)
                .sequentialSpecification(ReentrantLock.class)
                .check(Callers.class);
    }

    @Test
    void callersUnderStressSeeAReentrantLock() {
        new StressOptions()
                .iterations(20)
                .invocationsPerIteration(1_000)
                .threads(3)
                .actorsPerThread(4)
                .actorsBefore(0)
                .actorsAfter(0)
                .minimizeFailedScenario(false)
                .sequentialSpecification(ReentrantLock.class)
                .check(Callers.class);
    }

    @Test
    void callersUnderStressExcludeEachOtherAndLeaveNothing() {
        new StressOptions()
                .iterations(20)
                .invocationsPerIteration(1_000)
                .threads(3)
                .actorsPerThread(5)
                .actorsBefore(0)
                .actorsAfter(0)
                .minimizeFailedScenario(false)
                .verifier(EpsilonVerifier.class)
                .check(Crowd.class);
    }
}
