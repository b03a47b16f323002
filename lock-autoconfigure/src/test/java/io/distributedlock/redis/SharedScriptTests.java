/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.testing.RespClient;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Readers in the scripts: who joins, who waits, and who hears of it. */
class SharedScriptTests extends AbstractScriptTests {

    private static final String FOUR = "four.secret.1";

    private static Object read(String id, String lease) {
        return acquireFor("%shared", id, lease);
    }

    private static Object readBeside(String companion, String id) {
        return run("acquire.lua", 2, ENTRY, CANCELLED, id, "5000", "0", "1", "%shared", "1", companion);
    }

    private static long token(Object reply) {
        return reply instanceof List<?> list ? (Long) list.get(1) : Long.parseLong((String) reply);
    }

    private static boolean isGranted(Object reply) {
        return !(reply instanceof List<?> list) || list.get(0).equals(1L);
    }

    @Test
    void aReaderJoinsReadersWithATokenOfItsOwnAndTheSameIdOnce() {
        long one = token(read(ONE, "5000"));
        long two = token(read(TWO, "9000"));

        assertThat(token(read(ONE, "5000"))).as("not that of the other").isGreaterThan(two);
        assertThat(two).isGreaterThan(one);
        assertThat(field("o")).isEqualTo("=%shared");
        assertThat(field("h")).isEqualTo(ONE + " " + TWO + " ");
        assertThat(field("l")).isEqualTo("9000");
        assertThat(ttl()).isGreaterThan(5_000);
    }

    /** The instance of the last reader may not know the token of another one, nor the clock from which it came. */
    @Test
    void aTokenAheadOfTheClockOutlivesTheLastReader() {
        String clock = String.valueOf(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + 60_000));
        read(ONE, "5000");
        long ahead = token(run("acquire.lua", 2, ENTRY, CANCELLED, TWO, "5000", clock, "1", "%shared", "1"));
        assertThat(run("release.lua", 1, ENTRY, TWO, "+" + ahead)).isEqualTo(List.of(4L, ahead));
        assertThat(run("release.lua", 1, ENTRY, ONE, "0")).isEqualTo(List.of(1L, ahead));

        assertThat(token(acquire(THREE, "5000"))).isGreaterThan(ahead);
    }

    @Test
    void aWriterDoesNotJoinReaders() {
        read(ONE, "5000");

        assertThat(isGranted(acquire(TWO, "5000"))).isFalse();
        assertThat(line()).isEqualTo(TWO + " 5000 ;");
    }

    @Test
    void aReaderDoesNotPassAWriterInLine() {
        read(ONE, "5000");
        acquire(TWO, "5000");

        try (RespClient listening = listening(redis, "two")) {
            assertThat(isGranted(read(THREE, "5000"))).isFalse();
            assertThat(isGranted(read(THREE, "5000"))).isFalse();
            assertThat(isGranted(read(ONE, "5000"))).as("inside already").isTrue();
        }
        assertThat(line()).isEqualTo(TWO + " 5000 ;" + THREE + " 5000 %shared;");
    }

    @Test
    void aReaderThatWaitedForTheSameTurnJoinsPastAWriter() {
        read(ONE, "5000");
        acquire(TWO, "5000");

        try (RespClient listening = listening(redis, "two")) {
            assertThat(isGranted(readBeside("none.secret.1", THREE))).isFalse();
            assertThat(isGranted(readBeside(ONE, THREE))).isTrue();
        }
        assertThat(line()).isEqualTo(TWO + " 5000 ;");
        assertThat(has("e%shared")).isFalse();
    }

    @Test
    void anInstanceThatComesNearTheHeadByAReaderThatPassesADeadWriterIsNotified() {
        read(ONE, "5000");
        acquire("dead.secret.1", "5000");
        try (RespClient waiting = listening(redis, "w")) {
            for (int i = 0; i < 13; i++) {
                acquire("w.secret." + i, "5000");
            }

            assertThat(isGranted(read(TWO, "5000"))).isFalse();

            assertThat(heard(waiting, "w")).containsExactly("near w.secret.11 " + ENTRY);
        }
    }

    /** Those who hold the lock count on what they were given, although another client took the expiry away. */
    @Test
    void readersThatEnterRestoreAMissingExpiry() {
        read(ONE, "9000");
        acquire(TWO, "5000");
        try (RespClient two = listening(redis, "two");
                RespClient three = listening(redis, "three")) {
            read(THREE, "1000");
            client.call("PERSIST", ENTRY);
            release(TWO, "0", "");
        }

        assertThat(field("h")).isEqualTo(ONE + " " + THREE + " ");
        assertThat(ttl()).isBetween(5_001L, 9_000L);
    }

    @Test
    void theLockIsHandedOverByTheLastReader() {
        read(ONE, "5000");
        read(TWO, "5000");
        acquire(THREE, "5000");

        assertThat(releaseHeardBy(List.of("three"), ONE, "").toString()).startsWith("[4");
        assertThat(field("o")).isEqualTo("=%shared");
        releaseHeardBy(List.of("three"), TWO, "");

        assertThat(field("o")).isEqualTo(THREE);
        assertThat(client.list("HKEYS", ENTRY)).containsExactlyInAnyOrder("o", "t", "l");
    }

    @Test
    void readersInLineEnterTogetherAndEachLearnsItsToken() {
        long before = token(acquire(ONE, "5000"));
        read(TWO, "5000");
        acquire(THREE, "5000");
        read(FOUR, "7000");

        try (RespClient two = listening(redis, "two");
                RespClient four = listening(redis, "four")) {
            release(ONE, "0", "");

            assertThat(field("h")).isEqualTo(TWO + " " + FOUR + " ");
            assertThat(line()).isEqualTo(THREE + " 5000 ;");
            String last = field("t");
            String first = String.valueOf(Long.parseLong(last) - 1);
            assertThat(Long.parseLong(first)).isGreaterThan(before);
            assertThat(heard(two, "two")).containsExactly("grant " + TWO + " " + first + " 5000 1 " + ENTRY);
            assertThat(heard(four, "four")).containsExactly("grant " + FOUR + " " + last + " 7000 1 " + ENTRY);
        }
    }

    @Test
    void readersBehindAWriterThatLeavesEnterAndAreNotified() {
        read(ONE, "5000");
        acquire(TWO, "5000");
        try (RespClient three = listening(redis, "three", "two")) {
            read(THREE, "8000");

            release(TWO, "0", "");

            assertThat(field("h")).isEqualTo(ONE + " " + THREE + " ");
            assertThat(heard(three, "three")).containsExactly("grant " + THREE + " " + field("t") + " 8000 0 " + ENTRY);
            assertThat(ttl()).isGreaterThan(5_000);
        }
        assertThat(has("n")).isFalse();
    }

    @Test
    void theFirstReaderThatSendsARequestLeadsOthersPastDeadWaiters() {
        read(ONE, "5000");
        acquire(TWO, "5000");
        try (RespClient three = listening(redis, "three");
                RespClient four = listening(redis, "two", "four")) {
            assertThat(isGranted(read(THREE, "5000"))).isFalse();
            assertThat(isGranted(read(FOUR, "5000"))).isFalse();
            four.call("UNSUBSCRIBE", "lock:instance:two");

            assertThat(isGranted(read(FOUR, "5000"))).isTrue();

            assertThat(field("h")).isEqualTo(ONE + " " + THREE + " " + FOUR + " ");
            assertThat(heard(three, "three")).hasSize(1);
        }
        assertThat(has("n")).isFalse();
        assertThat(isGranted(acquire(TWO, "5000"))).isFalse();
        assertThat(isGranted(read("five.secret.1", "5000")))
                .as("the dead one lives")
                .isFalse();
    }

    @Test
    void noMessageIsSentAboutARefusedWrite() {
        read(ONE, "5000");
        acquire(TWO, "5000");
        try (RespClient three = listening(redis, "three")) {
            client.call("HSET", ENTRY, "q2", THREE + " 5000 %shared", "w" + THREE, "2", "n", "3", "e%shared", "2");
            client.call("CONFIG", "SET", "min-replicas-to-write", "1");
            try {
                assertThatExceptionOfType(AssertionError.class)
                        .isThrownBy(() -> read(FOUR, "5000"))
                        .withMessageContaining("NOREPLICAS");
            } finally {
                client.call("CONFIG", "SET", "min-replicas-to-write", "0");
            }
            assertThat(field("h")).isEqualTo(ONE + " ");
            assertThat(heard(three, "three")).isEmpty();
        }
    }

    @Test
    void aCancelledReaderDoesNotJoin() {
        read(ONE, "5000");
        release(TWO, "5000", "");

        assertThat(read(TWO, "5000")).isEqualTo(List.of(3L, 0L));
        assertThat(field("h")).isEqualTo(ONE + " ");
    }

    @Test
    void aForcedReleaseNotifiesAllReadersAndNoExplicitOwnerMatchesThem() {
        read(ONE, "5000");
        read(TWO, "5000");
        assertThat(run("release-owner.lua", 1, ENTRY, LockNameCodec.encode("%shared"), "0")
                        .toString())
                .startsWith("[-1");
        try (RespClient both = listening(redis, "one", "two")) {
            run("force-release.lua", 1, ENTRY, "0");

            assertThat(heard(both, "one"))
                    .containsExactlyInAnyOrder("revoke " + ONE + " " + ENTRY, "revoke " + TWO + " " + ENTRY);
        }
        assertThat(isFree()).isTrue();
    }

    @Test
    void isReadWithTheInstancesOfTheReaders() {
        read(ONE, "5000");
        read("one.secret.2", "5000");
        read(TWO, "5000");

        assertThat(((List<?>) run("inspect.lua", 1, ENTRY)).get(0)).isEqualTo("%shared one two");
    }

    /** Of another client; Lua writes so large a number with an exponent if it is not told otherwise. */
    @Test
    void isReadWithARemainingLeaseOfThousandsOfYears() {
        read(ONE, "5000");
        client.call("PEXPIRE", ENTRY, "200000000000000");

        assertThat(((List<?>) run("inspect.lua", 1, ENTRY)).get(2)).asString().matches("\\d{15}");
    }

    @Test
    void inAClusterATokenThatIsAheadOfTheClockOutlivesTheReaders() {
        String id = "one{tag}.secret.1";
        String ahead = Long.parseLong(client.list("TIME").get(0)) + 5 + "000000";
        run("acquire.lua", 2, ENTRY, CANCELLED, id, "5000", ahead, "1", "%shared", "1");
        assertThat(field("o")).isEqualTo("=%shared");
        run("release.lua", 1, ENTRY, id, "0");

        assertThat(client.list("HKEYS", ENTRY)).containsExactly("t");
    }

    /** Until then, an instance that has not seen it would get a lower one. */
    @Test
    void aTokenAheadOfTheClockIsKeptUntilTheClockHasPassedIt() {
        String id = "one{tag}.secret.1";
        long ahead = Long.parseLong(client.list("TIME").get(0) + "000000") + 5_000_500;
        run("acquire.lua", 2, ENTRY, CANCELLED, id, "5000", String.valueOf(ahead), "1");
        run("release.lua", 1, ENTRY, id, "0");

        long end = client.number("PEXPIRETIME", ENTRY) * 1_000;
        assertThat(end).isBetween(ahead + 1, ahead + 10_000);
        assertThat(Long.parseLong(String.valueOf(acquire(TWO, "5000")))).isGreaterThan(ahead + 1);
    }

    /** On one server, the instance says whether its tokens are ahead, so that others cost nothing. */
    @Test
    void aTokenThatIsMarkedAsAheadIsKeptOnOneServer() {
        long ahead = Long.parseLong(client.list("TIME").get(0) + "000000") + 5_000_500;
        for (String release : new String[] {"release.lua", "force-release.lua"}) {
            run("acquire.lua", 2, ENTRY, CANCELLED, ONE, "5000", String.valueOf(ahead), "1");
            if (release.equals("release.lua")) {
                run(release, 1, ENTRY, ONE, "+" + (ahead + 10));
            } else {
                run(release, 1, ENTRY, "+" + (ahead + 10));
            }
            assertThat(client.list("HKEYS", ENTRY)).containsExactly("t");
            assertThat(client.number("PEXPIRETIME", ENTRY) * 1_000).isBetween(ahead + 11, ahead + 20_000);
            assertThat(Long.parseLong(String.valueOf(acquire(TWO, "5000")))).isGreaterThan(ahead + 10);
            client.call("DEL", ENTRY);
        }
    }

    @Test
    void aMarkedTokenThatTheClockHasPassedLeavesNothing() {
        long token = Long.parseLong(String.valueOf(acquire(ONE, "5000")));
        run("release.lua", 1, ENTRY, ONE, "+" + token);

        assertThat(client.number("EXISTS", ENTRY)).isZero();
    }

    @Test
    void theNextInLineGetsATokenAboveAMarkedOne() {
        long ahead = Long.parseLong(client.list("TIME").get(0) + "000000") + 5_000_500;
        acquire(ONE, "5000");
        try (RespClient listener = redis.connect()) {
            listener.call("SUBSCRIBE", "lock:instance:two");
            acquire(TWO, "5000");
            run("release.lua", 1, ENTRY, ONE, "+" + ahead);

            assertThat(Long.parseLong(client.text("HGET", ENTRY, "t"))).isGreaterThan(ahead);
            assertThat(client.text("HGET", ENTRY, "o")).isEqualTo(TWO);
        }
    }

    /** An operator may take the lock away, in the name of an instance that has seen less. */
    @Test
    void aTokenAheadOfTheClockIsKeptAfterAForcedRelease() {
        String id = "one{tag}.secret.1";
        long ahead = Long.parseLong(client.list("TIME").get(0) + "000000") + 5_000_500;
        run("acquire.lua", 2, ENTRY, CANCELLED, id, "5000", String.valueOf(ahead), "1");
        run("force-release.lua", 1, ENTRY, "0");

        assertThat(client.list("HKEYS", ENTRY)).containsExactly("t");
        assertThat(Long.parseLong(String.valueOf(acquire(TWO, "5000")))).isGreaterThan(ahead + 1);
    }

    @Test
    void anExclusiveLockCostsWhatItDid() {
        assertThat(cost(() -> acquire(ONE, "5000")))
                .containsOnlyKeys("exists", "time", "hset", "pexpire")
                .allSatisfy((command, calls) -> assertThat(calls).isOne());
        assertThat(cost(() -> run("release.lua", 1, ENTRY, ONE, "0")))
                .containsOnlyKeys("hlen", "hget", "del")
                .allSatisfy((command, calls) -> assertThat(calls).isOne());
    }
}
