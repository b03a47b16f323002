/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.HoldReport;
import io.distributedlock.LockActivity;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockState;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

/** Which of several instances that have a lock in Redis is described. */
class LockDetailsTests {

    private static final String RESPONDING = "AAAAAAAA";

    private final List<String> contacted = new ArrayList<>();

    private final Map<String, LockMonitor.HoldReply> replies = new HashMap<>();

    private LockDescriptor describe(String... instances) {
        LockState state = new LockState(
                "a",
                String.join(", ", instances),
                7,
                Duration.ofSeconds(20),
                0,
                false,
                false,
                List.of(instances),
                null);
        LockOperations locks = (LockOperations) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {LockOperations.class},
                (proxy, method, arguments) -> Optional.of(state));
        LockMonitor monitor = new LockMonitor() {
            @Override
            public LockActivity activity() {
                return new LockActivity(RESPONDING, true, true, List.of(), List.of());
            }

            @Override
            public HoldReply replyOf(String instance, String lockName) {
                contacted.add(instance);
                return replies.getOrDefault(instance, HoldReply.NONE);
            }

            @Override
            public Map<String, String> labels(Collection<String> asked) {
                return Map.of();
            }
        };
        return new LockDetails(locks, monitor, new InstanceLabel(new MockEnvironment()), Clock.systemUTC()).of("a");
    }

    private static LockMonitor.HoldReply hold(String label, int waiters) {
        HoldReport report =
                new HoldReport("a", 7, label, "exec-1", null, Duration.ofSeconds(3), List.of(), waiters, null);
        return new LockMonitor.HoldReply(true, Optional.of(report));
    }

    private static LockMonitor.HoldReply noHold() {
        return new LockMonitor.HoldReply(true, Optional.empty());
    }

    /** A reader that has died stays in the entry until a lease has passed. */
    @Test
    void theFirstThatHasAHoldIsDescribed() {
        replies.put("CCCCCCCC", noHold());
        replies.put("DDDDDDDD", hold("till 4", 2));

        LockDescriptor shown = describe("BBBBBBBB", "CCCCCCCC", "DDDDDDDD", "EEEEEEEE");

        assertThat(shown.holder()).isNotNull();
        assertThat(shown.holder().label()).isEqualTo("till 4");
        assertThat(shown.holder().answered()).isTrue();
        assertThat(shown.waiting()).extracting(LockDescriptor.Waiter::instance).containsExactly("DDDDDDDD");
        assertThat(contacted).containsExactly("BBBBBBBB", "CCCCCCCC", "DDDDDDDD");
    }

    @Test
    void atMostFourAreContacted() {
        LockDescriptor shown = describe("B", "C", "D", "E", "F");

        assertThat(contacted).containsExactly("B", "C", "D", "E");
        assertThat(shown.holder()).isNotNull();
        assertThat(shown.holder().answered()).isFalse();
    }

    /** The one without a reply may have the hold, so the lock is not merely retained. */
    @Test
    void oneOfThemWithoutAReplyMayBeTheHolder() {
        replies.put("BBBBBBBB", noHold());

        assertThat(describe("BBBBBBBB").holder())
                .isNotNull()
                .extracting("answered")
                .isEqualTo(true);
        assertThat(describe("BBBBBBBB", "CCCCCCCC").holder())
                .isNotNull()
                .extracting("answered")
                .isEqualTo(false);
    }

    @Test
    void theRespondingInstanceIsNotContacted() {
        replies.put("BBBBBBBB", hold("till 2", 0));

        assertThat(describe(RESPONDING, "BBBBBBBB").holder())
                .isNotNull()
                .extracting("label")
                .isEqualTo("till 2");
        assertThat(contacted).containsExactly("BBBBBBBB");
    }
}
