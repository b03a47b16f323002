/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.management.ThreadMXBean;
import io.distributedlock.LockListener;
import io.distributedlock.LockListener.Attempt;
import io.distributedlock.LockListener.Command;
import io.distributedlock.LockListener.CommandOutcome;
import io.distributedlock.LockListener.End;
import io.distributedlock.LockListener.Loss;
import io.distributedlock.LockListener.Path;
import io.distributedlock.LockListener.Refusal;
import io.distributedlock.LockListener.Renewal;
import io.distributedlock.LockOrigin;
import io.distributedlock.observation.LockMetrics;
import io.distributedlock.observation.LockObservations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the meters and the observations of an application receive, and what that costs a call. */
class CompositeLockListenerTests {

    private static final LockOrigin ORIGIN = LockOrigin.of("order");

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private static LockListener observing(ObservationRegistry observations) {
        return new LockObservations(observations, null);
    }

    private static void call(LockListener told) {
        Attempt attempt = told.requested("order:42", ORIGIN);
        told.commandCompleted(Command.ACQUIRE, CommandOutcome.OK, 50_000);
        assertThat(attempt).isNotNull();
        attempt.acquired(Path.FREE, 60_000);
        told.commandCompleted(Command.RELEASE, CommandOutcome.OK, 50_000);
        attempt.ended(End.RELEASED, 90_000);
    }

    @Test
    void allAreCalledAlsoIfOneFails() {
        ObservationRegistry failing = ObservationRegistry.create();
        failing.observationConfig().observationHandler(context -> true);
        failing.observationConfig().observationFilter(context -> {
            throw new IllegalStateException("refused");
        });
        LockListener told = LockListener.allOf(
                List.of(observing(failing), new LockMetrics(registry), new LockMetrics(new SimpleMeterRegistry())));

        assertThat(told).isNotNull();
        assertThatIllegalStateException().isThrownBy(() -> call(told));
        assertThat(registry.get("distributed.lock.wait").timer().count()).isOne();
    }

    /** An observation that has begun would otherwise last for ever. */
    @Test
    void aListenerThatFailsAtARequestKeepsNoOtherFromTheWholeCall() {
        for (boolean failsFirst : new boolean[] {true, false}) {
            MeterRegistry meters = new SimpleMeterRegistry();
            LockListener sound = new LockMetrics(meters);
            LockListener told =
                    LockListener.allOf(failsFirst ? List.of(new Failing(), sound) : List.of(sound, new Failing()));

            assertThat(told).isNotNull();
            call(told);
            assertThat(meters.get("distributed.lock.hold").timer().count()).isOne();
        }
    }

    @Test
    void ofListenersThatAllFailAtARequestThereIsNoAttempt() {
        LockListener told = LockListener.allOf(List.of(new Failing(), new Failing()));

        assertThat(told).isNotNull();
        assertThat(told.requested("order:42", ORIGIN)).isNull();
    }

    @Test
    void aTraceIsFoundAlsoIfTheOtherListenerFailsAtIt() {
        for (boolean failsFirst : new boolean[] {true, false}) {
            LockListener failing = new Traced(true);
            LockListener sound = new Traced(false);
            LockListener told = LockListener.allOf(failsFirst ? List.of(failing, sound) : List.of(sound, failing));

            assertThat(told).isNotNull();
            Attempt attempt = told.requested("order:42", ORIGIN);
            assertThat(attempt).isNotNull();
            assertThat(attempt.traceId()).isEqualTo("4bf92f35");
        }
    }

    static List<Consumer<LockListener>> calls() {
        return List.of(
                told -> told.reentered("order:42", ORIGIN),
                told -> told.lost("order:42", ORIGIN, Loss.EXPIRED),
                told -> told.commandCompleted(Command.ACQUIRE, CommandOutcome.OK, 1),
                told -> told.renewed(Renewal.values()[0]),
                told -> attemptOf(told).acquired(Path.FREE, 1),
                told -> attemptOf(told).refused(Refusal.BUSY, 1),
                told -> attemptOf(told).ended(End.RELEASED, 1));
    }

    private static Attempt attemptOf(LockListener told) {
        Attempt attempt = told.requested("order:42", ORIGIN);
        assertThat(attempt).isNotNull();
        return attempt;
    }

    /** Otherwise an observation would last for ever, or a loss would not be counted. */
    @ParameterizedTest
    @MethodSource("calls")
    void theFailureOfOneListenerKeepsNoCallFromTheOther(Consumer<LockListener> call) {
        for (boolean failsFirst : new boolean[] {true, false}) {
            List<String> heard = new ArrayList<>();
            LockListener failing = listener(() -> {
                throw new IllegalStateException("refused");
            });
            LockListener sound = listener(() -> heard.add("call"));
            LockListener told = LockListener.allOf(failsFirst ? List.of(failing, sound) : List.of(sound, failing));

            assertThat(told).isNotNull();
            assertThatIllegalStateException().isThrownBy(() -> call.accept(told));
            assertThat(heard).hasSize(1);
        }
    }

    /** Calls that for everything except a request. */
    private static LockListener listener(Runnable called) {
        InvocationHandler calls = (proxy, method, arguments) -> {
            called.run();
            return null;
        };
        return proxy(
                LockListener.class,
                (proxy, method, arguments) -> method.getName().equals("requested")
                        ? proxy(Attempt.class, calls)
                        : calls.invoke(proxy, method, arguments));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler calls) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
    }

    /** A listener may fail at each of thousands of requests a second. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void theFirstFailureAtARequestIsAWarningAndFurtherOnesAreNot(CapturedOutput output) {
        LockListener told = LockListener.allOf(List.of(new Failing(), new LockMetrics(registry)));

        assertThat(told).isNotNull();
        for (int i = 0; i < 3; i++) {
            told.requested("order:42", ORIGIN);
        }
        assertThat(output).containsOnlyOnce("its further failures are logged for debugging");
    }

    /** As Kotlin code does, which may throw checked exceptions anywhere. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException thrown(Throwable checked) throws E {
        throw (E) checked;
    }

    private static class Failing implements LockListener {

        @Override
        public @Nullable Attempt requested(String lockName, LockOrigin origin) {
            throw CompositeLockListenerTests.<RuntimeException>thrown(new IOException("no memory for it"));
        }

        @Override
        public void reentered(String lockName, LockOrigin origin) {}

        @Override
        public void lost(String lockName, LockOrigin origin, Loss loss) {}

        @Override
        public void commandCompleted(Command command, CommandOutcome outcome, long nanos) {}

        @Override
        public void renewed(Renewal result) {}
    }

    private static final class Traced extends Failing {

        private final boolean fails;

        Traced(boolean fails) {
            this.fails = fails;
        }

        @Override
        public Attempt requested(String lockName, LockOrigin origin) {
            return new Attempt() {

                @Override
                public void acquired(Path path, long waited) {}

                @Override
                public void refused(LockListener.Refusal refusal, long waited) {}

                @Override
                public void ended(End end, long held) {}

                @Override
                public String traceId() {
                    if (fails) {
                        throw CompositeLockListenerTests.<RuntimeException>thrown(new IOException("no tracer"));
                    }
                    return "4bf92f35";
                }
            };
        }
    }

    @Test
    void noneIsNoListenerAndOneIsItself() {
        LockListener one = observing(ObservationRegistry.NOOP);

        assertThat(LockListener.allOf(List.of())).isNull();
        assertThat(LockListener.allOf(List.of(one))).isSameAs(one);
    }

    /** So the meters cost a call some tenths of a microsecond, and the garbage collector nothing. */
    @Test
    void measuringACallAllocatesNothing() {
        LockListener told =
                LockListener.allOf(List.of(new LockMetrics(registry), observing(ObservationRegistry.create())));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        assertThat(told).isNotNull();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = threads.getThreadAllocatedBytes(self);
            for (int i = 0; i < 20_000; i++) {
                Attempt attempt = told.requested("order:42", ORIGIN);
                told.commandCompleted(Command.ACQUIRE, CommandOutcome.OK, 50_000);
                if (attempt != null) {
                    attempt.acquired(Path.FREE, 60_000);
                    attempt.ended(End.RELEASED, 90_000);
                }
            }
            least = Math.min(least, threads.getThreadAllocatedBytes(self) - before);
        }
        assertThat(least).isLessThan(20_000);
        assertThat(registry.get("distributed.lock.hold").timer().count()).isEqualTo(400_000);
    }
}
