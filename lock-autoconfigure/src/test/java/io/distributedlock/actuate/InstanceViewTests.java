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

    private static LocksDescriptor describe(LockActivity activity, AtomicInteger inspected) {
        LockOperations locks = (LockOperations) Proxy.newProxyInstance(
                InstanceViewTests.class.getClassLoader(),
                new Class<?>[] {LockOperations.class},
                (proxy, method, arguments) -> {
                    inspected.incrementAndGet();
                    return Optional.empty();
                });
        return new InstanceView(locks, () -> activity, new InstanceLabel(new MockEnvironment()), Clock.systemUTC())
                .describe("", 500);
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
        List<LockActivity.Waiting> many =
                IntStream.range(0, 90).mapToObj(i -> waiting("order:" + i / 3)).toList();
        AtomicInteger inspected = new AtomicInteger();
        LocksDescriptor shown = describe(new LockActivity("here", true, true, List.of(), many), inspected);

        assertThat(inspected).hasValue(20);
        assertThat(shown.waiting()).hasSize(90);
    }

    @Test
    void noLockIsInspectedDuringAnOutage() {
        AtomicInteger inspected = new AtomicInteger();
        describe(new LockActivity("here", false, true, List.of(), List.of(waiting("a"))), inspected);

        assertThat(inspected).hasValue(0);
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
