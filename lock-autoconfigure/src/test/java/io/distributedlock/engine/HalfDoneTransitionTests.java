/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.logging.FailingLog;
import io.distributedlock.testing.TestLength;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An error in the middle of a transition or of what it leaves to be done, as an overflow of the stack would be; to log
 * it fails too. It is put at each place in turn at which a transition calls something that the test can make fail: the
 * lock goes on all the same, each caller gets a result, no two hold the lock at once, and nothing is left behind.
 */
class HalfDoneTransitionTests {

    private static final int MOST_PLACES = 1_000;

    private static final long STEP_MILLIS = 150;

    private final ManualClock clock = ManualClock.startingAt(0);

    private final SharedLeases leases = new SharedLeases(clock);

    private final Map<CompletableFuture<LockHandle>, String> stages = new LinkedHashMap<>();

    private final List<LockHandle> closed = new ArrayList<>();

    private int places;

    private int failing;

    private int inARow = 1;

    private boolean mayFail;

    private @Nullable StackTraceElement[] failedAt;

    @ParameterizedTest
    @CsvSource({"3000, 2", "0, 3"})
    void errorsInARowLeaveAWorkingLock(long retentionMillis, int errorsInARow) {
        failAtEachPlace(retentionMillis, errorsInARow);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "3000, 1", "0, 2"})
    @Tag(TestLength.FULL)
    void errorsAtAnyStepLeaveAWorkingLock(long retentionMillis, int errorsInARow) {
        failAtEachPlace(retentionMillis, errorsInARow);
    }

    private void failAtEachPlace(long retentionMillis, int errorsInARow) {
        int all = run(Integer.MAX_VALUE, retentionMillis);
        assertThat(all).as("places that can fail").isBetween(20, MOST_PLACES);
        // Errors in a row fail as many places, so that each place fails in one of the runs.
        for (int place = 0; place < all; place += errorsInARow) {
            HalfDoneTransitionTests test = new HalfDoneTransitionTests();
            test.inARow = errorsInARow;
            try {
                test.run(place, retentionMillis);
            } catch (UnloggableError ex) {
                throw new AssertionError("the error comes to the test from " + test.place(place));
            }
        }
    }

    /** @return how many places there were */
    private int run(int toFail, long retentionMillis) {
        try (FailingLog log = FailingLog.of(LockEngine.class, this::place)) {
            assertThat(log.isStarted()).isTrue();
            return runWithLog(toFail, retentionMillis);
        }
    }

    private int runWithLog(int toFail, long retentionMillis) {
        EngineSettings settings = EngineSettings.DEFAULTS.withRetention(Duration.ofMillis(retentionMillis));
        LockEngine engine = failingEngine(settings);
        Instance other = new Instance("two", leases, EngineSettings.DEFAULTS, clock);
        failing = toFail;
        mayFail = true;
        useLocks(engine, other.engine);
        for (int i = 0; i < 50; i++) {
            step(engine, other.engine);
            closeWhatIsHeld();
        }
        mayFail = false;
        for (int i = 0; i < 2 * stages.size(); i++) {
            closeWhatIsHeld();
            advance(Duration.ofSeconds(5), engine, other.engine);
        }
        assertEnded(engine, other.engine, place(toFail));
        return places;
    }

    private void useLocks(LockEngine engine, LockEngine other) {
        LockRequest request = LockRequest.of("a").lease(Duration.ofSeconds(10));
        come(engine, request.waitForever());
        come(engine, request.waitUpTo(Duration.ofSeconds(2)));
        come(other, request.waitForever());
        come(engine, request.noWait());
        come(engine, request.waitForever());
        come(engine, request.waitForever().minHold(Duration.ofSeconds(2)));
        come(other, LockRequest.of("b").waitForever());
        CompletableFuture<LockHandle> leaving = come(engine, LockRequest.of("b").waitForever());
        come(engine, LockRequest.of("b").waitUpTo(Duration.ofSeconds(1)));
        for (int i = 0; i < 3; i++) {
            come(engine, LockRequest.of("r").waitForever().mode(LockMode.SHARED));
            come(engine, LockRequest.of("x").waitForever().owner("owner " + i));
        }
        come(
                engine,
                LockRequest.of("short")
                        .waitForever()
                        .lease(Duration.ofSeconds(1))
                        .renew(false));
        come(engine, LockRequest.of("short").waitForever());
        step(engine, other);
        leaving.cancel(false);
        attempt(() -> other.forceRelease("x"));
        attempt(() -> engine.locks().connected());
    }

    private CompletableFuture<LockHandle> come(LockEngine engine, LockRequest request) {
        CompletableFuture<LockHandle> stage = engine.acquireAsync(request).toCompletableFuture();
        stages.put(stage, request.name() + (request.mode() == LockMode.SHARED ? " shared" : ""));
        assertExclusive();
        return stage;
    }

    private void closeWhatIsHeld() {
        for (CompletableFuture<LockHandle> stage : stages.keySet()) {
            if (stage.isDone() && !stage.isCompletedExceptionally() && !closed.contains(stage.join())) {
                closed.add(stage.join());
                attempt(() -> stage.join().closeAsync());
                assertExclusive();
                return;
            }
        }
    }

    /** The error may come to the caller that does it. */
    private static void attempt(Runnable work) {
        try {
            work.run();
        } catch (DistributedLockException | OutOfStack expected) {
            assertThat(expected).isNotNull();
        }
    }

    private void step(LockEngine engine, LockEngine other) {
        advance(Duration.ofMillis(300), engine, other);
        assertExclusive();
    }

    private void advance(Duration duration, LockEngine engine, LockEngine other) {
        for (long left = duration.toMillis(); left > 0; left -= STEP_MILLIS) {
            clock.advanceMillis(STEP_MILLIS);
            engine.runTimers();
            other.runTimers();
        }
    }

    private void assertExclusive() {
        Map<String, Integer> holders = new LinkedHashMap<>();
        stages.forEach((stage, name) -> {
            boolean holds = stage.isDone() && !stage.isCompletedExceptionally() && considersItselfHolder(stage.join());
            holders.merge(name, holds && !name.endsWith("shared") ? 1 : 0, Integer::sum);
        });
        assertThat(holders.values())
                .as("holders of each lock: %s, %s", holders, place(failing))
                .allMatch(count -> count <= 1);
    }

    /** Its caller works from the delivery until it has closed the handle or could learn of a loss. */
    private boolean considersItselfHolder(LockHandle handle) {
        Hold hold = ((DefaultLockHandle) handle).hold();
        return !closed.contains(handle) && !hold.isLost() && !hold.isExpired(clock.nanos());
    }

    private void assertEnded(LockEngine engine, LockEngine other, String place) {
        stages.forEach((stage, name) -> {
            assertThat(stage).as("%s, %s", name, place).isDone();
            if (stage.isCompletedExceptionally() && !stage.isCancelled()) {
                assertThat(failureOf(stage)).as(place).isInstanceOf(DistributedLockException.class);
            }
        });
        assertThat(engine.locks().size()).as("locks in use, %s", place).isZero();
        assertThat(engine.timers().size()).as("timers, %s", place).isZero();
        assertThat(engine.context()
                        .releases()
                        .isReleasingSince("a", engine.context().now()))
                .as(place)
                .isFalse();
        assertThat(other.locks().size()).as("locks in use elsewhere, %s", place).isZero();
        assertThat(leases.leftovers()).as("left in the store, %s", place).isEmpty();
    }

    private static @Nullable Throwable failureOf(CompletableFuture<LockHandle> stage) {
        return stage.handle((handle, failure) ->
                        failure instanceof CompletionException wrapped ? wrapped.getCause() : failure)
                .join();
    }

    // ---- where it fails

    /** A logger asks for its stack, other code for its message only. */
    private static final class OutOfStack extends UnloggableError {
        @Override
        public String getMessage() {
            return "on purpose";
        }
    }

    private void place() {
        int place = mayFail ? places++ : -1;
        if (place >= failing && place - failing < inARow) {
            failedAt = place == failing ? new Throwable().getStackTrace() : failedAt;
            throw new OutOfStack();
        }
    }

    private String place(int number) {
        StringBuilder text = new StringBuilder("place " + number);
        for (int i = 0; failedAt != null && i < Math.min(14, failedAt.length); i++) {
            text.append("\n  ").append(failedAt[i]);
        }
        return text.toString();
    }

    private LockEngine failingEngine(EngineSettings settings) {
        LeaseStore store = new InMemoryLeaseStore(leases, "one", new TestNetwork());
        LeaseStore failingStore = (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                new Class<?>[] {LeaseStore.class},
                (proxy, method, arguments) -> call(store, method, arguments));
        return TestEngine.of(failingStore)
                .settings(settings)
                .callbacks(this::runCallback)
                .random(bound -> {
                    place();
                    return 0;
                })
                .at(this::now);
    }

    /** What a callback delivers may have arrived when the step fails that has started it. */
    private void runCallback(Runnable callback) {
        place();
        callback.run();
        place();
    }

    private Object call(LeaseStore store, Method method, Object[] arguments) throws Throwable {
        place();
        try {
            return method.invoke(store, arguments);
        } catch (InvocationTargetException ex) {
            throw ex.getCause();
        }
    }

    /** A look at the clock is a place too, if it is in the middle of a transition. */
    private long now() {
        boolean inTransition = mayFail
                && StackWalker.getInstance()
                        .walk(frames -> frames.limit(20)
                                .filter(HalfDoneTransitionTests::isFrameOfActions)
                                .findFirst()
                                .filter(frame -> frame.getClassName().equals(NamedLockState.class.getName()))
                                .isPresent());
        if (inTransition) {
            place();
        }
        return clock.nanos();
    }

    /** What is called by deferred actions is not in a transition any more. */
    private static boolean isFrameOfActions(StackWalker.StackFrame frame) {
        String type = frame.getClassName();
        return frame.getMethodName().equals("run")
                && (type.equals(NamedLockState.class.getName()) || type.equals(DeferredActions.class.getName()));
    }
}
