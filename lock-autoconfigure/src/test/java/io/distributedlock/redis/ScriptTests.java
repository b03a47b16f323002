/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What a bad network may make of commands: copies that come twice, or on another connection after what was sent later.
 * And what keeps tokens rising and leases as long as they should be.
 */
class ScriptTests extends AbstractScriptTests {

    @Test
    void aRepeatedRequestIsTheSameAcquisition() {
        long token = Long.parseLong((String) acquire(ONE, "5000"));

        assertThat(acquire(ONE, "5000")).isEqualTo(List.of(1L, token, 0L));

        assertThat(field("t")).isEqualTo(String.valueOf(token));
        assertThat(run("release.lua", 1, ENTRY, ONE, "0")).isEqualTo(1L);
        assertThat(isFree()).isTrue();
    }

    /** The first request was delayed; holds that began and expired in the meantime had tokens above its floor. */
    @Test
    void aRepeatedRequestHasAHigherTokenWhereTheClockIsBehind() {
        String id = "one{raw}.secret.1";
        long clock = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        long ahead = clock + 5_000_000;
        run("acquire.lua", 2, ENTRY, CANCELLED, id, "5000", String.valueOf(ahead));

        assertThat(run("acquire.lua", 2, ENTRY, CANCELLED, id, "5000", String.valueOf(ahead + 1_000_000)))
                .isEqualTo(List.of(1L, ahead + 1_000_001, 0L));
        assertThat(field("t")).isEqualTo(String.valueOf(ahead + 1_000_001));

        // A floor that the clock has passed is no reason.
        Object first = run("acquire.lua", 2, "lock:{other}", "lock:{other}cancelled", id, "5000", "0");
        long token = Long.parseLong((String) first);
        assertThat(run("acquire.lua", 2, "lock:{other}", "lock:{other}cancelled", id, "5000", String.valueOf(token)))
                .isEqualTo(List.of(1L, token, 0L));
    }

    private static Object acquireAbove(long floor, String id, String... owner) {
        List<String> arguments = new ArrayList<>(List.of(ENTRY, CANCELLED, id, "5000", String.valueOf(floor), "1"));
        arguments.addAll(List.of(owner));
        return run("acquire.lua", 2, arguments.toArray(String[]::new));
    }

    /** An instance that has not seen that token handed the lock over. */
    @Test
    void aRepeatedRequestExceedsTheTokenThatItsInstanceHasSeen() {
        long ahead = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + 60_000);
        acquire(ONE, "5000");

        assertThat(acquireAbove(ahead, ONE)).isEqualTo(List.of(1L, ahead + 1, 0L));
        assertThat(acquireAbove(ahead, ONE)).isEqualTo(List.of(1L, ahead + 1, 0L));
        assertThat(acquireAbove(ahead + 1, ONE)).as("it has seen its own token").isEqualTo(List.of(1L, ahead + 1, 0L));
    }

    @Test
    void soDoesThatOfAnExplicitOwnerWithOneHold() {
        long ahead = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + 60_000);
        acquireFor("job", ONE, "5000");

        assertThat(acquireAbove(ahead, ONE, "job", "1")).isEqualTo(List.of(1L, ahead + 1, 0L));
        acquireFor("job", TWO, "5000");
        assertThat(acquireAbove(ahead + 7, ONE, "job", "1"))
                .as("the other hold has that token")
                .isEqualTo(List.of(1L, ahead + 1, 0L));
    }

    @Test
    void aLateCopyOfAnAcquireRequestDoesNotShortenTheLease() {
        acquire(ONE, "5000");
        renew(ONE, "60000");

        acquire(ONE, "5000");

        assertThat(ttl()).isGreaterThan(50_000);
    }

    @Test
    void aLateCopyOfARenewalDoesNotShortenTheLease() {
        acquire(ONE, "5000");
        renew(ONE, "60000");

        renew(ONE, "5000");

        assertThat(ttl()).isGreaterThan(50_000);
    }

    @Test
    void aLateCopyOfARequestForAShorterLeaseDoesNothingOnceTheEntryHasAHigherToken() {
        long token = Long.parseLong((String) acquire(ONE, "60000"));
        shorten("5000", token);
        assertThat(ttl()).isLessThanOrEqualTo(5_000);
        assertThat(run("renew.lua", 1, ENTRY, ONE, "60000", Long.toString(token + 1), "0"))
                .isEqualTo(List.of(1L, token + 1, 0L));

        assertThat(shorten("5000", token)).isEqualTo(List.of(1L, token + 1, 0L));

        assertThat(ttl()).isGreaterThan(50_000);
        shorten("5000", token + 1);
        assertThat(ttl()).isLessThanOrEqualTo(5_000);
    }

    private static Object shorten(String lease, long token) {
        return run("renew.lua", 1, ENTRY, ONE, lease, Long.toString(token), "1");
    }

    /** Otherwise replicas would confirm an earlier write, although they do not have the lock. */
    @Test
    void aRenewalThatKeepsTheLeaseIsStillAWrite() {
        acquire(ONE, "60000");
        long before = changes();
        renew(ONE, "5000");
        assertThat(changes()).isGreaterThan(before);
        assertThat(client.number("PTTL", ENTRY)).isGreaterThan(5_000);
    }

    private static long changes() {
        return client.text("INFO", "persistence")
                .lines()
                .filter(line -> line.startsWith("rdb_changes_since_last_save:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }

    @Test
    void aLateCopyOfARenewalCreatesNothing() {
        assertThat(renew(ONE, "5000")).isEqualTo(List.of(0L, 0L, 0L));
        assertThat(isFree()).isTrue();
    }

    @Test
    void aLateCopyOfARenewalDoesNotLengthenTheLeaseOfTheNext() {
        acquire(TWO, "5000");

        renew(ONE, "60000");

        assertThat(ttl()).isLessThanOrEqualTo(5_000);
        assertThat(field("o")).isEqualTo(TWO);
    }

    @Test
    void aLateCopyOfAReleaseLeavesTheNextHolderAlone() {
        String token = (String) acquire(TWO, "5000");

        assertThat(run("release.lua", 1, ENTRY, ONE, "0")).isEqualTo(List.of(-1L, Long.parseLong(token)));

        assertThat(field("o")).isEqualTo(TWO);
    }

    @Test
    void aCancelledIdDoesNotWin() {
        release(ONE, "5000", "");

        assertThat(acquire(ONE, "5000")).isEqualTo(List.of(3L, 0L));
        acquire(TWO, "5000");
        assertThat(acquire(ONE, "5000")).isEqualTo(List.of(3L, 0L));

        assertThat(field("o")).isEqualTo(TWO);
        assertThat(has("n")).isFalse();
    }

    @Test
    void aCancelledIdDoesNotQueueByALateCopyOfARelease() {
        String again = "two.secret.2";
        acquire(TWO, "5000");
        release(again, "5000", "");

        release(TWO, "0", again);

        assertThat(isFree()).isTrue();
    }

    @Test
    void aLockIsNotHandedOverToAnInstanceThatDoesNotListen() {
        acquire(TWO, "60000");
        acquire(ONE, "5000");

        release(TWO, "0", "");

        assertThat(isFree()).isTrue();
    }

    @Test
    void aLockThatIsHandedOverHasTheLeaseOfItsNextOwner() {
        acquire(TWO, "60000");
        acquire(ONE, "5000");

        releaseHeardBy(List.of("one"), TWO, "");

        assertThat(field("o")).isEqualTo(ONE);
        assertThat(ttl()).isBetween(1L, 5_000L);
    }

    @Test
    void aTokenIsHigherThanTheInstanceHasSeen() {
        assertThat(run("acquire.lua", 2, ENTRY, CANCELLED, ONE, "5000", "9000000000000000", "1"))
                .isEqualTo("9000000000000001");
    }

    @Test
    void theTokenOfTheNextOwnerIsHigherThanTheOneBeforeHasSeen() {
        acquire(ONE, "5000");

        run("release.lua", 2, ENTRY, CANCELLED, ONE, "9000000000000000", "0", TWO, "5000");

        assertThat(field("o")).isEqualTo(TWO);
        assertThat(field("t")).isEqualTo("9000000000000001");
    }

    @Test
    void aRenewalBringsTheTokenOfTheLatestLocalHold() {
        acquire(ONE, "5000");

        assertThat(run("renew.lua", 1, ENTRY, ONE, "5000", "9000000000000000", "0"))
                .isEqualTo(List.of(1L, 9_000_000_000_000_000L, 0L));

        assertThat(field("t")).isEqualTo("9000000000000000");
    }

    @Test
    void aKeyOfAWrongTypeDoesNotSpoilTheRenewalOfOthers() {
        String wrong = "lock:{wrong}";
        client.call("SET", wrong, "something else");
        acquire(ONE, "5000");

        Object answer = run("renew.lua", 2, wrong, ENTRY, TWO, "60000", "0", "0", ONE, "60000", "0", "0");

        assertThat(answer).isEqualTo(List.of(0L, 0L, 0L, 1L, Long.parseLong(field("t")), 0L));
        assertThat(ttl()).isGreaterThan(50_000);
        assertThat(client.text("GET", wrong)).isEqualTo("something else");
    }

    @Test
    void aRenewalThatIsToShortenTheLeaseDoes() {
        acquire(ONE, "60000");

        run("renew.lua", 1, ENTRY, ONE, "5000", field("t"), "1");

        assertThat(ttl()).isBetween(1L, 5_000L);
    }

    @Test
    void nothingShortensTheLeaseOfAnExplicitOwner() {
        acquireFor("job", ONE, "60000");

        acquireFor("job", TWO, "5000");
        assertThat(ttl()).isGreaterThan(50_000);

        acquireFor("job", ONE, "5000");
        assertThat(ttl()).isGreaterThan(50_000);

        run("renew.lua", 1, ENTRY, TWO, "5000", field("t"), "1");
        assertThat(ttl()).isGreaterThan(50_000);
    }

    @Test
    void theOnlyHoldOfAnExplicitOwnerShortensTheLease() {
        acquireFor("job", ONE, "60000");
        acquireFor("job", TWO, "60000");
        release(TWO, "0", "");

        run("renew.lua", 1, ENTRY, ONE, "5000", field("t"), "1");

        assertThat(ttl()).isBetween(4_000L, 5_000L);
        assertThat(field("l")).isEqualTo("5000");
    }

    @Test
    void anEntryOfAnExplicitOwnerLastsAsLongAsTheLastOfItsHolds() {
        acquireFor("job", ONE, "5000");
        acquireFor("job", TWO, "60000");

        release(TWO, "0", "");

        assertThat(ttl()).isBetween(4_000L, 5_000L);
        assertThat(renew(ONE, "9000")).isEqualTo(List.of(1L, Long.parseLong(field("t")), 0L));
        assertThat(ttl()).isBetween(8_000L, 9_000L);
    }

    @Test
    void aHoldOfADeadInstanceDoesNotCountOnceItsLeaseHasEnded() {
        acquireFor("job", ONE, "5000");
        acquireFor("job", TWO, "60000");
        client.call("HSET", ENTRY, "u" + ONE, "1");

        assertThat(outcome(release(TWO, "0", ""))).isEqualTo(1);
        assertThat(client.keys(ENTRY)).isEmpty();
    }

    private static long outcome(Object reply) {
        return (Long) (reply instanceof List<?> list ? list.get(0) : reply);
    }

    @Test
    void aHoldOfADeadInstanceIsNotReleasedByName() {
        acquireFor("job", ONE, "5000");
        acquireFor("job", TWO, "60000");
        acquireFor("job", THREE, "60000");
        client.call("HSET", ENTRY, "u" + ONE, "1");

        assertThat(outcome(run("release-owner.lua", 1, ENTRY, "job", "0"))).isEqualTo(4);
        assertThat(outcome(run("release-owner.lua", 1, ENTRY, "job", "0"))).isEqualTo(1);
    }

    @Test
    void aHoldThatIsLostWasTheOneThatWasReleasedByName() {
        acquireFor("job", ONE, "5000");
        acquireFor("job", TWO, "5000");
        run("release-owner.lua", 1, ENTRY, "job", "0");

        assertThat(outcome(run("release.lua", 1, ENTRY, ONE, "0", "0", "", "0", "1")))
                .isEqualTo(4);

        assertThat(field("h")).isEqualTo(TWO + " ");
        assertThat(outcome(release(TWO, "0", ""))).isEqualTo(1);
    }

    @Test
    void theLongestLeaseOfAnExplicitOwnerCounts() {
        acquireFor("job", ONE, "5000");

        acquireFor("job", TWO, "60000");

        assertThat(ttl()).isGreaterThan(50_000);
    }

    @Test
    void tombstonesLastAsLongAsTheLongestOfThem() {
        release(ONE, "5000", "");
        release(TWO, "60000", "");
        assertThat(client.number("PTTL", CANCELLED)).isBetween(50_000L, 60_000L);

        release(THREE, "5000", "");

        assertThat(client.number("PTTL", CANCELLED)).isBetween(50_000L, 60_000L);
    }
}
