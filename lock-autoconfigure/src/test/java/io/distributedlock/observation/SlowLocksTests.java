/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockActivity;
import io.distributedlock.LockActivity.Held;
import io.distributedlock.LockActivity.Waiting;
import io.distributedlock.LockEvent;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOrigin;
import io.distributedlock.LockState;
import io.distributedlock.LongHoldEvent;
import io.distributedlock.LongWaitEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class SlowLocksTests {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final LockOrigin PAY = new LockOrigin("order", "Orders#pay(Order)", false);

    private final List<Held> held = new ArrayList<>();

    private final List<Waiting> waiting = new ArrayList<>();

    private final List<LockEvent> events = new ArrayList<>();

    /** Just before the overflow of the clock. */
    private long nanos = Long.MAX_VALUE - 1_000;

    private final SlowLocks slow = slow(LIMIT, LIMIT);

    private SlowLocks slow(Duration waitLimit, Duration holdLimit) {
        return new SlowLocks(
                () -> new LockActivity("here", true, true, held, waiting),
                name -> heldBy("elsewhere", false, null),
                events::add,
                waitLimit,
                holdLimit,
                () -> nanos);
    }

    private static Held hold(String name, long token, int seconds) {
        return new Held(name, token, Duration.ofSeconds(seconds), LIMIT, "exec-1", 0, 2, PAY, null);
    }

    private static LockState heldBy(String owner, boolean explicit, @Nullable String label) {
        List<String> instances = List.of(explicit ? "BBBBBBBB" : owner);
        return new LockState("order:1", owner, 7, LIMIT, 1, false, explicit, instances, label);
    }

    private static Waiting wait(String name, int seconds) {
        return new Waiting(name, "exec-" + seconds, Duration.ofSeconds(seconds), null, null, PAY, null);
    }

    @Test
    void aLongWaitIsReportedOnceWithItsHolderAndItsLine(CapturedOutput log) {
        waiting.add(wait("order:1", 31));
        waiting.add(wait("order:1", 5));
        waiting.add(wait("order:2", 29));
        slow.look();
        slow.look();

        assertThat(events).containsExactly(new LongWaitEvent("order:1", Duration.ofSeconds(31), 2, "elsewhere"));
        assertThat(log.getOut().lines().filter(line -> line.contains("WARN")))
                .singleElement()
                .asString()
                .contains(
                        "Lock 'order:1' has been waited for by 'exec-31' in Orders#pay(Order) for 31000 ms; 2 callers")
                .contains("held by elsewhere");
    }

    @Test
    void namesOfThreadsAreShownOnOneLine(CapturedOutput log) {
        waiting.add(new Waiting("a", "waits\nWARN x", Duration.ofSeconds(31), null, null, PAY, null));
        held.add(new Held("b", 7, Duration.ofSeconds(31), LIMIT, "holds\u202E\nWARN y", 0, 2, PAY, null));
        slow.look();

        assertThat(log.getOut())
                .contains("waited for by 'waits\\u000AWARN x' in", "held by 'holds\\u202E\\u000AWARN y' in");
    }

    @Test
    void theInstanceOfTheHolderIsNamedByItsLabel(CapturedOutput log) {
        waiting.add(wait("order:1", 31));
        LockMonitor monitor = new LockMonitor() {
            @Override
            public LockActivity activity() {
                return new LockActivity("here", true, true, held, waiting);
            }

            @Override
            public Map<String, String> labels(Collection<String> instances) {
                return Map.of("elsewhere", "till 2");
            }
        };
        new SlowLocks(monitor, name -> heldBy("elsewhere", false, null), events::add, LIMIT, LIMIT).look();

        assertThat(log.getOut()).contains("held by till 2 (elsewhere)");
        assertThat(events).containsExactly(new LongWaitEvent("order:1", Duration.ofSeconds(31), 1, "elsewhere"));
    }

    /** An owner may look like the id of an instance. */
    @Test
    void anExplicitOwnerIsNamedWithTheLabelOfItsInstanceAndNotTakenForOne(CapturedOutput log) {
        waiting.add(wait("order:1", 31));
        LockMonitor monitor = new LockMonitor() {
            @Override
            public LockActivity activity() {
                return new LockActivity("here", true, true, held, waiting);
            }

            @Override
            public Map<String, String> labels(Collection<String> instances) {
                throw new AssertionError("asked for the labels of " + instances);
            }
        };
        new SlowLocks(monitor, name -> heldBy("invoices", true, "till 2"), events::add, LIMIT, LIMIT).look();
        new SlowLocks(monitor, name -> heldBy("invoices", true, null), events::add, LIMIT, LIMIT).look();

        assertThat(log.getOut()).contains("held by invoices, in till 2").containsPattern("held by invoices\\R");
    }

    @Test
    void aLongWaitThatRecursIsReportedAgain() {
        waiting.add(wait("order:1", 31));
        slow.look();
        waiting.clear();
        slow.look();
        waiting.add(wait("order:1", 40));
        slow.look();

        assertThat(events).hasSize(2);
    }

    @Test
    void eachLongHoldIsReportedOnce(CapturedOutput log) {
        held.add(hold("order:1", 7, 31));
        slow.look();
        slow.look();
        held.clear();
        held.add(hold("order:1", 8, 32));
        slow.look();

        assertThat(events)
                .containsExactly(
                        new LongHoldEvent("order:1", 7, Duration.ofSeconds(31), "exec-1", PAY.method(), 2),
                        new LongHoldEvent("order:1", 8, Duration.ofSeconds(32), "exec-1", PAY.method(), 2));
        assertThat(log.getOut()).contains("has been held by 'exec-1' in Orders#pay(Order) for 31000 ms, token 7");
    }

    /** The second hold of an explicit owner has the token of the first, and so may readers. */
    @Test
    void eachOfTwoHoldsWithOneTokenIsReportedOnce() {
        held.add(hold("order:1", 7, 31));
        held.add(hold("order:1", 7, 20));
        slow.look();
        nanos += Duration.ofSeconds(15).toNanos();
        held.clear();
        held.add(hold("order:1", 7, 46));
        held.add(hold("order:1", 7, 35));
        slow.look();
        nanos += Duration.ofSeconds(15).toNanos();
        held.clear();
        held.add(hold("order:1", 7, 50));
        slow.look();

        assertThat(events)
                .extracting(event -> ((LongHoldEvent) event).heldFor())
                .containsExactly(Duration.ofSeconds(31), Duration.ofSeconds(35));
    }

    /** The thread may pause between the clock and the ages: the start of a hold is then known less exactly. */
    @Test
    void aPauseDuringACheckDoesNotRepeatAReport() {
        AtomicLong clock = new AtomicLong();
        AtomicLong pause = new AtomicLong();
        SlowLocks paused = new SlowLocks(
                () -> {
                    clock.addAndGet(pause.get());
                    int age = (int) Duration.ofNanos(clock.get()).toSeconds();
                    clock.addAndGet(pause.get());
                    return new LockActivity("here", true, true, List.of(hold("order:1", 7, age)), List.of());
                },
                name -> null,
                events::add,
                LIMIT,
                LIMIT,
                clock::get);
        for (int seconds : new int[] {31, 45, 60}) {
            clock.set(Duration.ofSeconds(seconds).toNanos());
            pause.set(seconds == 45 ? Duration.ofSeconds(4).toNanos() : 0);
            paused.look();
        }

        assertThat(events).hasSize(1);
    }

    @Test
    void aThousandHoldsDoNotFillTheLog(CapturedOutput log) {
        IntStream.range(0, 1_000).forEach(i -> held.add(hold("order:" + i, i, 31)));
        slow.look();

        assertThat(log.getOut().lines().filter(line -> line.contains("WARN"))).hasSize(SlowLocks.LINES + 1);
        assertThat(log.getOut()).contains("990 more locks are held for too long");
        assertThat(events).hasSize(1_000).doesNotHaveDuplicates();
    }

    @Test
    void aThousandWaitsFillNeitherTheLogNorRedis(CapturedOutput log) {
        List<String> requested = new ArrayList<>();
        IntStream.range(0, 1_000).forEach(i -> waiting.add(wait("order:" + i, 31)));
        new SlowLocks(
                        () -> new LockActivity("here", true, true, held, waiting),
                        name -> {
                            requested.add(name);
                            return heldBy("elsewhere", false, null);
                        },
                        events::add,
                        LIMIT,
                        LIMIT)
                .look();

        assertThat(log.getOut().lines().filter(line -> line.contains("WARN"))).hasSize(SlowLocks.LINES + 1);
        assertThat(requested).hasSize(SlowLocks.LINES);
        assertThat(events).hasSize(1_000).doesNotHaveDuplicates();
    }

    @Test
    void aListenerOfTheApplicationThatFailsHidesNoOtherLock(CapturedOutput log) {
        waiting.add(wait("order:1", 31));
        waiting.add(wait("order:2", 31));
        held.add(hold("order:3", 7, 31));
        held.add(hold("order:4", 8, 31));
        SlowLocks failing = new SlowLocks(
                () -> new LockActivity("here", true, true, held, waiting),
                name -> heldBy("elsewhere", false, null),
                event -> {
                    events.add(event);
                    throw new IllegalStateException("a listener of the application");
                },
                LIMIT,
                LIMIT);
        failing.look();

        assertThat(log.getOut())
                .contains("Lock 'order:1' has", "Lock 'order:2' has", "Lock 'order:3' has", "Lock 'order:4' has")
                .containsOnlyOnce("A listener of LongWaitEvent has failed; further failures")
                .containsOnlyOnce("A listener of LongHoldEvent has failed; further failures");
        assertThat(events).hasSize(4);
    }

    @Test
    void zeroIsNoLimit() {
        held.add(hold("order:1", 7, 3_000));
        waiting.add(wait("order:2", 3_000));
        slow(Duration.ZERO, Duration.ZERO).look();

        assertThat(events).isEmpty();
    }
}
