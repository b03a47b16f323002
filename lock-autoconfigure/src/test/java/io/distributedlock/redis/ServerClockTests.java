/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.distributedlock.logging.FailingLog;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is known of the clock of one server, with clocks that the test moves. */
class ServerClockTests {

    private static final long EPOCH = 1_700_000_000_000_000L;

    private static final Duration TRANSIT = Duration.ofMillis(2);

    private final AtomicLong nanos = new AtomicLong(5_000_000_000L);

    private final Deque<CompletableFuture<List<String>>> requests = new ArrayDeque<>();

    private final ServerClock clock = new ServerClock(nanos::get, this::request);

    private long ahead;

    private CompletionStage<List<String>> request() {
        CompletableFuture<List<String>> request = new CompletableFuture<>();
        requests.add(request);
        return request;
    }

    private long shown() {
        return EPOCH + nanos.get() / 1_000 + ahead;
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void reply(CompletableFuture<List<String>> request) {
        pass(TRANSIT);
        long shown = shown();
        pass(TRANSIT);
        request.complete(List.of(Long.toString(shown / 1_000_000), Long.toString(shown % 1_000_000)));
    }

    private void grant(long token) {
        long sentAt = nanos.get();
        pass(TRANSIT);
        clock.granted(token, sentAt);
    }

    private void assertKnown(long error) {
        assertThat(requests).isEmpty();
        assertThat(clock.latest()).isBetween(shown(), shown() + error);
    }

    @BeforeEach
    void connect() {
        assertThat(clock.latest()).isZero();
        clock.request();
        reply(requests.remove());
    }

    @Test
    void isNeverBehindTheClockAndAheadOfItByTheTransitTimeOnly() {
        assertKnown(5_000);
        pass(Duration.ofSeconds(50));
        assertKnown(30_000);
    }

    @Test
    void tokensThatAreTheClockSendNoRequest() {
        for (int i = 0; i < 1_000; i++) {
            pass(Duration.ofMillis(50));
            grant(shown());
        }
        assertKnown(30_000);
    }

    @Test
    void isRequestedAgainAfterAMinuteOfUse() {
        pass(Duration.ofSeconds(61));
        assertThat(requests).isEmpty();
        grant(shown());
        grant(shown());
        reply(requests.remove());
        assertKnown(5_000);
    }

    /** The instance has assigned a token that is a little behind the former clock, and sends it as its floor. */
    @Test
    void noTokenCountsAsBehindAClockThatWasSetBackUntilTheClockIsKnownAgain() {
        long floor = shown();
        pass(Duration.ofMillis(20));
        ahead = -3_000_000;
        grant(floor + 1);

        assertThat(clock.latest()).isZero();
        reply(requests.remove());
        assertKnown(5_000);
        grant(floor + 2);
        assertKnown(5_000);
    }

    @Test
    void aClockThatWasSetAheadIsRequestedAgainOnceASecondAtMost() {
        pass(Duration.ofSeconds(2));
        ahead = 3_000_000;
        grant(shown());
        grant(shown());
        reply(requests.remove());
        assertKnown(5_000);
    }

    @Test
    void aTokenThatIsAheadIsNotTheClock() {
        pass(Duration.ofSeconds(2));
        grant(shown() + 3_000_000);
        assertThat(clock.latest()).isLessThan(shown() + 10_000);
        reply(requests.remove());
        grant(shown() + 3_000_000);
        assertKnown(5_000);
    }

    @Test
    void theClockOfTheServerBeforeDoesNotCountForTheNextOne() {
        clock.request();
        CompletableFuture<List<String>> former = requests.remove();
        clock.disconnected();
        reply(former);
        assertThat(clock.latest()).isZero();

        ahead = -3_000_000;
        clock.request();
        reply(requests.remove());
        assertKnown(5_000);
    }

    /** Other instances have got tokens there that this one has not seen. */
    @Test
    void theClockOfTheFormerMasterCountsAsItWasWhenTheConnectionEnded() {
        assertThat(clock.former()).isZero();
        ahead = 3_000_000;
        clock.request();
        reply(requests.remove());
        pass(Duration.ofSeconds(10));
        long shown = shown();
        clock.disconnected();
        assertThat(clock.former()).isBetween(shown - 10_000, shown);

        pass(Duration.ofSeconds(1));
        ahead = 0;
        try (Logs logs = Logs.capture(Level.WARN)) {
            clock.request();
            reply(requests.remove());
            clock.request();
            reply(requests.remove());
            assertThat(logs.of("io.distributedlock.redis.ServerClock"))
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .startsWith("WARN The clock of the Redis server is 19");
        }
        assertThat(clock.former()).isBetween(shown - 10_000, shown);
    }

    @Test
    void theClockOfAServerThatMayHaveBeenTheMasterCounts() {
        long other = shown() + 60_000_000;
        clock.surveyed(List.of(shown(), other, shown() + TimeUnit.DAYS.toMicros(30)));
        clock.request();
        reply(requests.remove());
        clock.surveyed(List.of(shown()));
        clock.request();
        reply(requests.remove());

        assertThat(clock.former()).isEqualTo(other);
    }

    /** Otherwise all tokens would be ahead of all clocks for as long as that, and each name would keep an entry. */
    @Test
    void aClockThatIsFarAheadOfThatOfTheMasterIsIgnored() {
        clock.surveyed(List.of(shown() + TimeUnit.MINUTES.toMicros(11)));
        try (Logs logs = Logs.capture(Level.WARN)) {
            clock.request();
            reply(requests.remove());
            assertThat(logs.of("io.distributedlock.redis.ClockSurvey"))
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .contains("It is ignored");
        }

        assertThat(clock.former()).isZero();
    }

    /** The line is between the reply and its consequence. */
    @Test
    void theClockOfTheFormerMasterCountsAlthoughTheLoggerFails() {
        ahead = 3_000_000;
        clock.request();
        reply(requests.remove());
        clock.disconnected();
        ahead = 0;
        try (FailingLog log = FailingLog.of(ServerClock.class)) {
            clock.request();
            reply(requests.remove());
            assertThat(log.isStarted()).isTrue();
        }

        assertThat(clock.isAhead(shown() - 1_000_000)).isTrue();
    }

    @Test
    void aTokenOfTheClockIsNotAhead() {
        for (int i = 0; i < 100; i++) {
            pass(Duration.ofMillis(500));
            long token = shown();
            assertThat(clock.isAhead(token)).isFalse();
        }
    }

    /** The clock is known within the transit time only, and another instance may release a little later. */
    @Test
    void aTokenCountsAsAheadUntilTheClockHasCertainlyPassedIt() {
        long token = shown() + 2_000_000;
        assertThat(clock.isAhead(token)).isTrue();
        pass(Duration.ofSeconds(2));
        assertThat(clock.isAhead(token)).isTrue();
        pass(Duration.ofMillis(1_100));
        assertThat(clock.isAhead(token)).isFalse();
        assertThat(clock.isAhead(shown())).isFalse();
    }

    @Test
    void anyTokenMayBeAheadOfAClockThatIsNotKnown() {
        clock.disconnected();
        assertThat(clock.isAhead(shown() - 1_000_000)).isTrue();
    }

    @Test
    void aRequestWithoutAReplyIsRepeatedAtAGrant() {
        clock.disconnected();
        clock.request();
        requests.remove().completeExceptionally(new RedisException("disconnected"));
        assertThat(clock.latest()).isZero();
        pass(Duration.ofSeconds(1));
        grant(shown());
        reply(requests.remove());
        assertKnown(5_000);
    }

    /** An instance whose locks are always handed over gets no token of a free lock. */
    @Test
    void aRequestWithoutAReplyIsRepeatedWhenTheServerReplies() {
        clock.disconnected();
        clock.request();
        requests.remove().completeExceptionally(new RedisException("no reply in time"));
        clock.replied();
        assertThat(requests).isEmpty();
        pass(Duration.ofSeconds(1));
        clock.replied();
        clock.replied();
        reply(requests.remove());
        assertKnown(5_000);

        pass(Duration.ofSeconds(61));
        clock.replied();
        reply(requests.remove());
        assertKnown(5_000);
    }

    @Test
    void aServerThatRefusesTheRequestHasNoLimit() {
        clock.disconnected();
        clock.request();
        requests.remove().completeExceptionally(new RedisCommandExecutionException("ERR unknown command 'TIME'"));
        assertThat(clock.latest()).isEqualTo(Long.MAX_VALUE);
        grant(shown());
        assertThat(requests).isEmpty();

        clock.disconnected();
        assertThat(clock.latest()).as("limit at the next server").isZero();
    }
}
