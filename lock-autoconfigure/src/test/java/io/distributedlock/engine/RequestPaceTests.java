/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockRequest;
import io.distributedlock.testing.Seeds;
import io.distributedlock.testing.TestLength;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many instances wait for one lock: the rate of their requests, and the delay that it costs the waiters. */
class RequestPaceTests {

    private static final long SEED = Seeds.of("pace.seed");

    private static final int MOST_A_SECOND = 50;

    /** What chance adds in a single second. */
    private static final int CHANCE = 30;

    private static void assertFewRequests(List<Integer> requests) {
        System.out.println("RequestPaceTests: requests in each second " + requests);
        assertThat(requests).allMatch(count -> count <= MOST_A_SECOND + CHANCE);
        assertThat(requests.stream().mapToInt(each -> each).average().orElseThrow())
                .isLessThanOrEqualTo(MOST_A_SECOND);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 100, 1_000})
    void aLineOfAnyLengthSendsFiftyRequestsASecondAtMost(int size) {
        Crowd crowd = new Crowd(size, SEED).thatWaits();

        assertFewRequests(crowd.requestsIn(90));
    }

    @Test
    void aLineOfTenThousandSendsNoMoreRequests() {
        Crowd crowd = new Crowd(10_000, SEED).thatWaits();

        assertFewRequests(crowd.requestsIn(10));
    }

    @Test
    void instancesNearTheHeadSendARequestEachSecond() {
        Crowd crowd = new Crowd(200, SEED).thatWaits();
        crowd.pass(60_000);

        crowd.members
                .subList(0, RequestPace.NEAR)
                .forEach(member -> assertThat(member.requests()).isBetween(60, 66));
    }

    @Test
    void instancesThatReconnectTogetherSpreadTheirRequests() {
        Crowd crowd = new Crowd(1_000, SEED).thatWaits();
        crowd.pass(40_000);
        crowd.members.forEach(member -> member.engine.locks().connected());
        int atOnce = crowd.members.stream().mapToInt(Crowd.Member::requests).sum();
        crowd.pass(1_040);
        assertThat(crowd.members.stream().mapToInt(Crowd.Member::requests).sum() - atOnce)
                .as("all ask within a second, and not at once")
                .isGreaterThan(900);

        assertFewRequests(crowd.requestsIn(120));
    }

    @Test
    void anInstanceThatMayHaveMissedAGrantSendsARequestWithinASecondOfItsReconnect() {
        Crowd crowd = new Crowd(500, SEED).thatWaits();
        crowd.pass(30_000);
        Crowd.Member member = crowd.members.get(400);
        int before = member.requests();

        member.engine.locks().connected();
        crowd.pass(1_020);

        assertThat(member.requests()).isGreaterThan(before);
    }

    @Test
    void allWaitersGetTheLockInTheOrderOfTheirArrival() {
        Crowd crowd = new Crowd(300, SEED).thatWaits();
        crowd.pass(5_000);
        crowd.holder.gaveBack();

        for (Crowd.Member member : crowd.members) {
            assertThat(member.has()).isTrue();
            crowd.step();
            member.gaveBack();
        }
    }

    /** A line that moves fast needs no requests beyond those that are sent anyhow. */
    @Test
    void aHandOverInALongLineCostsNoRequest() {
        Crowd crowd = new Crowd(300, SEED).thatWaits();
        crowd.pass(1_000);
        int before = crowd.members.stream().mapToInt(Crowd.Member::requests).sum();

        while (crowd.handOver() > 0) {
            // Each call gives back what the one before has handed on.
        }

        assertThat(crowd.members.stream().mapToInt(Crowd.Member::requests).sum())
                .isEqualTo(before);
    }

    /** It stood far back for longer than a lease, so it would not believe a grant. */
    @Test
    void anInstanceThatComesNearTheHeadSendsARequestBeforeItsGrantArrives() {
        Crowd crowd = new Crowd(1_000, SEED).thatWaits();
        crowd.pass(15_000);
        Crowd.Member member = crowd.members.get(RequestPace.NEAR);
        int before = member.requests();

        crowd.holder.gaveBack();
        crowd.step();
        assertThat(member.requests()).isEqualTo(before + 1);
        crowd.pass(5_000);

        assertThat(member.requests()).as("it asks each second now").isBetween(before + 5, before + 8);
    }

    /** Once by chance is possible for one that asks rarely, but not each time. */
    @Test
    void aGrantThatWasLostNearTheHeadIsFoundWithinASecond() {
        for (int i = 0; i < 5; i++) {
            assertThatALostGrantIsFoundWithinASecond(new Crowd(200, SEED + i).thatWaits());
        }
    }

    private static void assertThatALostGrantIsFoundWithinASecond(Crowd crowd) {
        crowd.pass(20_000);
        int place = RequestPace.NEAR + 20;
        crowd.holder.gaveBack();
        for (int i = 0; i < place - 1; i++) {
            crowd.members.get(i).gaveBack();
            crowd.step();
        }
        Crowd.Member member = crowd.members.get(place);
        member.network.holdMessages();
        crowd.members.get(place - 1).gaveBack();
        assertThat(member.network.heldMessages()).isPositive();
        assertThat(member.has()).isFalse();

        crowd.pass(1_040);

        assertThat(member.has()).isTrue();
    }

    @Test
    void aGrantThatIsLostWithTheMessageBeforeIsFoundByTheNextRequest() {
        Crowd crowd = new Crowd(100, SEED).thatWaits();
        crowd.pass(20_000);
        Crowd.Member member = crowd.members.get(50);
        member.network.holdMessages();
        crowd.holder.gaveBack();
        for (int i = 0; i < 50; i++) {
            crowd.members.get(i).gaveBack();
        }
        assertThat(member.network.heldMessages()).isEqualTo(2);

        crowd.pass(7_520);

        assertThat(member.has()).isTrue();
    }

    /** The line is lost with the entry of its dead holder; no idle second passes until all have had the lock. */
    @Tag(TestLength.FULL)
    @Test
    void aLongLineMovesOnAfterItsHolderHasDied() {
        Crowd crowd = new Crowd(1_000, SEED).thatWaits();
        crowd.pass(40_000);
        crowd.killHolder();
        long left = crowd.leases.inspect("a").orElseThrow().remainingLease().toMillis();
        crowd.pass(left - 20);
        crowd.members.forEach(member -> assertThat(member.has()).isFalse());

        crowd.holder.engine.close();
        int turns = 0;
        int idle = 0;
        int longestIdle = 0;
        for (int steps = 0; turns < 300 && steps < 10_000; steps++) {
            crowd.step();
            int now = 0;
            for (int given = crowd.handOver(); given > 0; given = crowd.handOver()) {
                now += given;
            }
            idle = now == 0 ? idle + 20 : 0;
            longestIdle = Math.max(longestIdle, idle);
            turns += now;
        }

        System.out.println("RequestPaceTests: idle for " + longestIdle + " ms at most");
        assertThat(turns).as("while most of them still wait").isGreaterThanOrEqualTo(300);
        assertThat(longestIdle)
                .as("milliseconds in which no member had the lock")
                .isLessThan(1_000);
        for (int steps = 0; turns < 1_000 && steps < 75_000 / 20; steps++) {
            crowd.step();
            turns += crowd.handOver();
        }
        assertThat(turns).as("after one and a half periods at most").isEqualTo(1_000);
    }

    @Test
    void anInstanceWithoutMessagesSendsARequestEachSecond() {
        Crowd crowd = new Crowd(400, SEED).thatWaits();
        crowd.pass(20_000);
        Crowd.Member member = crowd.members.get(300);
        int before = member.requests();

        member.network.goDeaf();
        crowd.pass(10_000);

        assertThat(member.requests() - before).isBetween(9, 12);
    }

    /** Each instance has four places in line, and the others of its owners are parked. */
    @ParameterizedTest
    @ValueSource(ints = {1, 10, 100})
    void explicitOwnersOfManyInstancesSendFewRequestsToo(int instances) {
        Crowd crowd = new Crowd(instances, SEED);
        for (int i = 0; i < instances; i++) {
            for (int owner = 0; owner < 20; owner++) {
                crowd.members.get(i).waits(LockRequest.of("a").owner("owner" + i + "-" + owner));
            }
        }
        crowd.pass(60_000);

        assertFewRequests(crowd.requestsIn(60));
    }
}
