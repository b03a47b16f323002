/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.RespClient;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The scripts of a user who may not count listeners: only its requests show that a waiting instance is alive. */
class UncountedListenersScriptTests extends AbstractScriptTests {

    private static final String FOUR = "four.secret.1";

    private RespClient limited;

    @BeforeEach
    void login() {
        limited = userWithout("-pubsub");
    }

    @AfterEach
    void logout() {
        limited.close();
    }

    private Object write(String id, String queues) {
        return run(limited, "acquire.lua", 2, ENTRY, CANCELLED, id, "5000", "0", queues);
    }

    private Object read(String id) {
        return run(limited, "acquire.lua", 2, ENTRY, CANCELLED, id, "5000", "0", "1", "%shared", "1");
    }

    private static boolean isGranted(Object reply) {
        return !(reply instanceof List<?> list) || list.get(0).equals(1L);
    }

    /** The first in line sends no request for that time. */
    private static void silence(int millis) {
        String[] watched = field("s").split(" ");
        client.call("HSET", ENTRY, "s", watched[0] + " " + (Long.parseLong(watched[1]) - millis));
    }

    @Test
    void aReaderQueuesBehindAWriter() {
        read(ONE);
        write(TWO, "1");

        assertThat(isGranted(read(THREE))).isFalse();
        silence(2_000);
        assertThat(isGranted(read(THREE))).isFalse();
        assertThat(isGranted(read(FOUR))).isFalse();
        assertThat(line()).isEqualTo(TWO + " 5000 ;" + THREE + " 5000 %shared;" + FOUR + " 5000 %shared;");
    }

    @Test
    void aWriterThatSendsNoRequestForThreeSecondsDoesNotKeepReadersOut() {
        read(ONE);
        write(TWO, "1");
        read(THREE);
        silence(3_001);

        assertThat(isGranted(read(THREE))).isTrue();
        assertThat(line()).isEmpty();
        assertThat(has("s")).isFalse();
        assertThat(isGranted(write(TWO, "1"))).isFalse();
        assertThat(field("d")).as("it is alive all the same").isEqualTo("+" + TWO + " ");
    }

    @Test
    void theTimeCountsFromTheLatestRequestOfTheWriter() {
        read(ONE);
        write(TWO, "1");
        read(THREE);
        silence(3_001);
        write(TWO, "1");

        assertThat(isGranted(read(THREE))).isFalse();
        assertThat(line()).startsWith(TWO);
    }

    @Test
    void theTimeOfTheNextWriterCountsAnew() {
        read(ONE);
        write(TWO, "1");
        write(FOUR, "1");
        read(THREE);
        silence(3_001);

        assertThat(isGranted(read(THREE))).isFalse();
        assertThat(line()).startsWith(FOUR);
        assertThat(field("s")).startsWith(FOUR + " ");
    }

    /** As well if the server counts: such an instance is not subscribed, whether it is alive or not. */
    @Test
    void aWriterThatIsNotSubscribedAndDiesDoesNotKeepReadersOut() {
        acquireFor("%shared", ONE, "5000");
        run("acquire.lua", 2, ENTRY, CANCELLED, TWO, "5000", "0", "2");
        assertThat(isGranted(acquireFor("%shared", THREE, "5000"))).isFalse();
        silence(3_001);

        assertThat(isGranted(acquireFor("%shared", THREE, "5000"))).isTrue();
    }

    /** Also if it listens: its instance may be stopped, or have ended this wait in an outage. */
    @Test
    void aWriterThatListensAndSendsNoRequestDoesNotKeepReadersOut() {
        acquireFor("%shared", ONE, "5000");
        acquire(TWO, "5000");
        try (RespClient ignored = listening(redis, "two")) {
            assertThat(isGranted(acquireFor("%shared", THREE, "5000"))).isFalse();
            silence(3_001);

            assertThat(isGranted(acquireFor("%shared", THREE, "5000"))).isTrue();
        }
        assertThat(isGranted(acquire(TWO, "5000"))).isFalse();
        assertThat(line()).as("it is alive all the same").startsWith(TWO);
    }

    @Test
    void theClockOfTheServerMayBeSetBack() {
        read(ONE);
        write(TWO, "1");
        read(THREE);
        silence(-3_600_000);
        read(THREE);
        silence(3_001);

        assertThat(isGranted(read(THREE))).isTrue();
    }

    /** Otherwise the lock would be free, and a stream of readers could take it each time. */
    @Test
    void aReleaseReservesTheLockForTheFirstInLineForTwoSeconds() {
        write(ONE, "1");
        write(TWO, "1");
        write(THREE, "1");
        try (RespClient listener = listening(redis, "two", "three")) {
            run(limited, "release.lua", 1, ENTRY, ONE, "0");

            assertThat(heard(listener, "two")).isEmpty();
        }
        assertThat(field("o")).isEqualTo(TWO);
        assertThat(line()).isEqualTo(THREE + " 5000 ;");
        assertThat(ttl()).isBetween(1L, 2_000L);
        assertThat(isGranted(write(TWO, "1"))).isTrue();
        assertThat(ttl()).isGreaterThan(4_000L);
    }

    @Test
    void aHandOverToReadersAdmitsAllOfThem() {
        write(ONE, "1");
        read(TWO);
        write(FOUR, "1");
        read(THREE);
        run(limited, "release.lua", 1, ENTRY, ONE, "0");

        assertThat(field("h")).isEqualTo(TWO + " " + THREE + " ");
        assertThat(line()).isEqualTo(FOUR + " 5000 ;");
        assertThat(ttl()).isBetween(1L, 2_000L);
    }
}
