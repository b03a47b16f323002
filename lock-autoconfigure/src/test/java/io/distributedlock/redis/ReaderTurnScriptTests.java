/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.RespClient;
import java.util.List;
import java.util.function.Supplier;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Readers that join others in the scripts: their tokens, the lease of all of them, and what an entry remembers. */
class ReaderTurnScriptTests extends AbstractScriptTests {

    private static final String FOUR = "four.secret.1";

    private static final String FIVE = "five.secret.1";

    /** Higher than the clock of any server for two centuries. */
    private static final long AHEAD = 8_000_000_000_000_000L;

    private static Object read(String id, String lease) {
        return acquireFor("%shared", id, lease);
    }

    private static long readHavingSeen(long seen, String id) {
        String floor = String.valueOf(seen);
        Object reply = run("acquire.lua", 2, ENTRY, CANCELLED, id, "5000", floor, "1", "%shared", "1");
        assertThat(reply).asInstanceOf(InstanceOfAssertFactories.LIST).first().isEqualTo(1L);
        return (Long) ((List<?>) reply).get(1);
    }

    @Test
    void theTokenOfAReaderThatJoinsIsHigherThanItsInstanceHasSeen() {
        read(ONE, "5000");

        assertThat(readHavingSeen(AHEAD, TWO)).isEqualTo(AHEAD + 1);
        assertThat(field("t")).isEqualTo(String.valueOf(AHEAD + 1));
    }

    @Test
    void theTokenOfARepeatedRequestOfAReaderIsHigherThanItsInstanceHasSeen() {
        read(ONE, "5000");

        assertThat(readHavingSeen(AHEAD, ONE)).isEqualTo(AHEAD + 1);
        assertThat(field("t")).isEqualTo(String.valueOf(AHEAD + 1));
    }

    /** A release by which readers enter that waited behind a writer; the writer leaves. */
    @Test
    void theTokensOfReadersThatEnterWhenAWriterLeavesAreHigherThanItsInstanceHasSeen() {
        read(ONE, "5000");
        acquire(TWO, "5000");
        try (RespClient listening = listening(redis, "two", "three", "four")) {
            read(THREE, "5000");
            read(FOUR, "60000");

            run("release.lua", 1, ENTRY, TWO, String.valueOf(AHEAD));

            assertThat(field("t")).isEqualTo(String.valueOf(AHEAD + 2));
            assertThat(field("l"))
                    .as("the longest lease that one of them counts on")
                    .isEqualTo("60000");
            assertThat(heard(listening, "three")).hasSize(2);
        }
    }

    @Test
    void theTokensOfReadersThatHaveTheirTurnAreHigherThanTheReleasingInstanceHasSeen() {
        acquire(ONE, "5000");
        try (RespClient listening = listening(redis, "two", "three")) {
            read(TWO, "5000");
            read(THREE, "5000");

            run("release.lua", 1, ENTRY, ONE, String.valueOf(AHEAD));

            assertThat(heard(listening, "two"))
                    .containsExactly(
                            "grant " + TWO + " " + (AHEAD + 1) + " 5000 0 " + ENTRY,
                            "grant " + THREE + " " + (AHEAD + 2) + " 5000 0 " + ENTRY);
        }
    }

    /** No release would be sent for it. */
    @Test
    void aReaderThatDoesNotListenDoesNotEnterByTheRequestOfAnother() {
        read(ONE, "5000");
        acquire(TWO, "5000");
        try (RespClient waiting = listening(redis, "four");
                RespClient writer = listening(redis, "two")) {
            read(FOUR, "5000");
            read(THREE, "5000");
            writer.call("UNSUBSCRIBE", "lock:instance:two");

            read(FIVE, "5000");

            assertThat(field("h")).isEqualTo(ONE + " " + FOUR + " " + FIVE + " ");
            assertThat(field("d")).isEqualTo(TWO + " " + THREE + " ");
            assertThat(heard(waiting, "four")).hasSize(1);
        }
    }

    @Test
    void aReaderThatWasPassedOverWhenAWriterLeftEntersWithItsNextRequest() {
        read(ONE, "5000");
        acquire(TWO, "5000");
        try (RespClient listening = listening(redis, "two", "three", "five")) {
            read(THREE, "5000");
            read(FOUR, "5000");
            release(TWO, "0", "");
            assertThat(field("h")).isEqualTo(ONE + " " + THREE + " ");
            acquire(FIVE, "5000");

            read(FOUR, "5000");

            assertThat(field("h")).isEqualTo(ONE + " " + THREE + " " + FOUR + " ");
            assertThat(listening).isNotNull();
        }
    }

    /** As an acquisition that is not shared: a grant is in the entry already, and its message may have been lost. */
    @Test
    void aReaderFindsItsGrantByARequestWhenRedisIsOutOfMemory() {
        acquire(ONE, "5000");
        read(TWO, "5000");
        read(THREE, "5000");
        releaseHeardBy(List.of("two", "three"), ONE, "");

        Object reply = withoutMemory(() -> read(TWO, "5000"));

        assertThat(reply).asInstanceOf(InstanceOfAssertFactories.LIST).first().isEqualTo(1L);
        assertThat(String.valueOf(((List<?>) reply).get(1))).isEqualTo(field("t"));
        assertThat(field("h")).isEqualTo(TWO + " " + THREE + " ");
    }

    @Test
    void aReaderThatWasPassedOverEntersWhenRedisIsOutOfMemory() {
        read(ONE, "5000");
        acquire(TWO, "5000");
        try (RespClient listening = listening(redis, "two", "three")) {
            read(THREE, "5000");
            read(FOUR, "5000");
            release(TWO, "0", "");
            assertThat(field("d")).isEqualTo(FOUR + " ");

            Object reply = withoutMemory(() -> read(FOUR, "5000"));

            assertThat(reply)
                    .asInstanceOf(InstanceOfAssertFactories.LIST)
                    .first()
                    .isEqualTo(1L);
            assertThat(field("h")).isEqualTo(ONE + " " + THREE + " " + FOUR + " ");
            assertThat(has("d")).isFalse();
            assertThat(listening).isNotNull();
        }
    }

    private static Object withoutMemory(Supplier<Object> request) {
        client.call("CONFIG", "SET", "maxmemory", "1");
        try {
            return request.get();
        } finally {
            client.call("CONFIG", "SET", "maxmemory", "0");
        }
    }

    /** It asks again, so it is alive, but may have gone since: it is left the lock for two seconds. */
    @Test
    void aReaderThatDoesNotListenButSendsRequestsHasItsTurnForTwoSeconds() {
        acquire(ONE, "5000");
        read(TWO, "60000");
        acquire(FOUR, "5000");
        releaseHeardBy(List.of("four"), ONE, "");
        assertThat(field("o")).isEqualTo(FOUR);
        read(TWO, "60000");
        acquire(THREE, "5000");

        releaseHeardBy(List.of("three"), FOUR, "");

        assertThat(field("h")).isEqualTo(TWO + " ");
        assertThat(ttl()).isBetween(1L, 2_000L);
        read(TWO, "60000");
        assertThat(ttl()).isGreaterThan(50_000);
    }

    @Test
    void readersThatEnterTogetherHaveTheLongestLeaseOfAnyOfThem() {
        read(ONE, "5000");
        acquire(TWO, "5000");
        try (RespClient waiting = listening(redis, "three", "four");
                RespClient writer = listening(redis, "two")) {
            read(THREE, "5000");
            read(FOUR, "60000");
            writer.call("UNSUBSCRIBE", "lock:instance:two");

            read(FIVE, "5000");

            assertThat(field("h")).isEqualTo(ONE + " " + THREE + " " + FOUR + " " + FIVE + " ");
            assertThat(field("l")).isEqualTo("60000");
            assertThat(ttl()).isGreaterThan(50_000);
        }
    }

    @Test
    void onlyTheLatestInstancesThatAReaderHasPassedOverAreRecorded() {
        read(ONE, "5000");
        for (int i = 0; i < 20; i++) {
            acquire("dead" + i + ".secret.1", "5000");
        }

        read(TWO, "5000");

        assertThat(field("h")).isEqualTo(ONE + " " + TWO + " ");
        assertThat(field("d").split(" ")).hasSize(8).contains("dead19.secret.1");
    }
}
