/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A lease that ends while its token is ahead of the server's clock: the token stays until the clock has passed it. */
class OutlastedLeaseScriptTests extends AbstractScriptTests {

    private static final String LEASE = "5000";

    private static final String SHORT = "1000";

    private static String ahead() {
        return Long.toString(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + TimeUnit.HOURS.toMicros(1));
    }

    /** Has the lock with a token that is an hour ahead, and for a lease that is shorter. */
    private static long acquireAhead(String id) {
        return Long.parseLong(
                run("acquire.lua", 2, ENTRY, CANCELLED, id, LEASE, ahead()).toString());
    }

    private static List<?> shorten(String id) {
        return (List<?>) run("renew.lua", 1, ENTRY, id, SHORT, field("t"), "1");
    }

    /** As if the time of the lease had passed. */
    private static void passLease() {
        client.call("HSET", ENTRY, "u", "1 " + field("o"));
    }

    /** The time until the lease ends by the field. */
    private static long leaseLeft() {
        return Long.parseLong(field("u").split(" ")[0]) - System.currentTimeMillis();
    }

    private static long granted(Object reply) {
        return Long.parseLong(reply.toString());
    }

    private static void assertThatTheTokenIsKept(long token) {
        assertThat(ttl()).isBetween(3_000_000L, 3_600_100L);
        assertThat(leaseLeft()).isLessThanOrEqualTo(5_000L);
        assertThat(granted(acquire(TWO, LEASE))).isGreaterThan(token);
    }

    @Test
    void ofAnInstanceThatHasDied() {
        long token = acquireAhead(ONE);
        List<?> busy = (List<?>) acquire(TWO, LEASE);
        assertThat(busy.get(0)).isEqualTo(0L);
        assertThat((Long) busy.get(1)).as("what is left of the lease").isBetween(1L, 5_000L);

        passLease();

        assertThatTheTokenIsKept(token);
    }

    /** So is the rest of the minimum of a hold after its release. */
    @Test
    void afterARenewalThatShortensIt() {
        long token = acquireAhead(ONE);
        assertThat(shorten(ONE).get(0)).isEqualTo(1L);
        assertThat(leaseLeft()).isLessThanOrEqualTo(1_000L);
        assertThat(field("l")).isEqualTo(SHORT);

        passLease();

        assertThatTheTokenIsKept(token);
    }

    @Test
    void ofAnExplicitOwner() {
        acquireFor("job", ONE, "60000");
        long token = Long.parseLong(ahead());
        client.call("HSET", ENTRY, "t", Long.toString(token));
        shorten(ONE);

        passLease();

        assertThatTheTokenIsKept(token);
        assertThat(has("h")).isFalse();
    }

    /** One of the two has died, and the other one releases the lock. */
    @Test
    void ofTheLastHoldOfAnExplicitOwner() {
        acquireFor("job", ONE, "3000");
        acquireFor("job", TWO, "60000");
        long token = Long.parseLong(ahead());
        client.call("HSET", ENTRY, "t", Long.toString(token));
        release(TWO, "0", "");
        assertThat(leaseLeft()).isLessThanOrEqualTo(3_000L);

        passLease();

        assertThatTheTokenIsKept(token);
    }

    @Test
    void afterAHandOver() {
        acquireAhead(ONE);
        acquire(THREE, LEASE);
        releaseHeardBy(List.of("three"), ONE, "");
        assertThat(field("o")).isEqualTo(THREE);

        passLease();

        assertThatTheTokenIsKept(Long.parseLong(field("t")));
    }

    /** The server's clock was set back: the entry would last as long, but another instance's request ends that. */
    @Test
    void afterTheClockWasSetBack() {
        acquire(ONE, LEASE);
        long token = Long.parseLong(ahead());
        client.call("HSET", ENTRY, "t", Long.toString(token));
        client.call("PEXPIRE", ENTRY, "3600000");
        acquire(TWO, LEASE);

        passLease();

        assertThatTheTokenIsKept(token);
    }

    @Test
    void hasNoOwnerAndNoLine() {
        long token = acquireAhead(ONE);
        acquire(TWO, LEASE);
        passLease();

        assertThat(run("inspect.lua", 1, ENTRY)).isEqualTo(List.of());
        assertThat(run("line.lua", 1, ENTRY, "10")).isEqualTo(List.of());
        assertThat(run("renew.lua", 1, ENTRY, ONE, LEASE, "0", "0")).isEqualTo(List.of(0L, token, 0L));
        assertThat(release(ONE, "0", "")).isEqualTo(List.of(0L));
        assertThat(release(TWO, "0", "")).isEqualTo(List.of(0L));
        assertThat(run("force-release.lua", 1, ENTRY, "+0")).isEqualTo(List.of(0L));
        assertThat(run("release-owner.lua", 1, ENTRY, "job", "+0")).isEqualTo(List.of(0L));
        assertThat(granted(acquire(THREE, LEASE))).isGreaterThan(token);
        assertThat(line()).isEmpty();
    }

    @Test
    void isTheOneThatTheLatestRenewalHasSet() {
        acquireAhead(ONE);
        shorten(ONE);
        renew(ONE, "60000");
        assertThat(leaseLeft()).isBetween(30_000L, 60_000L);
        assertThat(((List<?>) acquire(TWO, LEASE)).get(4)).as("repaired").isEqualTo(0L);

        renew(ONE, "7200000");

        assertThat(has("u")).as("the clock passes the token before").isFalse();
        assertThat(ttl()).isGreaterThan(7_000_000L);
    }

    @Test
    void endsWithARelease() {
        long token = acquireAhead(ONE);

        assertThat(release(ONE, "0", "")).isEqualTo(List.of(1L, token));
        assertThat(isFree()).isTrue();
    }

    /** An instance of an earlier version has handed the lock over, and does not know the field. */
    @Test
    void ofAnEarlierOwnerEndsNoOtherHold() {
        acquireAhead(ONE);
        passLease();
        client.call("HSET", ENTRY, "o", THREE);

        assertThat(((List<?>) acquire(TWO, LEASE)).get(0)).isEqualTo(0L);
        assertThat(((List<?>) renew(THREE, LEASE)).get(0)).isEqualTo(1L);
    }
}
