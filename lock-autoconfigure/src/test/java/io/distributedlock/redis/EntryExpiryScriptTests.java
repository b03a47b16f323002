/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.distributedlock.testing.RespClient;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An entry lives as long as its owner counts on it: neither shorter after a request, nor longer after a change by
 * others.
 */
class EntryExpiryScriptTests extends AbstractScriptTests {

    private static void change(String how) {
        if (how.equals("PERSIST")) {
            assertThat(client.number("PERSIST", ENTRY)).isEqualTo(1);
        } else {
            client.call("PEXPIRE", ENTRY, "3600000");
        }
    }

    private static List<?> ask(String id, String lease, String queue) {
        return (List<?>) run("acquire.lua", 2, ENTRY, CANCELLED, id, lease, "0", queue);
    }

    @ParameterizedTest
    @CsvSource({"PERSIST,0", "PERSIST,1", "PEXPIRE,0", "PEXPIRE,1"})
    void aRequestOfAnotherInstanceSetsTheLeaseOfTheHolder(String how, String queue) {
        acquire(ONE, "60000");
        change(how);

        List<?> answer = ask(TWO, "200", queue);

        assertThat(answer.get(4)).as("is reported as repaired").isEqualTo(1L);
        assertThat(ttl()).isBetween(50_000L, 60_000L);
        assertThat(ask(TWO, "200", queue).get(4)).isEqualTo(0L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PERSIST", "PEXPIRE"})
    void aRequestOfAnotherInstanceSetsTheLongestLeaseThatTheHolderRequested(String how) {
        acquire(ONE, "5000");
        renew(ONE, "60000");
        renew(ONE, "5000");
        change(how);

        acquire(TWO, "200");

        assertThat(ttl()).isBetween(50_000L, 60_000L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PERSIST", "PEXPIRE"})
    void aRenewalSetsTheLeaseOfTheHolder(String how) {
        acquire(ONE, "5000");
        change(how);

        renew(ONE, "5000");

        assertThat(ttl()).isBetween(1L, 5_000L);
    }

    /** As it may be the copy of a question or a renewal before one that made the lease longer. */
    @ParameterizedTest
    @ValueSource(strings = {"PERSIST", "PEXPIRE"})
    void aLateCopyDoesNotShortenWhatTheHolderCountsOn(String how) {
        acquire(ONE, "5000");
        renew(ONE, "60000");
        change(how);

        renew(ONE, "5000");
        assertThat(ttl()).isBetween(50_000L, 60_000L);
        change(how);
        acquire(ONE, "5000");

        assertThat(ttl()).isBetween(50_000L, 60_000L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PERSIST", "PEXPIRE"})
    void aLeaseThatWasMadeShorterStaysShort(String how) {
        acquire(ONE, "60000");
        run("renew.lua", 1, ENTRY, ONE, "5000", field("t"), "1");
        change(how);

        acquire(TWO, "200");

        assertThat(ttl()).isBetween(1L, 5_000L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PERSIST", "PEXPIRE"})
    void theLongestLeaseOfAnExplicitOwnerIsKept(String how) {
        acquireFor("job", ONE, "5000");
        acquireFor("job", TWO, "60000");
        change(how);
        acquireFor("job", THREE, "200");
        assertThat(ttl()).isBetween(50_000L, 60_000L);
        change(how);
        run("renew.lua", 1, ENTRY, ONE, "5000", field("t"), "1");
        assertThat(ttl()).isBetween(50_000L, 60_000L);
        change(how);

        acquire("four.secret.1", "200");

        assertThat(ttl()).isBetween(50_000L, 60_000L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PERSIST", "PEXPIRE"})
    void aLockThatWasHandedOverHasTheLeaseOfItsOwner(String how) {
        acquire(ONE, "60000");
        acquire(TWO, "5000");
        releaseHeardBy(List.of("two"), ONE, "");
        change(how);

        acquire(THREE, "200");

        assertThat(ttl()).isBetween(1_000L, 5_000L);
    }

    @Test
    void aUserWhoMayNotSetAnExpiryLeavesNothingBehind() {
        try (RespClient limited = userWithout("-pexpire")) {
            assertThatThrownBy(() -> run(limited, "acquire.lua", 2, ENTRY, CANCELLED, ONE, "5000", "0"))
                    .hasMessageContaining("can't run this command");
            assertThatThrownBy(
                            () -> run(limited, "acquire.lua", 2, ENTRY, CANCELLED, ONE, "5000", "0", "1", "job", "1"))
                    .hasMessageContaining("can't run this command");
        }
        assertThat(isFree()).isTrue();
    }

    /** As after the move of a slot: the ends of the holds are of the clock of another server, the TTL is not. */
    private static void clockIsAheadOf(String id, long millis) {
        client.call("HSET", ENTRY, "u" + id, String.valueOf(Long.parseLong(field("u" + id)) - millis));
    }

    @ParameterizedTest
    @ValueSource(longs = {20_000, 3_600_000})
    void aReleaseAtAServerWhoseClockIsAheadLeavesTheOtherHoldsOfTheOwner(long ahead) {
        acquireFor("job", ONE, "30000");
        acquireFor("job", TWO, "30000");
        clockIsAheadOf(ONE, ahead);
        clockIsAheadOf(TWO, ahead);

        assertThat(release(ONE, "0", "")).asInstanceOf(LIST).first().isEqualTo(4L);

        assertThat(field("h")).isEqualTo(TWO + " ");
        assertThat(ttl()).isBetween(25_000L, 30_000L);
    }

    @Test
    void aReleaseByNameAtAServerWhoseClockIsAheadLeavesTheOtherHolds() {
        acquireFor("job", ONE, "30000");
        acquireFor("job", TWO, "30000");
        clockIsAheadOf(ONE, 60_000);
        clockIsAheadOf(TWO, 60_000);

        assertThat(run("release-owner.lua", 1, ENTRY, "job", "0"))
                .asInstanceOf(LIST)
                .first()
                .isEqualTo(4L);
    }

    @Test
    void aShorterLeaseAtAServerWhoseClockIsAheadLeavesThatOfTheOtherHolds() {
        acquireFor("job", ONE, "30000");
        acquireFor("job", TWO, "30000");
        clockIsAheadOf(ONE, 20_000);
        clockIsAheadOf(TWO, 20_000);

        run("renew.lua", 1, ENTRY, ONE, "5000", field("t"), "1");

        assertThat(ttl()).isBetween(25_000L, 30_000L);
    }

    /** Otherwise a hold would count for as long as that clock was ahead, after its instance has died. */
    @Test
    void anEndOfAClockThatIsAheadIsReplacedByTheNextRenewal() {
        acquireFor("job", ONE, "30000");
        clockIsAheadOf(ONE, -3_600_000);
        long before = Long.parseLong(field("u" + ONE));

        renew(ONE, "30000");

        assertThat(Long.parseLong(field("u" + ONE))).isLessThan(before - 3_500_000);
    }
}
