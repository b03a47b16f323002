/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many explicit owners of one instance wait for one lock. */
class QueuedOwnersTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    private static LockRequest as(String owner) {
        return LockRequest.of("a").owner(owner).waitForever();
    }

    private List<AsyncAttempt> owners(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> one.acquire(as("owner-" + i)))
                .toList();
    }

    private int inLine() {
        return world.leases.inspect("a").map(LockState::waitingInstances).orElse(0);
    }

    @AfterEach
    void noWaiterIsLeftInLine() {
        assertThat(one.engine.locks().ownersInLine().isEmpty()).isTrue();
    }

    @Test
    void manyOwnersTakeFewPlacesAndSendFewRequests() {
        AsyncAttempt elsewhere = two.acquire("a");
        List<AsyncAttempt> crowd = owners(3_000);
        assertThat(inLine()).isEqualTo(QueuedOwners.IN_LINE);
        world.advanceSeconds(61);
        one.network.forgetSent();

        world.advanceSeconds(60);

        assertThat(one.network.sent()).hasSizeBetween(60, 60 * (QueuedOwners.IN_LINE * 2 + 50));
        crowd.forEach(AsyncAttempt::cancel);
        elsewhere.close();
    }

    @Test
    void allWaitersGetTheLockInTheOrderOfTheirArrival() {
        AsyncAttempt elsewhere = two.acquire("a");
        List<AsyncAttempt> crowd = owners(20);
        elsewhere.close();

        for (AsyncAttempt next : crowd) {
            world.advanceMillis(1);
            assertThat(crowd.stream().filter(AsyncAttempt::isGranted).reduce((a, b) -> b))
                    .contains(next);
            next.close();
        }
    }

    @Test
    void aCallerThatLeavesMakesRoomForTheNext() {
        AsyncAttempt elsewhere = two.acquire("a");
        List<AsyncAttempt> crowd = new ArrayList<>(owners(12));
        crowd.subList(0, 6).forEach(AsyncAttempt::cancel);
        assertThat(inLine()).isEqualTo(QueuedOwners.IN_LINE);
        crowd.subList(8, 12).forEach(AsyncAttempt::cancel);
        assertThat(inLine()).isEqualTo(2);

        elsewhere.close();

        assertThat(crowd.get(6).isHeld()).isTrue();
        crowd.get(6).close();
        assertThat(crowd.get(7).isHeld()).isTrue();
        crowd.get(7).close();
    }

    @Test
    void anOwnerThatHoldsTheLockElsewhereEntersPastTheLine() {
        AsyncAttempt elsewhere = two.acquire(as("job"));
        List<AsyncAttempt> crowd = owners(10);

        AsyncAttempt job = one.acquire(as("job"));

        assertThat(job.isHeld()).isTrue();
        crowd.forEach(AsyncAttempt::cancel);
        job.close();
        elsewhere.close();
    }

    @Test
    void anOwnerThatComesToHoldItElsewhereEntersInTime() {
        AsyncAttempt elsewhere = two.acquire("a");
        List<AsyncAttempt> crowd = owners(10);
        AsyncAttempt job = one.acquire(as("job"));
        crowd.forEach(AsyncAttempt::cancel);
        List<AsyncAttempt> more = owners(10);
        elsewhere.close();
        assertThat(job.isHeld()).isTrue();
        AsyncAttempt again = one.acquire(as("job"));

        assertThat(again.isHeld()).isTrue();
        more.forEach(AsyncAttempt::cancel);
        job.close();
        again.close();
    }

    @Test
    void callersOfTheSameOwnerEnterTogether() {
        AsyncAttempt elsewhere = two.acquire("a");
        List<AsyncAttempt> crowd = owners(QueuedOwners.IN_LINE);
        List<AsyncAttempt> same = IntStream.range(0, 10)
                .mapToObj(i -> one.acquire(as("job").lease(Duration.ofSeconds(30))))
                .toList();
        crowd.subList(1, crowd.size()).forEach(AsyncAttempt::cancel);

        elsewhere.close();
        crowd.get(0).close();
        world.advanceMillis(100);

        assertThat(same).allMatch(AsyncAttempt::isGranted);
        same.forEach(AsyncAttempt::close);
    }
}
