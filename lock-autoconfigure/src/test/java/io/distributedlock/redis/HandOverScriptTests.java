/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Look, write, tell: a message is only true if it follows the write, and if it goes to one instance. */
class HandOverScriptTests extends AbstractScriptTests {

    private static final String FOUR = "four.secret.1";

    @ParameterizedTest
    @ValueSource(strings = {"release", "release with a tombstone", "release by owner", "forced release"})
    void aServerThatRefusesWritesSendsNoMessage(String how) {
        if (how.equals("release by owner")) {
            acquireFor("job", ONE, "5000");
        } else {
            acquire(ONE, "5000");
        }
        acquire(TWO, "5000");
        String owner = field("o");
        String line = line();
        try (RespClient listener = listening(redis, "one", "two")) {
            client.call("CONFIG", "SET", "min-replicas-to-write", "1");
            try {
                assertThatThrownBy(() -> releaseInOneWay(how)).hasMessageContaining("NOREPLICAS");
            } finally {
                client.call("CONFIG", "SET", "min-replicas-to-write", "0");
            }
            assertThat(heard(listener, "two")).isEmpty();
        }
        assertThat(field("o")).isEqualTo(owner);
        assertThat(line()).isEqualTo(line);
        assertThat(isFree(CANCELLED)).isTrue();
    }

    private static void releaseInOneWay(String how) {
        switch (how) {
            case "release" -> release(ONE, "0", "");
            case "release with a tombstone" -> release(ONE, "5000", THREE);
            case "release by owner" -> run("release-owner.lua", 1, ENTRY, "job", "0");
            default -> run("force-release.lua", 1, ENTRY, "0");
        }
    }

    @Test
    void anInstanceThatListensAtAReplicaGetsNoGrantOfAnotherInstance() {
        client.call("CONFIG", "SET", "repl-diskless-sync-delay", "0");
        try (EmbeddedRedis replica = EmbeddedRedis.start("replicaof 127.0.0.1 " + redis.port());
                RespClient there = listening(replica, "two");
                RespClient here = listening(redis, "three")) {
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                try (RespClient asking = replica.connect()) {
                    return asking.text("INFO", "replication").contains("master_link_status:up");
                }
            });
            acquire(ONE, "60000");
            acquire(TWO, "60000");
            acquire(THREE, "60000");

            release(ONE, "0", "");

            assertThat(field("o")).isEqualTo(THREE);
            assertThat(heard(here, "three")).singleElement().asString().startsWith("grant " + THREE + " ");
            assertThat(heard(there, "two")).isEmpty();
        }
    }

    @Test
    void theOnlyMessageGoesToTheNextOwner() {
        acquire(ONE, "5000");
        acquire(TWO, "5000");
        acquire(THREE, "5000");
        long before = messages();

        releaseHeardBy(List.of("one", "two", "three"), ONE, "");

        assertThat(messages()).isEqualTo(before + 1);
        assertThat(field("o")).isEqualTo(TWO);
        assertThat(line()).isEqualTo(THREE + " 5000 ;");
    }

    @Test
    void allHoldsOfAnExplicitOwnerEnterWithTheirOwnLease() {
        acquire(ONE, "5000");
        acquireFor("job", TWO, "5000");
        acquireFor("other", THREE, "5000");
        acquireFor("job", FOUR, "60000");
        try (RespClient two = listening(redis, "two");
                RespClient four = listening(redis, "four")) {
            release(ONE, "0", "");

            String token = field("t");
            assertThat(heard(two, "two")).containsExactly("grant " + TWO + " " + token + " 5000 1 " + ENTRY);
            assertThat(heard(four, "four")).containsExactly("grant " + FOUR + " " + token + " 60000 1 " + ENTRY);
        }
        assertThat(ttl()).isGreaterThan(50_000);
        assertThat(field("l"))
                .as("the longest lease that one of them counts on")
                .isEqualTo("60000");
    }

    @Test
    void theNextOwnerIsNotifiedThatTheFormerOneWaitsAgain() {
        acquire(ONE, "5000");
        acquire(TWO, "5000");
        try (RespClient two = listening(redis, "two")) {
            release(ONE, "0", "one.secret.2");

            assertThat(heard(two, "two")).containsExactly("grant " + TWO + " " + field("t") + " 5000 1 " + ENTRY);
        }
        assertThat(line()).isEqualTo("one.secret.2 5000 ;");
    }

    /** Or its owner would have a hold that is never released. */
    @Test
    void aWaiterForAnExplicitOwnerThatDoesNotListenDoesNotEnter() {
        acquire(ONE, "5000");
        acquireFor("job", TWO, "5000");
        acquireFor("job", FOUR, "5000");

        releaseHeardBy(List.of("four"), ONE, "");

        assertThat(field("h")).isEqualTo(FOUR + " ");
        assertThat(has("n")).isFalse();
    }

    /** It asks again, so it is alive: it is left the lock for two seconds, and asks once more. */
    @Test
    void anInstanceThatDoesNotListenButSendsRequestsIsNotPassedOverTwice() {
        acquire(ONE, "5000");
        acquire(TWO, "60000");
        acquire(FOUR, "5000");
        releaseHeardBy(List.of("four"), ONE, "");
        assertThat(field("o")).isEqualTo(FOUR);
        assertThat(has("n")).isFalse();

        acquire(THREE, "5000");
        acquire(TWO, "60000");
        assertThat(line()).isEqualTo(TWO + " 60000 ;" + THREE + " 5000 ;");
        long before = messages();
        releaseHeardBy(List.of("three"), FOUR, "");

        assertThat(messages()).isEqualTo(before);
        assertThat(field("o")).isEqualTo(TWO);
        assertThat(has("d")).isFalse();
        assertThat(ttl()).isBetween(1L, 2_000L);
        List<?> granted = (List<?>) acquire(TWO, "60000");
        assertThat(granted.get(0)).isEqualTo(1L);
        assertThat(ttl()).isGreaterThan(50_000);
    }

    /** Its request says that it does not listen, so it need not be passed over before. */
    @Test
    void theFirstInLineIsNotPassedOverIfItsRequestSaysThatItDoesNotListen() {
        acquire(ONE, "5000");
        acquireWithoutListening(TWO);
        assertThat(field("d")).isEqualTo("+" + TWO + " ");
        acquireWithoutListening(TWO);
        acquireWithoutListening(THREE);
        assertThat(field("d")).isEqualTo("+" + TWO + " ");

        releaseHeardBy(List.of(), ONE, "");

        assertThat(field("o")).isEqualTo(TWO);
        assertThat(has("d")).isFalse();
        assertThat(ttl()).isBetween(1L, 2_000L);
        acquireWithoutListening(THREE);
        assertThat(field("d")).isEqualTo("+" + THREE + " ");
        releaseHeardBy(List.of("three"), TWO, "");
        assertThat(field("o")).isEqualTo(THREE);
        assertThat(has("d")).isFalse();
        assertThat(ttl()).isGreaterThan(50_000);
    }

    private static void acquireWithoutListening(String id) {
        run("acquire.lua", 2, ENTRY, CANCELLED, id, "60000", "0", "2");
    }

    @Test
    void onlyTheLatestInstancesThatWerePassedOverAreRemembered() {
        acquire(ONE, "5000");
        for (int i = 0; i < 20; i++) {
            acquire("dead" + i + ".secret.1", "5000");
        }
        acquire(FOUR, "5000");

        releaseHeardBy(List.of("four"), ONE, "");

        assertThat(field("o")).isEqualTo(FOUR);
        assertThat(field("d").split(" ")).hasSize(8).contains("dead19.secret.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-pubsub", "-publish"})
    void aUserWithoutTheRightToMessagesCanRelease(String right) {
        acquire(ONE, "5000");
        acquire(TWO, "5000");
        try (RespClient limited = userWithout(right);
                RespClient listener = listening(redis, "two")) {
            run(limited, "release.lua", 1, ENTRY, ONE, "0");
            assertThat(heard(listener, "two")).isEmpty();
        }
        assertThat(field("o")).as("the next owner, which sends a request").isEqualTo(TWO);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theTokenOfTheNextOwnerIsHigherThanTheRevokingInstanceHasSeen(boolean force) {
        acquireFor("job", ONE, "5000");
        acquire(TWO, "5000");
        try (RespClient listener = listening(redis, "two")) {
            if (force) {
                run("force-release.lua", 1, ENTRY, "9000000000000000");
            } else {
                run("release-owner.lua", 1, ENTRY, "job", "9000000000000000");
            }

            assertThat(field("o")).isEqualTo(TWO);
            assertThat(field("t")).isEqualTo("9000000000000001");
            assertThat(heard(listener, "two")).singleElement().asString().contains(" 9000000000000001 ");
        }
    }

    @Test
    void anAcquisitionThatLeftTheLineWithUnknownOutcomeDoesNotReturn() {
        acquire(ONE, "5000");
        acquire(TWO, "5000");

        assertThat(release(TWO, "5000", "")).isEqualTo(List.of(3L, Long.parseLong(field("t"))));

        assertThat(acquire(TWO, "5000")).isEqualTo(List.of(3L, 0L));
        assertThat(has("n")).isFalse();
    }

    /** What nearly every call takes. */
    @Test
    void anAcquisitionOfAFreeLockCostsFourCommandsAndAReleaseWithoutWaitersThree() {
        assertThat(cost(() -> acquire(ONE, "5000")))
                .isEqualTo(Map.of("exists", 1L, "time", 1L, "hset", 1L, "pexpire", 1L));
        assertThat(cost(() -> run("release.lua", 1, ENTRY, ONE, "0")))
                .isEqualTo(Map.of("hget", 1L, "hlen", 1L, "del", 1L));
        assertThat(isFree()).isTrue();
    }
}
