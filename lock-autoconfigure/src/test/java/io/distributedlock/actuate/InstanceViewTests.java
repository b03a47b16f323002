/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockActivity;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockOrigin;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

/** Whom the endpoint names as the holder of a lock that is waited for. */
class InstanceViewTests {

    private final List<String> asked = new ArrayList<>();

    /** Just before the overflow of the clock. */
    private long nanos = Long.MAX_VALUE;

    private LocksDescriptor.Waiting waitFor(LockState state) {
        LockOperations locks = (LockOperations) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LockOperations.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("inspect");
                    return Optional.of(state);
                });
        LockMonitor monitor = new LockMonitor() {
            @Override
            public LockActivity activity() {
                LockOrigin origin = LockOrigin.of("order");
                LockActivity.Waiting waiting =
                        new LockActivity.Waiting("a", "exec-1", Duration.ofSeconds(1), null, null, origin, null);
                return new LockActivity("here", true, true, List.of(), List.of(waiting));
            }

            @Override
            public Map<String, String> labels(Collection<String> instances) {
                asked.addAll(instances);
                return Map.of("AAAAAAAA", "till 1", "invoices", "not an instance");
            }
        };
        InstanceLabel label = new InstanceLabel(new MockEnvironment());
        return new InstanceView(locks, monitor, label, Clock.systemUTC())
                .describe("", 10)
                .waiting()
                .get(0);
    }

    private LocksDescriptor describe(LockActivity activity, AtomicInteger inspected) {
        return describe(activity, inspected, () -> {});
    }

    private LocksDescriptor describe(LockActivity activity, AtomicInteger inspected, Runnable duringInspection) {
        LockOperations locks = (LockOperations) Proxy.newProxyInstance(
                InstanceViewTests.class.getClassLoader(),
                new Class<?>[] {LockOperations.class},
                (proxy, method, arguments) -> {
                    inspected.incrementAndGet();
                    duringInspection.run();
                    return Optional.empty();
                });
        InstanceLabel label = new InstanceLabel(new MockEnvironment());
        return new InstanceView(locks, () -> activity, label, Clock.systemUTC(), () -> nanos).describe("", 500);
    }

    private static LockActivity manyWaits() {
        List<LockActivity.Waiting> many =
                IntStream.range(0, 90).mapToObj(i -> waiting("order:" + i / 3)).toList();
        return new LockActivity("here", true, true, List.of(), many);
    }

    private static LockActivity.Waiting waiting(String name) {
        return new LockActivity.Waiting(name, "exec-1", Duration.ofSeconds(1), null, null, LockOrigin.NONE, null);
    }

    /** Thousands of callers may wait for one lock; all of them are counted. */
    @Test
    void aHundredWaitsOfOneLockAreShown() {
        List<LockActivity.Waiting> many = IntStream.range(0, 250)
                .mapToObj(i -> waiting(i % 2 == 0 ? "a" : "b"))
                .toList();
        LocksDescriptor shown = describe(new LockActivity("here", true, true, List.of(), many), new AtomicInteger());

        assertThat(shown.waiting()).hasSize(200);
        assertThat(shown.waitingTotal()).isEqualTo(250);
    }

    /** Each of them is a command, and the operator waits. */
    @Test
    void aResponseInspectsTwentyLocksOfOtherInstancesEachOnce() {
        AtomicInteger inspected = new AtomicInteger();
        LocksDescriptor shown = describe(manyWaits(), inspected);

        assertThat(inspected).hasValue(20);
        assertThat(shown.waiting()).hasSize(90);
    }

    @Test
    void noLockIsInspectedDuringAnOutage() {
        AtomicInteger inspected = new AtomicInteger();
        describe(new LockActivity("here", false, true, List.of(), List.of(waiting("a"))), inspected);

        assertThat(inspected).hasValue(0);
    }

    /** Redis may hang instead of refusing: then each of these requests lasts for one command time-out. */
    @Test
    void afterTheFirstInspectionWithoutAReplyNoOtherLockIsInspected() {
        AtomicInteger inspected = new AtomicInteger();
        LocksDescriptor shown = describe(manyWaits(), inspected, () -> {
            throw new LockUnavailableException("order:0", "no reply", null);
        });

        assertThat(inspected).hasValue(1);
        assertThat(shown.waiting()).hasSize(90);
    }

    @Test
    void noLockIsInspectedAfterOneSecond() {
        AtomicInteger inspected = new AtomicInteger();
        LocksDescriptor shown = describe(
                manyWaits(), inspected, () -> nanos += Duration.ofMillis(300).toNanos());

        assertThat(inspected).hasValue(4);
        assertThat(shown.waiting()).hasSize(90);
    }

    private static LockState heldBy(String owner, boolean explicit, @Nullable String label) {
        return new LockState("a", owner, 1, Duration.ofSeconds(30), 0, false, explicit, List.of("AAAAAAAA"), label);
    }

    @Test
    void anInstanceIsAskedForItsLabel() {
        LocksDescriptor.Waiting waiting = waitFor(heldBy("AAAAAAAA", false, null));

        assertThat(waiting.holder()).isEqualTo("AAAAAAAA");
        assertThat(waiting.holderLabel()).isEqualTo("till 1");
    }

    /** The request would be waited for without a reply. */
    @Test
    void anExplicitOwnerThatLooksLikeAnInstanceIsNotAsked() {
        LocksDescriptor.Waiting waiting = waitFor(heldBy("invoices", true, "till 2"));

        assertThat(waiting.holder()).isEqualTo("invoices");
        assertThat(waiting.holderLabel()).isEqualTo("till 2");
        assertThat(asked).isEmpty();
    }
}
