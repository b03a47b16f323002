/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Local tokens do not overtake the store's clock, from which the next instance gets its token. */
class TokenRateTests {

    private static final EngineSettings SETTINGS = EngineSettings.DEFAULTS.withRetention(Duration.ofSeconds(5));

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one", SETTINGS);

    private final Instance two = world.instance("two", SETTINGS);

    private long useAndClose() {
        AsyncAttempt attempt = one.acquire("a");
        long token = attempt.token();
        attempt.close();
        return token;
    }

    private void handBackAndCheck(long last) {
        world.pauseNanos(1_000);
        world.leases.forceRelease("a", 0);
        AsyncAttempt elsewhere = two.acquire("a");
        assertThat(elsewhere.token()).isGreaterThan(last);
        elsewhere.close();
        world.advanceSeconds(5);
    }

    @Test
    void aRetainedLeaseGivesFewerTokensThanMicrosecondsHavePassedAndThenSendsARequest() {
        long granted = useAndClose();
        one.network.forgetSent();
        world.pauseNanos(100_000);

        for (int i = 1; i <= 97; i++) {
            assertThat(useAndClose()).isEqualTo(granted + i);
        }
        assertThat(one.network.sent()).as("commands below the limit").isEmpty();
        long next = useAndClose();

        assertThat(one.network.sent()).as("commands at the limit").hasSize(1);
        assertThat(next).isGreaterThan(granted + 97);
        handBackAndCheck(next);
    }

    @Test
    void theNextInstanceHasAHigherTokenHoweverFastTheLockWasRetainedHere() {
        long last = 0;
        int commands = 0;
        for (int i = 0; i < 20_000; i++) {
            long token = useAndClose();
            assertThat(token).isGreaterThan(last);
            last = token;
            int sent = one.network.sent().size();
            world.pauseNanos(sent > commands ? 20_000 : 300);
            commands = sent;
        }

        assertThat(commands).isGreaterThan(10);
        handBackAndCheck(last);
    }

    @Test
    void aPassToAWaiterCountsTheSame() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");
        one.network.forgetSent();

        first.close();

        assertThat(one.network.sent()).hasSize(1);
        assertThat(second.isHeld()).isTrue();
        assertThat(second.token()).isGreaterThan(first.token());
        second.close();
        world.advanceSeconds(5);
    }

    @Test
    void theTimeCountsFromTheArrivalOfTheReply() {
        one.network.holdCommands();
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");
        world.pauseMillis(10);
        SimulatedCall<?> command = one.network.take().execute();
        one.network.flow();
        command.answer();
        one.network.forgetSent();

        first.close();

        assertThat(one.network.sent()).hasSize(1);
        second.close();
        world.advanceSeconds(5);
    }
}
