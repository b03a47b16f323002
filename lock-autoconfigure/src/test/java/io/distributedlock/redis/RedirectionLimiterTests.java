/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Slots whose servers redirect to each other, and a clock that the test moves. */
class RedirectionLimiterTests {

    private static final int MANY = 1_000;

    private static final String KEY = "lock:{a}";

    private static final int SLOT = SlotHash.getSlot(KEY);

    private final AtomicLong nanos = new AtomicLong(5_000_000_000L);

    private final RedirectionLimiter limiter = new RedirectionLimiter(nanos::get);

    private void redirect(int slots) {
        IntStream.range(0, slots).forEach(slot -> limiter.receivedError("MOVED " + slot + " 127.0.0.1:7001"));
    }

    private void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /** One of them asks each millisecond, in turn. Returns how often each got a permit. */
    private Map<Integer, Integer> permitsWithin(Duration time, int slots) {
        Map<Integer, Integer> permits = new HashMap<>();
        for (int i = 0; i < time.toMillis(); i++) {
            advance(Duration.ofMillis(1));
            if (limiter.tryAcquirePermit(i % slots)) {
                permits.merge(i % slots, 1, Integer::sum);
            }
        }
        return permits;
    }

    private static int sum(Map<Integer, Integer> permits) {
        return permits.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Test
    void allSlotsTogetherGetOnePermitEach150Milliseconds() {
        redirect(MANY);

        assertThat(sum(permitsWithin(Duration.ofSeconds(60), MANY))).isBetween(400, 406);
    }

    @Test
    void aSlotThatIsNotRedirectedNeedsNoPermit() {
        redirect(MANY);
        permitsWithin(Duration.ofSeconds(1), MANY);

        assertThat(IntStream.range(0, 100)).allMatch(i -> limiter.tryAcquirePermit(MANY));
    }

    @Test
    void aSlotThatNoCallerUsesIsForgotten() {
        redirect(1);
        assertThat(limiter.tryAcquirePermit(0)).isTrue();
        assertThat(limiter.tryAcquirePermit(0)).isFalse();
        advance(Duration.ofSeconds(6));

        assertThat(IntStream.range(0, 100)).allMatch(i -> limiter.tryAcquirePermit(0));
    }

    @Test
    void aReplyThatOnlyLooksLikeARedirectionIsIgnored() {
        limiter.receivedError("MOVED");
        limiter.receivedError("MOVED x 127.0.0.1:7001");
        limiter.receivedError("MOVED 123456789012 127.0.0.1:7001");
        limiter.receivedError("ASK");

        assertThat(IntStream.range(0, 100)).allMatch(limiter::tryAcquirePermit);
    }

    @Test
    void theFirstCommandAfterARedirectionIsSentAtOnce() {
        redirect(1);

        assertThat(limiter.tryAcquirePermit(0)).isTrue();
        assertThat(limiter.tryAcquirePermit(0)).isFalse();
    }

    @Test
    void aSlotThatIsTriedAllTheTimeLeavesPermitsToTheOthers() {
        redirect(10);
        Set<Integer> permitted = new HashSet<>();
        int ofTheFirst = 0;
        for (int i = 0; i < 20_000; i++) {
            advance(Duration.ofMillis(1));
            ofTheFirst += limiter.tryAcquirePermit(0) ? 1 : 0;
            int other = 1 + i / 100 % 9;
            if (i % 100 == 99 && limiter.tryAcquirePermit(other)) {
                permitted.add(other);
            }
        }

        assertThat(ofTheFirst).isBetween(15, 30);
        assertThat(permitted).hasSize(9);
    }

    /** Each slot asks once a second, and each permitted command gets a reply. */
    @Test
    void allSlotsRecoverSoonAfterTheServersAgree() {
        redirect(MANY);
        permitsWithin(Duration.ofSeconds(30), MANY);
        Set<Integer> recovered = new HashSet<>();
        for (int i = 0; i < 1_500; i++) {
            advance(Duration.ofMillis(1));
            int slot = i % MANY;
            if (limiter.tryAcquirePermit(slot)) {
                limiter.replied(slot);
                recovered.add(slot);
            }
        }

        assertThat(recovered).hasSize(MANY);
        assertThat(limiter.tryAcquirePermit(0)).as("no limit any more").isTrue();
    }

    @Test
    void aSlotThatRecoversEarnsFewPermitsForThoseThatDoNot() {
        redirect(MANY);
        permitsWithin(Duration.ofSeconds(10), MANY);
        IntStream.range(MANY - 10, MANY).forEach(limiter::replied);

        assertThat(sum(permitsWithin(Duration.ofSeconds(60), MANY - 10))).isBetween(400, 407 + 10 * 4);
    }

    @Test
    void aRefusedCommandIsAnsweredWithTheReason() {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Reply<String> reply = (value, problem) -> failure.set(problem);
        assertThat(limiter.permit(KEY, reply)).isSameAs(reply);
        limiter.redirected(SLOT);
        assertThat(limiter.permit(KEY, reply)).isNotNull();

        assertThat(limiter.permit(KEY, reply)).isNull();

        assertThat(failure.get())
                .isInstanceOfSatisfying(
                        LeaseStoreException.class,
                        known -> assertThat(known.effect()).isEqualTo(Effect.NOT_EXECUTED))
                .hasMessage("the servers of the cluster redirect commands for slot " + SLOT + " to each other");
    }

    @Test
    void aReplyAndAnErrorOfAnotherKindEndTheLimit() {
        Reply<String> reply = (value, problem) -> {};
        limiter.redirected(SLOT);
        Reply<String> permitted = limiter.permit(KEY, reply);
        assertThat(permitted).isNotNull();
        permitted.replied(null, new LeaseStoreException(Effect.NOT_EXECUTED, "Redis returned: MOVED", null));
        assertThat(limiter.permit(KEY, reply)).isNull();

        permitted.replied(null, new LeaseStoreException(Effect.REFUSED, "Redis returned: WRONGTYPE", null));

        assertThat(limiter.permit(KEY, reply)).isSameAs(reply);
        limiter.redirected(SLOT);
        Reply<String> next = limiter.permit(KEY, reply);
        assertThat(next).isNotNull();
        next.replied("a", null);
        assertThat(limiter.permit(KEY, reply)).isSameAs(reply);
    }
}
