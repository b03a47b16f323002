/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Who waits, who is next, and who hears of it. */
class WaitingLineScriptTests extends AbstractScriptTests {

    @Test
    void aRequestWithoutQueueingDoesNotQueue() {
        long token = Long.parseLong((String) acquire(ONE, "5000"));

        List<?> answer = (List<?>) run("acquire.lua", 2, ENTRY, CANCELLED, TWO, "5000", "0", "0");

        assertThat(answer.get(0)).isEqualTo(0L);
        assertThat(answer.get(2)).as("queued").isEqualTo(0L);
        assertThat(answer.get(3)).isEqualTo(token);
        assertThat(has("n")).isFalse();
    }

    @Test
    void anInstanceThatSendsItsRequestAgainKeepsItsPlace() {
        acquire(ONE, "5000");
        acquire(TWO, "5000");
        acquire(THREE, "5000");
        String line = line();

        acquire(TWO, "5000");

        assertThat(line).isEqualTo(TWO + " 5000 ;" + THREE + " 5000 ;");
        assertThat(line()).isEqualTo(line);
    }

    @Test
    void anInstanceThatLeavesIsNoLongerInLine() {
        acquire(ONE, "5000");
        acquire(TWO, "5000");
        acquire(THREE, "5000");

        release(TWO, "0", "");

        assertThat(line()).isEqualTo(THREE + " 5000 ;");
        release(THREE, "0", "");
        assertThat(has("n")).isFalse();
    }

    /** As messages may be lost, and only the first, as one is enough. */
    @Test
    void theFirstInLineSendsARecallWithEachRequest() {
        acquire(ONE, "5000");
        acquire(TWO, "5000");
        long before = messages();

        acquire(TWO, "5000");
        assertThat(messages()).isEqualTo(before + 1);
        acquire(THREE, "5000");

        assertThat(messages()).isEqualTo(before + 1);
    }

    @Test
    void aRenewalReportsThatAnInstanceWaits() {
        long token = Long.parseLong((String) acquire(ONE, "5000"));
        acquire(TWO, "5000");

        assertThat(renew(ONE, "5000")).isEqualTo(List.of(1L, token, 1L));
    }

    @Test
    void aReleaseThatQueuesAgainTakesTheLastPlace() {
        String again = "one.secret.2";
        acquire(ONE, "5000");
        acquire(TWO, "5000");

        releaseHeardBy(List.of("two"), ONE, again);

        assertThat(field("o")).isEqualTo(TWO);
        assertThat(line()).isEqualTo(again + " 5000 ;");
    }

    @Test
    void aReleaseThatQueuesAnIdInLineQueuesItOnce() {
        String again = "one.secret.2";
        acquire(ONE, "5000");
        acquire(again, "5000");

        release(ONE, "0", again);

        assertThat(field("o")).isEqualTo(again);
        assertThat(has("n")).isFalse();
    }

    @Test
    void anExplicitOwnerIsCountedOnceForEachId() {
        acquireFor("job", ONE, "5000");
        acquireFor("job", ONE, "5000");

        release(ONE, "0", "");

        assertThat(isFree()).isTrue();
    }

    @Test
    void allWaitersOfAnExplicitOwnerEnterTogether() {
        String four = "four.secret.1";
        acquire(ONE, "5000");
        acquireFor("job", TWO, "5000");
        acquire(THREE, "5000");
        acquireFor("job", four, "5000");

        releaseHeardBy(List.of("two", "four"), ONE, "");

        assertThat(field("o")).isEqualTo("=job");
        assertThat(field("h")).isEqualTo(TWO + " " + four + " ");
        assertThat(line()).isEqualTo(THREE + " 5000 ;");
    }

    @Test
    void nothingIsLeftOfAnExplicitOwnerThatLeavesTheLine() {
        acquire(ONE, "5000");
        acquireFor("job", TWO, "5000");

        release(TWO, "0", "");

        assertThat(client.list("HKEYS", ENTRY)).containsExactlyInAnyOrder("o", "t", "l");
    }

    @Test
    void anAcquisitionOfAnExplicitOwnerThatLeavesDoesNotTakeOthersOutOfItsTurn() {
        String four = "four.secret.1";
        String five = "five.secret.1";
        acquire(ONE, "5000");
        for (String id : List.of(TWO, THREE, four, five)) {
            acquireFor("job", id, "5000");
        }
        release(four, "0", "");
        release(THREE, "0", "");

        releaseHeardBy(List.of("two", "five"), ONE, "");

        assertThat(field("h")).isEqualTo(TWO + " " + five + " ");
        assertThat(client.list("HKEYS", ENTRY)).containsExactlyInAnyOrder("o", "t", "l", "h", "u" + TWO, "u" + five);
    }

    @Test
    void nothingOfAnExplicitOwnerIsLeftToTheNextOne() {
        acquireFor("job", ONE, "5000");
        acquireFor("job", TWO, "5000");
        run("release-owner.lua", 1, ENTRY, "job", "0");
        assertThat(field("g")).isEqualTo("1");
        acquire(THREE, "5000");

        releaseHeardBy(List.of("three"), ONE, "");

        assertThat(field("o")).isEqualTo(THREE);
        assertThat(client.list("HKEYS", ENTRY)).containsExactlyInAnyOrder("o", "t", "l");
    }

    /** Otherwise the entry is never again as simple as those that a release handles first. */
    @Test
    void anIdThatEntersAgainIsNoLongerOneThatWasPassedOver() {
        acquireFor("job", ONE, "5000");
        client.call("HSET", ENTRY, "d", TWO + " +" + THREE + " ");

        acquireFor("job", TWO, "5000");
        assertThat(field("d")).isEqualTo("+" + THREE + " ");
        acquireFor("job", THREE, "5000");

        assertThat(has("d")).isFalse();
    }

    /** The lock may be reserved for one that has sent a request since it was passed over. */
    @Test
    void thoseThatHaveSentARequestAreRememberedBeforeTheOthers() {
        String requested = "+a.s.1 +b.s.1 +c.s.1 +d.s.1 +e.s.1 +f.s.1 +g.s.1 ";
        acquire(ONE, "5000");
        acquire(TWO, "5000");
        acquire(THREE, "5000");
        client.call("HSET", ENTRY, "d", requested + "h.s.1 ");

        releaseHeardBy(List.of("three"), ONE, "");

        assertThat(field("d")).isEqualTo(requested + TWO + " ");
    }
}
