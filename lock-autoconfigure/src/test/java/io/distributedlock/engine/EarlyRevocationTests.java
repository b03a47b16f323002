/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A lock that was taken away before its new holder has heard that it has it. */
class EarlyRevocationTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    @Test
    void aReplyThatArrivesAfterARevocationIsNoHold() {
        one.network.holdCommands();
        AsyncAttempt here = one.acquire("a");
        SimulatedCall<?> command = one.network.take().execute();
        one.network.flow();
        AsyncAttempt elsewhere = two.acquire("a");
        world.leases.forceRelease("a", 0);
        assertThat(elsewhere.isHeld()).isTrue();

        command.answer();

        assertThat(here.isPending()).isTrue();
        elsewhere.close();
        assertThat(here.isHeld()).isTrue();
        assertThat(here.token()).isGreaterThan(elsewhere.token());
        here.close();
    }

    @Test
    void theSameForOneThatTriesOnce() {
        one.network.holdCommands();
        AsyncAttempt here = one.tryOnce("a");
        SimulatedCall<?> command = one.network.take().execute();
        one.network.flow();
        AsyncAttempt elsewhere = two.acquire("a");
        world.leases.forceRelease("a", 0);

        command.answer();
        world.advanceMillis(100);

        assertThat(here.failure()).isInstanceOf(LockNotAcquiredException.class);
        elsewhere.close();
    }

    @Test
    void aGrantMessageThatComesAfterARevocationIsNoHold() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt here = one.acquire("a");
        one.network.holdMessages();
        elsewhere.close();
        TestNetwork.Arrival grant = one.network.takeMessage();
        AsyncAttempt other = world.instance("three").acquire("a");
        one.network.takeMessage();
        world.leases.forceRelease("a", 0);
        TestNetwork.Arrival revocation = one.network.takeMessage();
        one.network.flow();
        assertThat(other.isHeld()).isTrue();

        revocation.arrive();
        grant.arrive();

        assertThat(here.isPending()).isTrue();
        other.close();
        assertThat(here.isHeld()).isTrue();
        here.close();
    }

    @Test
    void anOwnerWhoseHoldWasReleasedElsewhereBeforeTheReplyArrivesAcquiresAgain() {
        one.network.holdCommands();
        AsyncAttempt here = one.acquire(LockRequest.of("a").owner("me").waitUpTo(Duration.ofSeconds(5)));
        SimulatedCall<?> command = one.network.take().execute();
        one.network.flow();
        AsyncAttempt elsewhere = two.acquire("a");
        two.engine.release("a", "me");

        command.answer();

        assertThat(here.isPending()).isTrue();
        elsewhere.close();
        assertThat(here.isHeld()).isTrue();
        here.close();
    }

    /** The lease was granted while the forced release waited for a connection. */
    @Test
    void aForcedReleaseEndsTheLeaseThatThisInstanceHasWhenItIsSent() throws Exception {
        Instance patient = world.patient("patient");
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt here = patient.acquire("a");
        patient.network.beginConnecting();
        FutureTask<Boolean> forcing = new FutureTask<>(() -> patient.engine.forceRelease("a"));
        Thread caller = new Thread(forcing);
        caller.start();
        await().until(() -> caller.getState() == Thread.State.TIMED_WAITING);
        elsewhere.close();
        assertThat(here.isHeld()).isTrue();
        patient.network.holdMessages();

        patient.network.reconnect();

        assertThat(forcing.get()).isTrue();
        assertThat(here.isHeld()).isFalse();
        world.advanceSeconds(1);
    }
}
