/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.RespClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A long line costs what a short one costs, and those who leave it leave nothing behind. */
class LongLineScriptTests extends AbstractScriptTests {

    private static final String LONGEST = """
        local longest = 0
        for _, value in ipairs(redis.call('HVALS', KEYS[1])) do
          longest = math.max(longest, #value)
        end
        return longest
        """;

    private static String id(int number) {
        return "i" + number + ".secret.1";
    }

    private static void queue(int from, int to) {
        for (int i = from; i < to; i++) {
            acquire(id(i), "60000");
        }
    }

    private static Map<String, Long> costOfHandOver(String id) {
        return cost(() -> run("release.lua", 1, ENTRY, id, "0"));
    }

    @Test
    void aHandOverAndARequestTakeTheSameCommandsHoweverManyWait() {
        try (RespClient listener = listening(redis, "i1", "i2")) {
            acquire(id(0), "60000");
            queue(1, 30);
            Map<String, Long> handOver = costOfHandOver(id(0));
            Map<String, Long> question = cost(() -> acquire(id(20), "60000"));
            Map<String, Long> queuing = cost(() -> acquire(id(30), "60000"));
            assertThat(field("o")).isEqualTo(id(1));

            queue(31, 2_000);

            assertThat(costOfHandOver(id(1))).isEqualTo(handOver);
            assertThat(cost(() -> acquire(id(1_000), "60000"))).isEqualTo(question);
            assertThat(cost(() -> acquire(id(2_000), "60000"))).isEqualTo(queuing);
            assertThat(field("o")).isEqualTo(id(2));
            assertThat(client.number("EVAL", LONGEST, "1", ENTRY))
                    .as("the longest field")
                    .isLessThan(100);
            assertThat(listener).isNotNull();
        }
    }

    /** What as many requests of one explicit owner leave, each after the one before. */
    private static final String QUEUE_OF_AN_OWNER = """
            for i = 1, tonumber(ARGV[1]) do
              local id = 'many.secret.' .. i
              redis.call('HSET', KEYS[1], 'q' .. i, id .. ' 60000 job', 'w' .. id, i)
              if i > 1 then
                redis.call('HSET', KEYS[1], 'a' .. i, i - 1, 'b' .. (i - 1), i)
              end
            end
            redis.call('HSET', KEYS[1], 'f', 1, 'n', ARGV[1] + 1, 'ejob', ARGV[1])
            """;

    /** A command of a script has some thousand words at most. */
    @Test
    void anExplicitOwnerEntersWithAllItsWaitersHoweverManyThese() {
        acquire(id(0), "60000");
        try (RespClient ignored = listening(redis, "many")) {
            client.call("EVAL", QUEUE_OF_AN_OWNER, "1", ENTRY, "4100");

            run("release.lua", 1, ENTRY, id(0), "0");
        }
        assertThat(field("o")).isEqualTo("=job");
        assertThat(field("h").split(" ")).hasSize(4_100);
        assertThat(line()).isEmpty();
        assertThat(ttl()).isGreaterThan(50_000);
    }

    @Test
    void aReplyReportsHowManyAreAheadAndHowManyWait() {
        acquire(id(0), "60000");
        queue(1, 20);

        assertThat(aheadAndWaiting(id(20))).isEqualTo(List.of(19L, 20L));
        assertThat(aheadAndWaiting(id(1))).isEqualTo(List.of(0L, 20L));
        for (int i = 2; i < 20; i++) {
            release(id(i), "0", "");
        }
        assertThat(aheadAndWaiting(id(20))).isEqualTo(List.of(1L, 2L));
    }

    @Test
    void anEmptyPlaceAtAnEndOfTheLineIsNotCounted() {
        acquire(id(0), "60000");
        queue(1, 7);
        release(id(2), "0", "");
        release(id(5), "0", "");
        assertThat(field("x")).isEqualTo("2");

        release(id(1), "0", "");
        assertThat(field("x")).isEqualTo("1");
        release(id(6), "0", "");

        assertThat(has("x")).isFalse();
        assertThat(aheadAndWaiting(id(4))).isEqualTo(List.of(1L, 2L));
    }

    private static List<?> aheadAndWaiting(String id) {
        return ((List<?>) acquire(id, "60000")).subList(5, 7);
    }

    @Test
    void emptyPlacesInTheMiddleAreSkippedInOneStep() {
        try (RespClient listener = listening(redis, "i1", "i900")) {
            acquire(id(0), "60000");
            acquire(id(1), "60000");
            for (int i = 2; i < 800; i += 2) {
                queue(i, i + 2);
                release(id(i), "0", "");
            }
            acquire(id(900), "60000");
            for (int i = 799; i > 2; i -= 2) {
                release(id(i), "0", "");
            }
            assertThat(line()).isEqualTo(id(1) + " 60000 ;" + id(900) + " 60000 ;");
            assertThat(client.number("HLEN", ENTRY)).isLessThan(15);

            run("release.lua", 1, ENTRY, id(0), "0");
            assertThat(field("o")).isEqualTo(id(1));
            assertThat(costOfHandOver(id(1)).values().stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .isLessThan(15);

            assertThat(field("o")).isEqualTo(id(900));
            assertThat(client.list("HKEYS", ENTRY)).containsExactlyInAnyOrder("o", "t", "l");
            assertThat(listener).isNotNull();
        }
    }

    @Test
    void aThousandInstancesThatDoNotListenArePassedOverInOneStep() {
        try (RespClient listener = listening(redis, "alive")) {
            acquire(id(0), "60000");
            queue(1, 1_001);
            acquire("alive.secret.1", "60000");

            Map<String, Long> cost = costOfHandOver(id(0));

            assertThat(cost.get("pubsub|numsub")).isLessThan(20);
            assertThat(heard(listener, "alive")).singleElement().asString().startsWith("grant alive.secret.1 ");
            assertThat(client.list("HKEYS", ENTRY)).containsExactlyInAnyOrder("o", "t", "l", "d");
        }
    }

    @Test
    void theLockIsFreeAfterTooManyInstancesThatDoNotListen() {
        try (RespClient listener = listening(redis, "alive")) {
            acquire(id(0), "60000");
            queue(1, 1_100);
            acquire("alive.secret.1", "60000");

            assertThat(release(id(0), "0", "").toString()).startsWith("[1, ");

            assertThat(isFree()).isTrue();
            assertThat(heard(listener, "alive")).isEmpty();
        }
    }

    /** The entry has then as many fields as one without an empty place. */
    @Test
    void anEmptyPlaceBehindTheHeadIsSkipped() {
        try (RespClient listener = listening(redis, "i1", "i3")) {
            acquire(id(0), "60000");
            queue(1, 4);
            release(id(2), "0", "");

            run("release.lua", 1, ENTRY, id(0), "0");
            run("release.lua", 1, ENTRY, id(1), "0");

            assertThat(field("o")).isEqualTo(id(3));
            assertThat(client.list("HKEYS", ENTRY)).containsExactlyInAnyOrder("o", "t", "l");
            assertThat(listener).isNotNull();
        }
    }

    /** The script has a shorter way for a line of ordinary waiters. */
    @Test
    void theShortPathGivesTheNextOwnerItsLeaseAndToken() {
        try (RespClient listener = listening(redis, "two")) {
            acquire(ONE, "5000");
            acquire(TWO, "60000");

            run("release.lua", 1, ENTRY, ONE, "9000000000000000");

            assertThat(field("o")).isEqualTo(TWO);
            assertThat(field("t")).isEqualTo("9000000000000001");
            assertThat(ttl()).isBetween(50_000L, 60_000L);
            assertThat(field("l")).isEqualTo("60000");
            assertThat(client.list("HKEYS", ENTRY)).containsExactlyInAnyOrder("o", "t", "l");
            assertThat(heard(listener, "two")).containsExactly("grant " + TWO + " 9000000000000001 60000 0 " + ENTRY);
        }
    }

    @Test
    void theShortPathDoesNotHandTheLockToAnInstanceThatDoesNotListen() {
        acquire(ONE, "5000");
        acquire(TWO, "60000");

        run("release.lua", 1, ENTRY, ONE, "0");

        assertThat(isFree()).isTrue();
    }

    /** Those asked seldom before, and could now lose a message that gives them the lock. */
    @Test
    void anInstanceThatComesNearTheHeadIsNotifiedOnce() {
        assertNotified(() -> run("release.lua", 1, ENTRY, id(0), "0"));
    }

    @Test
    void soIsTheLastInLine() {
        try (RespClient next = listening(redis, "i1");
                RespClient last = listening(redis, "i13")) {
            acquire(id(0), "60000");
            queue(1, 14);

            run("release.lua", 1, ENTRY, id(0), "0");

            assertThat(field("o")).isEqualTo(id(1));
            assertThat(heard(last, "i13")).containsExactly("near " + id(13) + " " + ENTRY);
            assertThat(next).isNotNull();
        }
    }

    @Test
    void soItIsWhereSomethingElseIsInTheEntry() {
        assertNotified(() -> release(id(0), "0", ""));
    }

    private static void assertNotified(Runnable release) {
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            all.add("i" + i);
        }
        try (RespClient near = listening(redis, "i13");
                RespClient far = listening(redis, "i14");
                RespClient others = listening(redis, all.toArray(String[]::new))) {
            acquire(id(0), "60000");
            queue(1, 21);

            release.run();
            assertThat(heard(near, "i13")).containsExactly("near " + id(13) + " " + ENTRY);
            assertThat(heard(far, "i14")).isEmpty();

            release(id(2), "0", "");
            assertThat(heard(near, "i13")).isEmpty();
            assertThat(heard(far, "i14")).containsExactly("near " + id(14) + " " + ENTRY);
            assertThat(others).isNotNull();
        }
    }
}
