/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockRequestTests {

    private static final LockRequest REQUEST = LockRequest.of("name");

    @Test
    void leavesUnsetValuesToTheSettings() {
        assertThat(REQUEST.name()).isEqualTo("name");
        assertThat(REQUEST.lease()).isNull();
        assertThat(REQUEST.waitUpTo()).isNull();
        assertThat(REQUEST.maxHold()).isNull();
        assertThat(REQUEST.owner()).isNull();
        assertThat(REQUEST.renew()).isTrue();
        assertThat(REQUEST.reentrant()).isTrue();
    }

    @Test
    void keepsEarlierSettings() {
        LockRequest request = REQUEST.lease(Duration.ofSeconds(1))
                .waitUpTo(Duration.ofSeconds(2))
                .maxHold(Duration.ofSeconds(3))
                .owner("owner")
                .reentrant(false);
        assertThat(request.name()).isEqualTo("name");
        assertThat(request.lease()).isEqualTo(Duration.ofSeconds(1));
        assertThat(request.waitUpTo()).isEqualTo(Duration.ofSeconds(2));
        assertThat(request.maxHold()).isEqualTo(Duration.ofSeconds(3));
        assertThat(request.owner()).isEqualTo("owner");
        assertThat(request.reentrant()).isFalse();
        assertThat(request.renew()).isTrue();
        assertThat(REQUEST.lease(Duration.ofSeconds(1)).renew(false).lease()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void isImmutable() {
        LockRequest unused = REQUEST.lease(Duration.ofSeconds(1))
                .noWait()
                .renew(false)
                .owner("owner")
                .reentrant(false);
        assertThat(unused).isNotSameAs(REQUEST);
        leavesUnsetValuesToTheSettings();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "\t\n"})
    void refusesBlankNamesAndOwners(String blank) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.of(blank))
                .withMessageContaining("name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.owner(blank))
                .withMessageContaining("owner");
    }

    @Test
    void refusesNamesAndOwnersThatAreTooLong() {
        String longest = "x".repeat(LockRequest.MAX_NAME_LENGTH);
        assertThat(LockRequest.of(longest).name()).isEqualTo(longest);
        assertThat(REQUEST.owner(longest).owner()).isEqualTo(longest);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.of(longest + "x"))
                .withMessageContaining("65537")
                .withMessageNotContaining("xx");
        assertThatIllegalArgumentException().isThrownBy(() -> REQUEST.owner(longest + "x"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.01S", "PT1S", "P365D"})
    void acceptsLeases(Duration lease) {
        assertThat(REQUEST.lease(lease).lease()).isEqualTo(lease);
        assertThat(LockRequest.requireLease(lease)).isEqualTo(lease);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.009999999S", "P365DT0.000000001S", "PT2562047788015215H"})
    void refusesLeases(Duration lease) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.lease(lease))
                .withMessageContaining(lease.toString());
        assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.requireLease(lease));
    }

    @Test
    void hasThreeKindsOfWaits() {
        assertThat(REQUEST.waitUpTo(Duration.ofMillis(5)).waitUpTo()).isEqualTo(Duration.ofMillis(5));
        assertThat(REQUEST.noWait().waitUpTo()).isEqualTo(Duration.ZERO);
        assertThat(REQUEST.waitForever().waitUpTo()).isNegative();
        assertThat(REQUEST.waitUpTo(Duration.ofDays(-1)).waitUpTo())
                .isEqualTo(REQUEST.waitForever().waitUpTo());
        assertThat(REQUEST.waitForever().noWait().waitUpTo()).isEqualTo(Duration.ZERO);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.000000001S", "PT0.009999999S"})
    void refusesMaxHoldThatIsOverBeforeAReply(Duration maxHold) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.maxHold(maxHold))
                .withMessageContaining(maxHold.toString());
    }

    @Test
    void refusesMaxHoldForALeaseThatIsAHardEnd() {
        Duration maxHold = Duration.ofSeconds(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.renew(false).maxHold(maxHold));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.maxHold(maxHold).renew(false));
    }

    @Test
    void refusesToShareWithAnExplicitOwnerOrAMinimum() {
        LockRequest shared = REQUEST.mode(LockMode.SHARED);
        assertThat(REQUEST.mode()).isEqualTo(LockMode.EXCLUSIVE);
        assertThat(shared.named("other").mode()).isEqualTo(LockMode.SHARED);
        assertThat(shared.mode(LockMode.EXCLUSIVE).owner("job").mode()).isEqualTo(LockMode.EXCLUSIVE);
        for (ThrowingCallable refused : List.<ThrowingCallable>of(
                () -> shared.owner("job"), () -> REQUEST.owner("job").mode(LockMode.SHARED))) {
            assertThatIllegalArgumentException().isThrownBy(refused).withMessageContaining("explicit owner");
        }
        for (ThrowingCallable refused : List.<ThrowingCallable>of(
                () -> shared.minHold(Duration.ofSeconds(1)),
                () -> REQUEST.minHold(Duration.ofSeconds(1)).mode(LockMode.SHARED))) {
            assertThatIllegalArgumentException().isThrownBy(refused).withMessageContaining("minHold");
        }
    }

    /** At its end, the lock is free. */
    @Test
    void refusesAMinimumBeyondALeaseThatIsNotRenewed() {
        Duration minute = Duration.ofMinutes(1);
        LockRequest minimum = REQUEST.minHold(minute);
        LockRequest lease = REQUEST.lease(minute.minusMillis(1));
        assertThat(minimum.renew(false).lease(minute).minHold()).isEqualTo(minute);
        assertThat(minimum.lease(minute.minusMillis(1)).minHold()).isEqualTo(minute);
        for (ThrowingCallable refused : List.<ThrowingCallable>of(
                () -> lease.renew(false).minHold(minute),
                () -> lease.minHold(minute).renew(false),
                () -> minimum.renew(false).lease(minute.minusMillis(1)))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(refused)
                    .withMessageContaining("minHold PT1M is longer than lease PT59.999S");
        }
    }

    @Test
    void refusesNull() {
        assertThatNullPointerException().isThrownBy(() -> REQUEST.lease(null));
        assertThatNullPointerException().isThrownBy(() -> REQUEST.waitUpTo(null));
        assertThatNullPointerException().isThrownBy(() -> REQUEST.maxHold(null));
    }

    @Test
    void showsItself() {
        assertThat(REQUEST.lease(Duration.ofSeconds(7))).asString().contains("name", "PT7S");
        assertThat(REQUEST.waitForever()).asString().contains("waitUpTo=unlimited,");
    }

    @Test
    void isEqualToOneThatSaysTheSame() {
        assertThat(LockRequest.of("a").lease(Duration.ofSeconds(7)).waitForever())
                .isEqualTo(LockRequest.of("a").waitUpTo(Duration.ofDays(-1)).lease(Duration.ofMillis(7_000)))
                .hasSameHashCodeAs(
                        LockRequest.of("a").waitUpTo(Duration.ofDays(-1)).lease(Duration.ofMillis(7_000)));
        assertThat(LockRequest.ofAll(List.of("b", "a", "b"))).isEqualTo(LockRequest.ofAll(Set.of("a", "b")));
    }

    @Test
    void differsFromEveryOneThatSaysSomethingElse() {
        List<LockRequest> all = List.of(
                REQUEST,
                REQUEST.named("other"),
                LockRequest.ofAll(List.of(REQUEST.name(), "other")),
                REQUEST.lease(Duration.ofSeconds(1)),
                REQUEST.noWait(),
                REQUEST.waitForever(),
                REQUEST.renew(false),
                REQUEST.maxHold(Duration.ofSeconds(1)),
                REQUEST.minHold(Duration.ofSeconds(1)),
                REQUEST.owner("owner"),
                REQUEST.reentrant(false),
                REQUEST.mode(LockMode.SHARED),
                REQUEST.origin(LockOrigin.of("label")),
                REQUEST.logicalOwner(LockOwner.create()),
                REQUEST.logicalOwner(LockOwner.create()));
        assertThat(all).doesNotHaveDuplicates().doesNotContain((LockRequest) null);
        assertThat(REQUEST).isNotEqualTo(REQUEST.name());
    }
}
